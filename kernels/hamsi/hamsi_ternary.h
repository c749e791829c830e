/* SPDX-License-Identifier: Apache-2.0
 *
 * The S-box and the linear map of Hamsi's rounds (sections 2.3.2 and 2.3.3) on vectors of words,
 * for a file that defines TERNARY(a, b, c, table), whose result is bit 4a + 2b + c of the table,
 * ROTL(x, count) and SHIFT(x, count), to the left. Each output bit of the S-box is a function of a
 * fourth bit and of two functions of three bits; a search found five functions of three bits that
 * suffice for all four outputs. */
#define SUBSTITUTE(a, b, c, d)                                                                     \
    do {                                                                                           \
        const VEC n0 = TERNARY(a, b, c, 0x52), n1 = TERNARY(a, b, d, 0x27);                        \
        const VEC n2 = TERNARY(b, c, d, 0x6d), n3 = TERNARY(a, c, d, 0x5b);                        \
        const VEC n4 = TERNARY(a, b, c, 0x6b);                                                     \
        const VEC first = TERNARY(n0, n4, d, 0x69), third = TERNARY(n1, n2, a, 0x1d);              \
        d = TERNARY(n0, n2, b, 0x2d);                                                              \
        b = TERNARY(n4, n3, c, 0x2e);                                                              \
        a = first;                                                                                 \
        c = third;                                                                                 \
    } while (0)

#define DIFFUSE(a, b, c, d)                                                                        \
    do {                                                                                           \
        a = ROTL(a, 13);                                                                           \
        c = ROTL(c, 3);                                                                            \
        b = ROTL(TERNARY(b, a, c, 0x96), 1);                                                       \
        d = ROTL(TERNARY(d, c, SHIFT(a, 3), 0x96), 7);                                             \
        a = ROTL(TERNARY(a, b, d, 0x96), 5);                                                       \
        c = ROTL(TERNARY(c, d, SHIFT(b, 7), 0x96), 22);                                            \
    } while (0)
