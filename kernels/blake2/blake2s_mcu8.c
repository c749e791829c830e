/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2s-256 (RFC 7693) in C for CPUs whose registers hold 8 bits.
 *
 * Technique: the sixteen words in memory at addresses that the compiler knows, so that a G has four
 * of them in an AVR's registers; a loop over the rounds; rotations made of bytes
 * (common/byte_words.h).
 * CPU: any; for AVR and the like.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: ATmega; README.md has its core cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "blake2/blake2.h"
#include "common/byte_words.h"

typedef uint32_t word;
#define STORE store_le32
#define INITIAL blake2s_initial
#define DIGEST_BYTES BLAKE2S_DIGEST_BYTES

#include "blake2/blake2_mac.h"

enum { ROUNDS = 10 };

JM_INLINE word next_word(const uint8_t *block, const JM_FLASH uint8_t **sigma) {
    const uint8_t place = *(*sigma)++;
    return load_le32(block + (uint8_t)(4 * place));
}

/* G of section 3.1 on the words at four constant places; rotations to the right by 16, 12, 8 and 7.
 */
#define G(a, b, c, d)                                                                              \
    do {                                                                                           \
        word va = v[a] + v[b] + next_word(block, &sigma);                                          \
        word vd = byte_rotl(v[d] ^ va, 16);                                                        \
        word vc = v[c] + vd;                                                                       \
        word vb = byte_rotl(v[b] ^ vc, 20);                                                        \
        va += vb + next_word(block, &sigma);                                                       \
        v[a] = va;                                                                                 \
        vd = byte_rotl(vd ^ va, 24);                                                               \
        v[d] = vd;                                                                                 \
        vc += vd;                                                                                  \
        v[c] = vc;                                                                                 \
        v[b] = byte_rotl(vb ^ vc, 25);                                                             \
    } while (0)

/* Columns, then diagonals (section 3.2, step 5). */
JM_ONCE void all_rounds(word v[16], const uint8_t *block) {
    const JM_FLASH uint8_t *sigma = blake2_sigma[0];
    for (uint8_t i = 0; i < ROUNDS; i++) {
        G(0, 4, 8, 12);
        G(1, 5, 9, 13);
        G(2, 6, 10, 14);
        G(3, 7, 11, 15);
        G(0, 5, 10, 15);
        G(1, 6, 11, 12);
        G(2, 7, 8, 13);
        G(3, 4, 9, 14);
    }
}

JM_ONCE void compress(word h[8], const uint8_t *block, uint64_t absorbed, bool last) {
    word v[16];
    for (uint8_t i = 0; i < 8; i++) v[i] = h[i], v[8 + i] = INITIAL[i];
    v[12] ^= (word)absorbed;
    v[13] ^= (word)(absorbed >> 32);
    if (last) v[14] = ~v[14];
    all_rounds(v, block);
    for (uint8_t i = 0; i < 8; i++) h[i] ^= v[i] ^ v[8 + i];
}

#include "blake2/blake2_blocks.h"

#define NOTE "C for CPUs whose registers hold 8 bits"
JM_BLAKE2_VARIANT(blake2s, "blake2s-256", mcu8, 0, NOTE, true, BLAKE2S_BLOCK_BYTES,
                  BLAKE2S_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2s_mac, "blake2s-mac", mcu8, 0, NOTE, true, BLAKE2S_BLOCK_BYTES,
              BLAKE2S_DIGEST_BYTES, BLAKE2_MAC_STACK_BYTES)
