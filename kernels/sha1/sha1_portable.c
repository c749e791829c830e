/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1.2) in portable C.
 *
 * Technique: 80 rounds unrolled, so that the working variables rotate by name and the message
 * schedule is a ring of sixteen words. One message.
 * State: words a to e in the order of sha1.h.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by
 *   tests/native/constant_time.c.
 * Best for: CPUs without SHA instructions, and as the reference for the other variants.
 */
#include "sha1/sha1.h"

/* The four functions of section 4.1.1, added to `to`. MAJ's two halves share no bit. */
#define CH(to, x, y, z) ((to) + (((x) & ((y) ^ (z))) ^ (z)) + 0x5a827999)
#define PARITY_1(to, x, y, z) ((to) + ((x) ^ (y) ^ (z)) + 0x6ed9eba1)
#define MAJ(to, x, y, z) ((to) + ((y) & (z)) + ((x) & ((y) ^ (z))) + 0x8f1bbcdc)
#define PARITY_2(to, x, y, z) ((to) + ((x) ^ (y) ^ (z)) + 0xca62c1d6)

static void init(void *chain) {
    memcpy(chain, sha1_initial, sizeof sha1_initial);
}

/* W[t] for t >= 16, in place of W[t - 16]; indices are modulo 16. */
static inline uint32_t next_word(uint32_t w[16], size_t t) {
    const uint32_t sum = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];
    return w[t & 15] = rotl32(sum, 1);
}

#define ROUND(FUNCTION, a, b, c, d, e, t)                                                          \
    do {                                                                                           \
        e += (t) < 16 ? w[(t) & 15] : next_word(w, t);                                             \
        e = FUNCTION(e, b, c, d) + rotl32(a, 5);                                                   \
        b = rotl32(b, 30);                                                                         \
    } while (0)
#define FIVE_ROUNDS(FUNCTION, t)                                                                   \
    do {                                                                                           \
        ROUND(FUNCTION, a, b, c, d, e, t);                                                         \
        ROUND(FUNCTION, e, a, b, c, d, (t) + 1);                                                   \
        ROUND(FUNCTION, d, e, a, b, c, (t) + 2);                                                   \
        ROUND(FUNCTION, c, d, e, a, b, (t) + 3);                                                   \
        ROUND(FUNCTION, b, c, d, e, a, (t) + 4);                                                   \
    } while (0)
#define TWENTY_ROUNDS(FUNCTION, t)                                                                 \
    do {                                                                                           \
        FIVE_ROUNDS(FUNCTION, t);                                                                  \
        FIVE_ROUNDS(FUNCTION, (t) + 5);                                                            \
        FIVE_ROUNDS(FUNCTION, (t) + 10);                                                           \
        FIVE_ROUNDS(FUNCTION, (t) + 15);                                                           \
    } while (0)

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *state = chain;
    uint32_t w[16];
    for (; count; count--, blocks += 64) {
        for (size_t t = 0; t < 16; t++) w[t] = load_be32(blocks + 4 * t);
        uint32_t a = state[SHA1_A], b = state[SHA1_B], c = state[SHA1_C], d = state[SHA1_D];
        uint32_t e = state[SHA1_E];
        TWENTY_ROUNDS(CH, 0);
        TWENTY_ROUNDS(PARITY_1, 20);
        TWENTY_ROUNDS(MAJ, 40);
        TWENTY_ROUNDS(PARITY_2, 60);
        state[SHA1_A] += a, state[SHA1_B] += b, state[SHA1_C] += c, state[SHA1_D] += d;
        state[SHA1_E] += e;
    }
    jm_wipe(w, sizeof w);
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *state = chain;
    static const uint8_t order[5] = {SHA1_A, SHA1_B, SHA1_C, SHA1_D, SHA1_E};
    for (size_t i = 0; i < 5; i++) store_be32(digest + 4 * i, state[order[i]]);
}

JM_SHA1_VARIANT(portable, 0, JM_TARGET_ANY, sizeof sha1_initial, "portable C")
