/* SPDX-License-Identifier: Apache-2.0
 *
 * The rounds of SHA-1 (FIPS 180-4, section 6.1.2) in portable C, 80 unrolled, so that the working
 * variables change names instead of places.
 *
 * The includer defines, where it uses EIGHTY_ROUNDS:
 *     WORD(t)   W[t] for a constant t
 *     a to e    the working variables */
#ifndef JM_SHA1_ROUNDS_H
#define JM_SHA1_ROUNDS_H

#include "common/words.h"

/* The four functions of section 4.1.1, and their constants, added to `to`. MAJ adds two halves that
 * share no bit. */
#define CH(to, x, y, z) ((to) + (((x) & ((y) ^ (z))) ^ (z)) + 0x5a827999)
#define PARITY_1(to, x, y, z) ((to) + ((x) ^ (y) ^ (z)) + 0x6ed9eba1)
#define MAJ(to, x, y, z) ((to) + ((y) & (z)) + ((x) & ((y) ^ (z))) + 0x8f1bbcdc)
#define PARITY_2(to, x, y, z) ((to) + ((x) ^ (y) ^ (z)) + 0xca62c1d6)

/* Makes W[t] for t >= 16, which replaces W[t - 16]; indices are modulo 16. */
static inline uint32_t next_word(uint32_t w[16], size_t t) {
    const uint32_t sum = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];
    return w[t & 15] = rotl32(sum, 1);
}

#define ROUND(FUNCTION, a, b, c, d, e, t)                                                          \
    do {                                                                                           \
        e += WORD(t);                                                                              \
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
#define EIGHTY_ROUNDS                                                                              \
    do {                                                                                           \
        TWENTY_ROUNDS(CH, 0);                                                                      \
        TWENTY_ROUNDS(PARITY_1, 20);                                                               \
        TWENTY_ROUNDS(MAJ, 40);                                                                    \
        TWENTY_ROUNDS(PARITY_2, 60);                                                               \
    } while (0)

#endif
