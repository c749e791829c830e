/* SPDX-License-Identifier: Apache-2.0
 *
 * Blue Midnight Wish's compression function with sixteen 32-bit words in a vector, for
 * bmw_avx512.c. */
#ifndef JM_BMW_32_VECTOR_H
#define JM_BMW_32_VECTOR_H

#include <immintrin.h>

#include "bmw/bmw.h"

#define REPEAT_5(a, b, c, d, e) {a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a}
#define REPEAT_4(a, b, c, d) {a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d}
#define TABLE(table) _mm512_load_si512(table)

/* Shifts and rotations that differ from lane to lane; a shift by 32 gives 0. */
typedef struct {
    uint32_t right[16], left[16], one[16], other[16];
} mixing_32;

/* s0 to s4 in turn; s4 contains x itself as a shift by 0 bits, and two rotations by 0 that
 * cancel. */
static const _Alignas(64) mixing_32 of_fold_32 = {REPEAT_5(1, 1, 2, 2, 1), REPEAT_5(3, 2, 1, 2, 0),
                                                  REPEAT_5(4, 8, 12, 15, 0),
                                                  REPEAT_5(19, 23, 25, 29, 0)};
/* s1, s2, s3, s0 in turn: on word j for the first word of expand1, and on word j + 1 for the
 * second. */
static const _Alignas(64) mixing_32 of_first_32 = {
    REPEAT_4(1, 2, 2, 1), REPEAT_4(2, 1, 2, 3), REPEAT_4(8, 12, 15, 4), REPEAT_4(23, 25, 29, 19)};
static const _Alignas(64) mixing_32 of_second_32 = {
    REPEAT_4(1, 1, 2, 2), REPEAT_4(3, 2, 1, 2), REPEAT_4(4, 8, 12, 15), REPEAT_4(19, 23, 25, 29)};

JM_INLINE __m512i mixed_32(__m512i x, const mixing_32 *by) {
    const __m512i shifts = _mm512_xor_si512(_mm512_srlv_epi32(x, TABLE(by->right)),
                                            _mm512_sllv_epi32(x, TABLE(by->left)));
    return _mm512_ternarylogic_epi32(shifts, _mm512_rolv_epi32(x, TABLE(by->one)),
                                     _mm512_rolv_epi32(x, TABLE(by->other)), 0x96);
}

/* Word i + `by`, cyclic. */
#define AHEAD(x, by) _mm512_alignr_epi32(x, x, by)
/* Word i + `by`, or 0 after the last word. */
#define AHEAD_OR_0(x, by) _mm512_alignr_epi32(_mm512_setzero_si512(), x, by)

/* f0: the five terms of each word. An index below 16 takes a word, an index from 16 on its
 * negative. */
JM_INLINE __m512i fold_32(__m512i m, __m512i h) {
    static const _Alignas(64) uint32_t term[5][16] = {
        {5, 6, 0, 0, 1, 3, 4, 1, 2, 0, 8, 8, 1, 2, 3, 12},
        {23, 24, 7, 17, 2, 18, 16, 20, 21, 19, 17, 16, 3, 4, 21, 20},
        {10, 11, 9, 8, 9, 10, 19, 21, 22, 6, 20, 18, 22, 7, 8, 22},
        {13, 14, 28, 26, 27, 28, 27, 28, 13, 23, 23, 21, 25, 10, 27, 25},
        {14, 31, 15, 13, 30, 15, 13, 30, 31, 14, 15, 9, 10, 11, 28, 13},
    };
    const __m512i x = _mm512_xor_si512(m, h), minus = _mm512_sub_epi32(_mm512_setzero_si512(), x);
    __m512i t[5];
#pragma GCC unroll 5
    for (size_t i = 0; i < 5; i++) t[i] = _mm512_permutex2var_epi32(x, TABLE(term[i]), minus);
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(_mm512_add_epi32(t[0], t[1]), t[4]),
                                         _mm512_add_epi32(t[2], t[3]));
    return _mm512_add_epi32(mixed_32(sum, &of_fold_32), AHEAD(h, 1));
}

/* AddElement of all sixteen words. */
JM_INLINE __m512i added_32(__m512i m, __m512i h) {
    const __m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i turned = _mm512_rolv_epi32(m, _mm512_add_epi32(count, _mm512_set1_epi32(1)));
    const __m512i constant = _mm512_mullo_epi32(_mm512_add_epi32(count, _mm512_set1_epi32(16)),
                                                _mm512_set1_epi32(0x05555555));
    const __m512i sum = _mm512_sub_epi32(
        _mm512_add_epi32(_mm512_add_epi32(turned, constant), AHEAD(turned, 3)), AHEAD(turned, 10));
    return _mm512_xor_si512(sum, AHEAD(h, 7));
}

/* The terms that the words of f0 contribute to the words of expand2. */
JM_INLINE __m512i contributed_32(__m512i q) {
    const __m512i s4 = _mm512_xor_si512(q, _mm512_srli_epi32(q, 1));
    const __m512i s5 = _mm512_xor_si512(q, _mm512_srli_epi32(q, 2));
#define TURNED(k, r) AHEAD_OR_0(_mm512_rol_epi32(q, r), k)
    __m512i a = _mm512_add_epi32(q, AHEAD_OR_0(q, 2)), b = TURNED(1, 3), c = TURNED(3, 7);
    __m512i d = _mm512_add_epi32(AHEAD_OR_0(q, 4), AHEAD_OR_0(q, 6));
    a = _mm512_add_epi32(a, AHEAD_OR_0(q, 8));
    d = _mm512_add_epi32(d, AHEAD_OR_0(q, 10));
    a = _mm512_add_epi32(a, AHEAD_OR_0(q, 12));
    b = _mm512_add_epi32(b, TURNED(5, 13));
    c = _mm512_add_epi32(c, TURNED(7, 16));
    b = _mm512_add_epi32(b, TURNED(9, 19));
    c = _mm512_add_epi32(c, TURNED(11, 23));
    b = _mm512_add_epi32(b, TURNED(13, 27));
    d = _mm512_add_epi32(d, AHEAD_OR_0(s4, 14));
    c = _mm512_add_epi32(c, AHEAD_OR_0(s5, 15));
    return _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
}

JM_INLINE uint32_t s0_32(uint32_t x) {
    return x >> 1 ^ x << 3 ^ rotl32(x, 4) ^ rotl32(x, 19);
}

/* The sixteen words of f1; `sum` has the terms that do not depend on them. */
JM_INLINE void expand_32(uint32_t q[16], const uint32_t sum[16], uint32_t first, uint32_t second) {
    static const uint8_t r[7] = {3, 7, 13, 16, 19, 23, 27};
    uint32_t plain[2] = {0, 0};
    q[0] = first;
    q[1] = second + s0_32(first);
#pragma GCC unroll 14
    for (size_t i = 2; i < 16; i++) {
        uint32_t total = sum[i];
        if (i >= 4) plain[i % 2] += q[i - 4];
        if (i >= 4) total += plain[i % 2];
#pragma GCC unroll 7
        for (size_t j = 0; j < 7; j++)
            if (i + 2 * j >= 15) total += rotl32(q[i + 2 * j - 15], r[j]);
        total += q[i - 2] >> 1 ^ q[i - 2];
        q[i] = total + (q[i - 1] >> 2 ^ q[i - 1]);
    }
}

JM_INLINE __m256i shifted_32(__m256i x, __m256i left, __m256i right) {
    return _mm256_xor_si256(_mm256_sllv_epi32(x, left), _mm256_srlv_epi32(x, right));
}
#define EIGHT(a, b, c, d, e, f, g, h) _mm256_set_epi32(h, g, f, e, d, c, b, a)
#define LOW_HALF(x) _mm512_castsi512_si256(x)
#define HIGH_HALF(x) _mm512_extracti64x4_epi64(x, 1)

/* f2. */
JM_INLINE __m512i unfold_32(__m512i m, __m512i q, const uint32_t e[16]) {
    const uint32_t low = e[0] ^ e[1] ^ e[2] ^ e[3] ^ e[4] ^ e[5] ^ e[6] ^ e[7];
    const uint32_t high = low ^ e[8] ^ e[9] ^ e[10] ^ e[11] ^ e[12] ^ e[13] ^ e[14] ^ e[15];
    const __m256i xl = _mm256_set1_epi32((int)low), xh = _mm256_set1_epi32((int)high);
    const __m256i e_low = EIGHT((int)e[0], (int)e[1], (int)e[2], (int)e[3], (int)e[4], (int)e[5],
                                (int)e[6], (int)e[7]);
    const __m256i e_high = EIGHT((int)e[8], (int)e[9], (int)e[10], (int)e[11], (int)e[12],
                                 (int)e[13], (int)e[14], (int)e[15]);
    const __m256i of_high =
        shifted_32(xh, EIGHT(5, 32, 32, 32, 32, 6, 32, 32), EIGHT(32, 7, 5, 1, 3, 32, 4, 11));
    const __m256i of_word =
        shifted_32(e_low, EIGHT(32, 8, 5, 5, 0, 32, 6, 2), EIGHT(5, 32, 32, 32, 32, 6, 32, 32));
    const __m256i of_low =
        shifted_32(xl, EIGHT(8, 32, 6, 4, 32, 32, 32, 32), EIGHT(32, 6, 32, 32, 3, 4, 7, 2));
    const __m256i first =
        _mm256_add_epi32(_mm256_ternarylogic_epi32(of_high, of_word, LOW_HALF(m), 0x96),
                         _mm256_ternarylogic_epi32(xl, e_high, LOW_HALF(q), 0x96));
    const __m256i turned = _mm256_rolv_epi32(_mm256_permute4x64_epi64(first, 0x4e),
                                             EIGHT(9, 10, 11, 12, 13, 14, 15, 16));
    const __m256i behind = _mm256_alignr_epi32(e_low, e_low, 7);
    const __m256i second = _mm256_add_epi32(
        _mm256_add_epi32(turned, _mm256_ternarylogic_epi32(xh, e_high, HIGH_HALF(m), 0x96)),
        _mm256_ternarylogic_epi32(of_low, behind, HIGH_HALF(q), 0x96));
    return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

/* The sum of all words. (The intrinsic of GCC 12 adds signed numbers, which may not overflow.) */
JM_INLINE uint32_t total_32(__m512i x) {
    const __m256i half = _mm256_add_epi32(LOW_HALF(x), HIGH_HALF(x));
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(sum);
}

JM_ONCE void compress_32(uint32_t chain[16], const uint8_t *blocks, size_t count) {
    __m512i h = _mm512_loadu_si512(chain);
    for (; count; count--) {
        _Alignas(64) uint32_t sum[16], e[16];
        const __m512i m = _mm512_loadu_si512(blocks), q = fold_32(m, h), add = added_32(m, h);
        _mm512_store_si512(sum, _mm512_add_epi32(add, contributed_32(q)));
        const uint32_t add_first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(add));
        const uint32_t add_second = (uint32_t)_mm_extract_epi32(_mm512_castsi512_si128(add), 1);
        const uint32_t first = add_first + total_32(mixed_32(q, &of_first_32));
        const uint32_t second =
            add_second + total_32(_mm512_maskz_mov_epi32(0xfffe, mixed_32(q, &of_second_32)));
        expand_32(e, sum, first, second);
        h = unfold_32(m, q, e);
        blocks += 64;
    }
    _mm512_storeu_si512(chain, h);
}

#endif
