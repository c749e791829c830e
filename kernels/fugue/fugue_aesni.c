/* SPDX-License-Identifier: Apache-2.0
 *
 * Fugue-256 and Fugue-512 (second round of the SHA-3 competition) with AES-NI.
 * Technique: groups of three columns in 128-bit registers (fugue_groups.h). The S-box is AES's last
 *   round, whose ShiftRows the shuffles of the Super-Mix undo; bytes are doubled by addition. CPU:
 *   AES-NI, SSE4.1. Constant time: no table look-up and no branch on data; checked by
 *   tests/native/constant_time.c. Best for: CPUs without GFNI or AVX-512. */
#if defined(__x86_64__)
#include <smmintrin.h>
#include <wmmintrin.h>

#include "common/secret.h"

JM_INLINE __m128i super_mix(__m128i x);

#include "fugue/fugue_groups.h"

/* The place of a byte after ShiftRows, which has moved row r to the left by r columns. */
#define PLACE(column_, row_) (4 * (((column_) + 4 - (row_)) % 4) + (row_))

/* Each byte times x in GF(2^8). */
JM_INLINE __m128i doubled(__m128i bytes) {
    const __m128i carried = _mm_cmpgt_epi8(_mm_setzero_si128(), bytes);
    return add(_mm_add_epi8(bytes, bytes), _mm_and_si128(carried, _mm_set1_epi8(0x1b)));
}

JM_INLINE __m128i super_mix(__m128i x) {
    const __m128i one = _mm_aesenclast_si128(x, _mm_setzero_si128());
    const __m128i two = doubled(one), four = doubled(two), seven = add(add(one, two), four);
    const __m128i sum =
        add(add(_mm_shuffle_epi8(one, OF_ROW(PLACE, 1)), _mm_shuffle_epi8(one, OF_ROW(PLACE, 2))),
            _mm_shuffle_epi8(one, OF_ROW(PLACE, 3)));
    const __m128i sum2 = doubled(sum), sum4 = doubled(sum2);
    /* 1, 7, 4 and 1 times the sum. */
    const __m128i once = add(_mm_blend_epi16(sum, _mm_setzero_si128(), 0x30), lane(1, sum2));
    const __m128i times = add(once, _mm_blend_epi16(_mm_setzero_si128(), sum4, 0x3c));
    const __m128i products = add(
        add(_mm_shuffle_epi8(one, PRODUCT(PLACE, 0)), _mm_shuffle_epi8(four, PRODUCT(PLACE, 1))),
        add(_mm_shuffle_epi8(seven, PRODUCT(PLACE, 2)), _mm_shuffle_epi8(one, PRODUCT(PLACE, 3))));
    return add(products, times);
}

JM_FUGUE_VARIANT(aesni, JM_CPU_AESNI | JM_CPU_SSE41, true, "three columns in a 128-bit register")

#endif
