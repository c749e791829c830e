/* SPDX-License-Identifier: Apache-2.0
 *
 * Blue Midnight Wish's compression function with sixteen 64-bit words in two vectors, for
 * bmw_avx512.c. It computes as bmw_32_vector.h does, but moves words across two vectors, and has
 * masks for signs. */
#ifndef JM_BMW_64_VECTORS_H
#define JM_BMW_64_VECTORS_H

#include "bmw/bmw_32_vector.h"

typedef struct {
    __m512i low, high; /* words 0 to 7, and 8 to 15 */
} pair;

typedef struct {
    uint64_t right[16], left[16], one[16], other[16];
} mixing_64;

static const _Alignas(64) mixing_64 of_fold_64 = {REPEAT_5(1, 1, 2, 2, 1), REPEAT_5(3, 2, 1, 2, 0),
                                                  REPEAT_5(4, 13, 19, 28, 0),
                                                  REPEAT_5(37, 43, 53, 59, 0)};
static const _Alignas(64) mixing_64 of_first_64 = {
    REPEAT_4(1, 2, 2, 1), REPEAT_4(2, 1, 2, 3), REPEAT_4(13, 19, 28, 4), REPEAT_4(43, 53, 59, 37)};
static const _Alignas(64) mixing_64 of_second_64 = {
    REPEAT_4(1, 1, 2, 2), REPEAT_4(3, 2, 1, 2), REPEAT_4(4, 13, 19, 28), REPEAT_4(37, 43, 53, 59)};

JM_INLINE __m512i mixed_8(__m512i x, const mixing_64 *by, size_t at) {
    const __m512i shifts = _mm512_xor_si512(_mm512_srlv_epi64(x, TABLE(by->right + at)),
                                            _mm512_sllv_epi64(x, TABLE(by->left + at)));
    return _mm512_ternarylogic_epi64(shifts, _mm512_rolv_epi64(x, TABLE(by->one + at)),
                                     _mm512_rolv_epi64(x, TABLE(by->other + at)), 0x96);
}
JM_INLINE pair mixed_64(pair x, const mixing_64 *by) {
    return (pair){mixed_8(x.low, by, 0), mixed_8(x.high, by, 8)};
}
JM_INLINE pair sum_of(pair a, pair b) {
    return (pair){_mm512_add_epi64(a.low, b.low), _mm512_add_epi64(a.high, b.high)};
}
JM_INLINE pair xor_of(pair a, pair b) {
    return (pair){_mm512_xor_si512(a.low, b.low), _mm512_xor_si512(a.high, b.high)};
}

/* Word i + `by` of three vectors in a row. */
JM_INLINE pair ahead_of(__m512i a, __m512i b, __m512i c, const int by) {
    switch (by) {
    case 0:
        return (pair){a, b};
    case 1:
        return (pair){_mm512_alignr_epi64(b, a, 1), _mm512_alignr_epi64(c, b, 1)};
    case 2:
        return (pair){_mm512_alignr_epi64(b, a, 2), _mm512_alignr_epi64(c, b, 2)};
    case 3:
        return (pair){_mm512_alignr_epi64(b, a, 3), _mm512_alignr_epi64(c, b, 3)};
    case 4:
        return (pair){_mm512_alignr_epi64(b, a, 4), _mm512_alignr_epi64(c, b, 4)};
    case 5:
        return (pair){_mm512_alignr_epi64(b, a, 5), _mm512_alignr_epi64(c, b, 5)};
    case 6:
        return (pair){_mm512_alignr_epi64(b, a, 6), _mm512_alignr_epi64(c, b, 6)};
    default:
        return (pair){_mm512_alignr_epi64(b, a, 7), _mm512_alignr_epi64(c, b, 7)};
    }
}
JM_INLINE pair cyclic(pair x, const int by) {
    return by < 8 ? ahead_of(x.low, x.high, x.low, by) : ahead_of(x.high, x.low, x.high, by - 8);
}
JM_INLINE pair behind_0(pair x, const int by) {
    const __m512i zero = _mm512_setzero_si512();
    if (by < 8) return ahead_of(x.low, x.high, zero, by);
    const pair upper = ahead_of(x.high, zero, zero, by - 8);
    return (pair){upper.low, zero};
}

static const _Alignas(64) uint64_t term_64[5][16] = {
    {5, 6, 0, 0, 1, 3, 4, 1, 2, 0, 8, 8, 1, 2, 3, 12},
    {7, 8, 7, 1, 2, 2, 0, 4, 5, 3, 1, 0, 3, 4, 5, 4},
    {10, 11, 9, 8, 9, 10, 3, 5, 6, 6, 4, 2, 6, 7, 8, 6},
    {13, 14, 12, 10, 11, 12, 11, 12, 13, 7, 7, 5, 9, 10, 11, 9},
    {14, 15, 15, 13, 14, 15, 13, 14, 15, 14, 15, 9, 10, 11, 12, 13},
};
/* For each of the five terms a mask: a bit for each word in which the term is subtracted. */
static const uint16_t minus_64[5] = {0x0000, 0xcfeb, 0x9dc0, 0xdefc, 0x4192};

JM_INLINE __m512i folded(pair x, const size_t at, const uint16_t minus[5]) {
    const __m512i zero = _mm512_setzero_si512();
    __m512i t[5];
#pragma GCC unroll 5
    for (size_t i = 0; i < 5; i++) {
        t[i] = _mm512_permutex2var_epi64(x.low, TABLE(term_64[i] + at), x.high);
        t[i] = _mm512_mask_sub_epi64(t[i], (__mmask8)(minus[i] >> at), zero, t[i]);
    }
    return _mm512_add_epi64(_mm512_add_epi64(_mm512_add_epi64(t[0], t[1]), t[4]),
                            _mm512_add_epi64(t[2], t[3]));
}
JM_INLINE pair fold_64(pair m, pair h) {
    const pair x = xor_of(m, h);
    const pair sum = {folded(x, 0, minus_64), folded(x, 8, minus_64)};
    return sum_of(mixed_64(sum, &of_fold_64), cyclic(h, 1));
}

JM_INLINE pair added_64(pair m, pair h) {
    const __m512i count = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const pair turned = {_mm512_rolv_epi64(m.low, _mm512_add_epi64(count, _mm512_set1_epi64(1))),
                         _mm512_rolv_epi64(m.high, _mm512_add_epi64(count, _mm512_set1_epi64(9)))};
    const __m512i third = _mm512_set1_epi64(0x0555555555555555);
    const pair constant = {
        _mm512_mullo_epi64(_mm512_add_epi64(count, _mm512_set1_epi64(16)), third),
        _mm512_mullo_epi64(_mm512_add_epi64(count, _mm512_set1_epi64(24)), third)};
    const pair sum = sum_of(sum_of(turned, constant), cyclic(turned, 3)), less = cyclic(turned, 10);
    return xor_of(
        (pair){_mm512_sub_epi64(sum.low, less.low), _mm512_sub_epi64(sum.high, less.high)},
        cyclic(h, 7));
}

#define TURN_PAIR(x, r)                                                                            \
    (pair) {                                                                                       \
        _mm512_rol_epi64((x).low, r), _mm512_rol_epi64((x).high, r)                                \
    }
#define SHIFT_PAIR(x, s)                                                                           \
    xor_of(x, (pair){_mm512_srli_epi64((x).low, s), _mm512_srli_epi64((x).high, s)})
JM_INLINE pair contributed_64(pair q) {
    pair sum = sum_of(sum_of(q, behind_0(q, 2)), sum_of(behind_0(q, 4), behind_0(q, 6)));
    sum = sum_of(sum, sum_of(sum_of(behind_0(q, 8), behind_0(q, 10)), behind_0(q, 12)));
    pair turned = sum_of(behind_0(TURN_PAIR(q, 5), 1), behind_0(TURN_PAIR(q, 11), 3));
    turned = sum_of(turned, sum_of(behind_0(TURN_PAIR(q, 27), 5), behind_0(TURN_PAIR(q, 32), 7)));
    turned = sum_of(turned, sum_of(behind_0(TURN_PAIR(q, 37), 9), behind_0(TURN_PAIR(q, 43), 11)));
    turned = sum_of(turned, behind_0(TURN_PAIR(q, 53), 13));
    turned = sum_of(turned, behind_0(SHIFT_PAIR(q, 1), 14));
    return sum_of(sum_of(sum, turned), behind_0(SHIFT_PAIR(q, 2), 15));
}

JM_INLINE void expand_64(uint64_t q[16], const uint64_t sum[16], uint64_t first, uint64_t second) {
    static const uint8_t r[7] = {5, 11, 27, 32, 37, 43, 53};
    uint64_t plain[2] = {0, 0};
    q[0] = first;
    q[1] = second + (first >> 1 ^ first << 3 ^ rotl64(first, 4) ^ rotl64(first, 37));
#pragma GCC unroll 14
    for (size_t i = 2; i < 16; i++) {
        uint64_t total = sum[i];
        if (i >= 4) plain[i % 2] += q[i - 4];
        if (i >= 4) total += plain[i % 2];
#pragma GCC unroll 7
        for (size_t j = 0; j < 7; j++)
            if (i + 2 * j >= 15) total += rotl64(q[i + 2 * j - 15], r[j]);
        total += q[i - 2] >> 1 ^ q[i - 2];
        q[i] = total + (q[i - 1] >> 2 ^ q[i - 1]);
    }
}

JM_INLINE __m512i shifted_64(__m512i x, __m512i left, __m512i right) {
    return _mm512_xor_si512(_mm512_sllv_epi64(x, left), _mm512_srlv_epi64(x, right));
}
#define EIGHT_WORDS(a, b, c, d, e, f, g, h) _mm512_set_epi64(h, g, f, e, d, c, b, a)

JM_INLINE pair unfold_64(pair m, pair q, const uint64_t e[16]) {
    const uint64_t low = e[0] ^ e[1] ^ e[2] ^ e[3] ^ e[4] ^ e[5] ^ e[6] ^ e[7];
    const uint64_t high = low ^ e[8] ^ e[9] ^ e[10] ^ e[11] ^ e[12] ^ e[13] ^ e[14] ^ e[15];
    const __m512i xl = _mm512_set1_epi64((long long)low), xh = _mm512_set1_epi64((long long)high);
    const __m512i e_low =
        EIGHT_WORDS((long long)e[0], (long long)e[1], (long long)e[2], (long long)e[3],
                    (long long)e[4], (long long)e[5], (long long)e[6], (long long)e[7]);
    const __m512i e_high =
        EIGHT_WORDS((long long)e[8], (long long)e[9], (long long)e[10], (long long)e[11],
                    (long long)e[12], (long long)e[13], (long long)e[14], (long long)e[15]);
    const __m512i of_high = shifted_64(xh, EIGHT_WORDS(5, 64, 64, 64, 64, 6, 64, 64),
                                       EIGHT_WORDS(64, 7, 5, 1, 3, 64, 4, 11));
    const __m512i of_word = shifted_64(e_low, EIGHT_WORDS(64, 8, 5, 5, 0, 64, 6, 2),
                                       EIGHT_WORDS(5, 64, 64, 64, 64, 6, 64, 64));
    const __m512i of_low = shifted_64(xl, EIGHT_WORDS(8, 64, 6, 4, 64, 64, 64, 64),
                                      EIGHT_WORDS(64, 6, 64, 64, 3, 4, 7, 2));
    const __m512i first = _mm512_add_epi64(_mm512_ternarylogic_epi64(of_high, of_word, m.low, 0x96),
                                           _mm512_ternarylogic_epi64(xl, e_high, q.low, 0x96));
    const __m512i turned = _mm512_rolv_epi64(_mm512_shuffle_i64x2(first, first, 0x4e),
                                             EIGHT_WORDS(9, 10, 11, 12, 13, 14, 15, 16));
    const __m512i behind = _mm512_alignr_epi64(e_low, e_low, 7);
    const __m512i second = _mm512_add_epi64(
        _mm512_add_epi64(turned, _mm512_ternarylogic_epi64(xh, e_high, m.high, 0x96)),
        _mm512_ternarylogic_epi64(of_low, behind, q.high, 0x96));
    return (pair){first, second};
}

/* The sum of all words. */
JM_INLINE uint64_t total_64(__m512i x) {
    const __m256i half = _mm256_add_epi64(LOW_HALF(x), HIGH_HALF(x));
    const __m128i sum =
        _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)));
}

JM_ONCE void compress_64(uint64_t chain[16], const uint8_t *blocks, size_t count) {
    pair h = {_mm512_loadu_si512(chain), _mm512_loadu_si512(chain + 8)};
    for (; count; count--) {
        _Alignas(64) uint64_t sum[16], e[16];
        const pair m = {_mm512_loadu_si512(blocks), _mm512_loadu_si512(blocks + 64)};
        const pair q = fold_64(m, h), add = added_64(m, h), all = sum_of(add, contributed_64(q));
        _mm512_store_si512(sum, all.low);
        _mm512_store_si512(sum + 8, all.high);
        const pair a = mixed_64(q, &of_first_64), b = mixed_64(q, &of_second_64);
        const __m128i start = _mm512_castsi512_si128(add.low);
        const uint64_t first =
            (uint64_t)_mm_cvtsi128_si64(start) + total_64(_mm512_add_epi64(a.low, a.high));
        const uint64_t second = (uint64_t)_mm_extract_epi64(start, 1) +
                                total_64(_mm512_mask_add_epi64(b.high, 0xfe, b.low, b.high));
        expand_64(e, sum, first, second);
        h = unfold_64(m, q, e);
        blocks += 128;
    }
    _mm512_storeu_si512(chain, h.low);
    _mm512_storeu_si512(chain + 8, h.high);
}

#endif
