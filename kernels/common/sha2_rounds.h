/* SPDX-License-Identifier: Apache-2.0
 *
 * The rounds of SHA-2 in portable C, written once for both word sizes (FIPS 180-4, sections 6.2.2
 * and 6.4.2).
 *
 * The includer defines, above:
 *     word                                     uint32_t or uint64_t
 *     BIG_SIGMA0, BIG_SIGMA1, SIGMA0, SIGMA1   sections 4.1.2 and 4.1.3
 *     PLUS_WORD_AND_K(sum, j)                  sum + K[t] + W[t] for the round t that is j later
 * and, where it writes EIGHT_ROUNDS, the working variables a to h. */
#ifndef JM_SHA2_ROUNDS_H
#define JM_SHA2_ROUNDS_H

#define CH(x, y, z) (((x) & ((y) ^ (z))) ^ (z))
#define MAJ(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

/* W[t] for t = i + 16, in place of W[i]; indices are modulo 16. */
static inline word next_word(word w[16], size_t i) {
    w[i] += SIGMA0(w[(i + 1) & 15]) + w[(i + 9) & 15] + SIGMA1(w[(i + 14) & 15]);
    return w[i];
}

#define ROUND(a, b, c, d, e, f, g, h, j)                                                           \
    do {                                                                                           \
        h += PLUS_WORD_AND_K(BIG_SIGMA1(e) + CH(e, f, g), j);                                      \
        d += h;                                                                                    \
        h += BIG_SIGMA0(a) + MAJ(a, b, c);                                                         \
    } while (0)
#define EIGHT_ROUNDS(j)                                                                            \
    do {                                                                                           \
        ROUND(a, b, c, d, e, f, g, h, j);                                                          \
        ROUND(h, a, b, c, d, e, f, g, (j) + 1);                                                    \
        ROUND(g, h, a, b, c, d, e, f, (j) + 2);                                                    \
        ROUND(f, g, h, a, b, c, d, e, (j) + 3);                                                    \
        ROUND(e, f, g, h, a, b, c, d, (j) + 4);                                                    \
        ROUND(d, e, f, g, h, a, b, c, (j) + 5);                                                    \
        ROUND(c, d, e, f, g, h, a, b, (j) + 6);                                                    \
        ROUND(b, c, d, e, f, g, h, a, (j) + 7);                                                    \
    } while (0)

#endif
