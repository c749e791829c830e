/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2s-256 (RFC 7693) in C for 32-bit microcontrollers.
 *
 * Technique: a loop over the rounds, whose code fits a cache of a few KiB, with the indices of
 * message words from a table; sixteen words in as many registers as the CPU has.
 * CPU: any; for 32-bit ones with a small cache, or with little flash.
 * Constant time: additions, rotations and logic only, and indices that are public; checked by
 * tests/native/constant_time.c.
 * Best for: VexRiscv; README.md has its core cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "blake2/blake2.h"

typedef uint32_t word;
#define STORE store_le32
#define INITIAL blake2s_initial
#define DIGEST_BYTES BLAKE2S_DIGEST_BYTES

#include "blake2/blake2_mac.h"

enum { ROUNDS = 10, WORDS = 16 };

/* G of section 3.1 on four words; rotations to the right by 16, 12, 8 and 7. */
#define G(a, b, c, d, at)                                                                          \
    do {                                                                                           \
        a += b + m[sigma[at]];                                                                     \
        d = rotr32(d ^ a, 16);                                                                     \
        c += d;                                                                                    \
        b = rotr32(b ^ c, 12);                                                                     \
        a += b + m[sigma[(at) + 1]];                                                               \
        d = rotr32(d ^ a, 8);                                                                      \
        c += d;                                                                                    \
        b = rotr32(b ^ c, 7);                                                                      \
    } while (0)

/* Columns, then diagonals (section 3.2, step 5). */
JM_ONCE void compress(word h[8], const uint8_t *block, uint64_t absorbed, bool last) {
    word m[WORDS];
    for (size_t i = 0; i < WORDS; i++) m[i] = load_le32(block + sizeof(word) * i);
    word a0 = h[0], a1 = h[1], a2 = h[2], a3 = h[3], b0 = h[4], b1 = h[5], b2 = h[6], b3 = h[7];
    word c0 = INITIAL[0], c1 = INITIAL[1], c2 = INITIAL[2], c3 = INITIAL[3];
    word d0 = INITIAL[4] ^ (word)absorbed, d1 = INITIAL[5] ^ (word)(absorbed >> 32);
    word d2 = last ? ~INITIAL[6] : INITIAL[6], d3 = INITIAL[7];
    const JM_FLASH uint8_t *sigma = blake2_sigma[0];
    for (unsigned i = 0; i < ROUNDS; i++, sigma += WORDS) {
        G(a0, b0, c0, d0, 0);
        G(a1, b1, c1, d1, 2);
        G(a2, b2, c2, d2, 4);
        G(a3, b3, c3, d3, 6);
        G(a0, b1, c2, d3, 8);
        G(a1, b2, c3, d0, 10);
        G(a2, b3, c0, d1, 12);
        G(a3, b0, c1, d2, 14);
    }
    h[0] ^= a0 ^ c0, h[1] ^= a1 ^ c1, h[2] ^= a2 ^ c2, h[3] ^= a3 ^ c3;
    h[4] ^= b0 ^ d0, h[5] ^= b1 ^ d1, h[6] ^= b2 ^ d2, h[7] ^= b3 ^ d3;
}

#include "blake2/blake2_blocks.h"

#define NOTE "One round a loop, for 32-bit microcontrollers."
JM_BLAKE2_VARIANT(blake2s, "blake2s-256", mcu32, 0, NOTE, true, BLAKE2S_BLOCK_BYTES,
                  BLAKE2S_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2s_mac, "blake2s-mac", mcu32, 0, NOTE, true, BLAKE2S_BLOCK_BYTES,
              BLAKE2S_DIGEST_BYTES, BLAKE2_MAC_STACK_BYTES)
