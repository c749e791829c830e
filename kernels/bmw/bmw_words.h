/* SPDX-License-Identifier: Apache-2.0
 *
 * Blue Midnight Wish's compression function in general registers, written once for both widths.
 *
 * The includer defines: BMW_BITS as 32, and includes this header again with 64. It gets
 * `compress_32` and `compress_64` (bmw.h). Section numbers are the specification's. */
#include "bmw/bmw.h"

#define BMW_JOIN_(a, b) a##b
#define BMW_JOIN(a, b) BMW_JOIN_(a, b)
#define WORD BMW_JOIN(BMW_JOIN(uint, BMW_BITS), _t)
#define NAMED(name) BMW_JOIN(name, BMW_BITS)
#define ROTATE NAMED(rotl)
#define LOAD NAMED(load_le)

#ifndef BMW_WORDS_H
#define BMW_WORDS_H
/* Table 1.3: two shifts and two rotations of s0 to s3, and the rotations r1 to r7. */
#define BMW_ROTATIONS_S_32 {4, 19}, {8, 23}, {12, 25}, {15, 29}
#define BMW_ROTATIONS_S_64 {4, 37}, {13, 43}, {19, 53}, {28, 59}
#define BMW_ROTATIONS_R_32 3, 7, 13, 16, 19, 23, 27
#define BMW_ROTATIONS_R_64 5, 11, 27, 32, 37, 43, 53

/* Section 1.4, table 1.5: the five words of f0's sums. A negative index subtracts the word; since
 * -0 is no index, -16 and 16 name word 0. */
static const int8_t bmw_terms[BMW_WORDS][5] = {
    {5, -7, 10, 13, 14},  {6, -8, 11, 14, -15}, {16, 7, 9, -12, 15},   {16, -1, 8, -10, 13},
    {1, 2, 9, -11, -14},  {3, -2, 10, -12, 15}, {4, -16, -3, -11, 13}, {1, -4, -5, -12, -14},
    {2, -5, -6, 13, -15}, {16, -3, 6, -7, 14},  {8, -1, -4, -7, 15},   {8, -16, -2, -5, 9},
    {1, 3, -6, -9, 10},   {2, 4, 7, 10, 11},    {3, -5, 8, -11, -12},  {12, -4, -6, -9, 13},
};
#endif

JM_INLINE WORD NAMED(mixed_)(WORD x, unsigned which) {
    static const uint8_t shift[4][2] = {{1, 3}, {1, 2}, {2, 1}, {2, 2}};
    static const uint8_t rotation[4][2] = {BMW_JOIN(BMW_ROTATIONS_S_, BMW_BITS)};
    if (which == 4) return (x >> 1) ^ x;
    if (which == 5) return (x >> 2) ^ x;
    return (x >> shift[which][0]) ^ (x << shift[which][1]) ^ ROTATE(x, rotation[which][0]) ^
           ROTATE(x, rotation[which][1]);
}

/* f0 (section 1.4): the first sixteen words of the quadruple pipe. */
JM_INLINE void NAMED(fold_)(WORD q[2 * BMW_WORDS], const WORD m[BMW_WORDS],
                            const WORD h[BMW_WORDS]) {
    WORD x[BMW_WORDS];
#pragma GCC unroll 16
    for (size_t i = 0; i < BMW_WORDS; i++) x[i] = m[i] ^ h[i];
#pragma GCC unroll 16
    for (size_t i = 0; i < BMW_WORDS; i++) {
        WORD sum = 0;
#pragma GCC unroll 5
        for (size_t j = 0; j < 5; j++) {
            const int term = bmw_terms[i][j];
            sum = term > 0 ? sum + x[term % 16] : sum - x[-term % 16];
        }
        q[i] = NAMED(mixed_)(sum, i % 5) + h[(i + 1) % BMW_WORDS];
    }
}

/* AddElement (section 1.5) of word 16 + i, from the message, a constant and the chaining value. */
JM_INLINE WORD NAMED(added_)(const WORD turned[BMW_WORDS], const WORD h[BMW_WORDS], size_t i) {
    const WORD third = (WORD)UINT64_C(0x5555555555555555) / 16;
    return (turned[i] + turned[(i + 3) % 16] - turned[(i + 10) % 16] + (WORD)(16 + i) * third) ^
           h[(i + 7) % 16];
}

/* f1: the other sixteen words, two by expand1, the rest by expand2. `plain` keeps, for even and for
 * odd words, the sum of the seven words, two apart, that expand2 adds unchanged. */
JM_INLINE void NAMED(expand_)(WORD q[2 * BMW_WORDS], const WORD m[BMW_WORDS],
                              const WORD h[BMW_WORDS]) {
    static const uint8_t r[7] = {BMW_JOIN(BMW_ROTATIONS_R_, BMW_BITS)};
    WORD turned[BMW_WORDS], plain[2] = {0, 0};
#pragma GCC unroll 16
    for (unsigned i = 0; i < BMW_WORDS; i++) turned[i] = ROTATE(m[i], i + 1);
#pragma GCC unroll 2
    for (size_t i = 0; i < 2; i++) {
        WORD sum = NAMED(added_)(turned, h, i);
#pragma GCC unroll 16
        for (size_t j = 0; j < 16; j++) sum += NAMED(mixed_)(q[i + j], (j + 1) % 4);
        q[16 + i] = sum;
    }
#pragma GCC unroll 7
    for (size_t j = 0; j < 7; j++) {
        plain[0] += q[2 + 2 * j];
        plain[1] += q[3 + 2 * j];
    }
#pragma GCC unroll 14
    for (size_t i = 2; i < BMW_WORDS; i++) {
        WORD sum = NAMED(added_)(turned, h, i) + plain[i % 2];
#pragma GCC unroll 7
        for (size_t j = 0; j < 7; j++) sum += ROTATE(q[i + 1 + 2 * j], r[j]);
        sum += NAMED(mixed_)(q[14 + i], 4);
        q[16 + i] = sum + NAMED(mixed_)(q[15 + i], 5);
        plain[i % 2] += q[14 + i] - q[i];
    }
}

/* f2 (section 1.6). A positive distance shifts to the left, a negative one to the right. */
JM_INLINE WORD NAMED(shifted_)(WORD x, int distance) {
    return distance >= 0 ? x << distance : x >> -distance;
}
JM_INLINE void NAMED(unfold_)(WORD h[BMW_WORDS], const WORD m[BMW_WORDS],
                              const WORD q[2 * BMW_WORDS]) {
    static const int8_t of_high[8] = {5, -7, -5, -1, -3, 6, -4, -11};
    static const int8_t of_word[8] = {-5, 8, 5, 5, 0, -6, 6, 2};
    static const int8_t of_low[8] = {8, -6, 6, 4, -3, -4, -7, -2};
    WORD low = 0, high;
#pragma GCC unroll 8
    for (size_t i = 16; i < 24; i++) low ^= q[i];
    high = low;
#pragma GCC unroll 8
    for (size_t i = 24; i < 32; i++) high ^= q[i];
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++)
        h[i] = (NAMED(shifted_)(high, of_high[i]) ^ NAMED(shifted_)(q[16 + i], of_word[i]) ^ m[i]) +
               (low ^ q[24 + i] ^ q[i]);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        h[8 + i] = ROTATE(h[(4 + i) % 8], 9 + i) + (high ^ q[24 + i] ^ m[8 + i]) +
                   (NAMED(shifted_)(low, of_low[i]) ^ q[16 + (7 + i) % 8] ^ q[8 + i]);
}

JM_ONCE void NAMED(compress_)(WORD h[BMW_WORDS], const uint8_t *blocks, size_t count) {
    WORD m[BMW_WORDS], q[2 * BMW_WORDS];
    for (; count; count--) {
        for (size_t i = 0; i < BMW_WORDS; i++) m[i] = LOAD(blocks + i * BMW_BITS / 8);
        NAMED(fold_)(q, m, h);
        NAMED(expand_)(q, m, h);
        NAMED(unfold_)(h, m, q);
        blocks += 2 * BMW_BITS;
    }
}

#undef WORD
#undef NAMED
#undef ROTATE
#undef LOAD
#undef BMW_JOIN
#undef BMW_JOIN_
