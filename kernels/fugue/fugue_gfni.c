/* SPDX-License-Identifier: Apache-2.0
 *
 * Fugue-256 and Fugue-512 (second round of the SHA-3 competition) with GFNI.
 * Technique: groups of three columns in 128-bit registers (fugue_groups.h). One instruction is the
 *   S-box times 1, 4 or 7, and seven shuffles bring together the bytes that the Super-Mix adds.
 *   Latency bounds the time: each SMIX needs the SMIX before. CPU: AVX-512 (three-input logic),
 *   GFNI. Constant time: no table and no branch on data; its source is checked by
 *   tests/native/constant_time_instructions.c. Best for: all messages. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "common/secret.h"

JM_INLINE __m128i super_mix(__m128i x);

#include "fugue/fugue_groups.h"

#define PLACE(column_, row_) (4 * (column_) + (row_))

/* The S-box's matrix in the form of VGF2P8AFFINEINVQB, and the matrix times 4 and times 7 in
 * GF(2^8); the constants are 0x63 times 1, 4 and 7. */
JM_INLINE __m128i super_mix(__m128i x) {
    const __m128i one =
        _mm_gf2p8affineinv_epi64_epi8(x, _mm_set1_epi64x((long long)0xf1e3c78f1f3e7cf8), 0x63);
    const __m128i four =
        _mm_gf2p8affineinv_epi64_epi8(x, _mm_set1_epi64x(0x7c84099f43771f3e), 0x97);
    const __m128i seven =
        _mm_gf2p8affineinv_epi64_epi8(x, _mm_set1_epi64x(0x756e2d2f2b565dba), 0x32);
    const __m128i row_sum = _mm_ternarylogic_epi64(_mm_shuffle_epi8(one, OF_ROW(PLACE, 1)),
                                                   _mm_shuffle_epi8(one, OF_ROW(PLACE, 2)),
                                                   _mm_shuffle_epi8(one, OF_ROW(PLACE, 3)), 0x96);
    const __m128i products = _mm_ternarylogic_epi64(
        _mm_shuffle_epi8(one, PRODUCT(PLACE, 0)), _mm_shuffle_epi8(four, PRODUCT(PLACE, 1)),
        _mm_shuffle_epi8(seven, PRODUCT(PLACE, 2)), 0x96);
    const __m128i times = _mm_setr_epi32(0x01010101, 0x07070707, 0x04040404, 0x01010101);
    return _mm_ternarylogic_epi64(products, _mm_shuffle_epi8(one, PRODUCT(PLACE, 3)),
                                  _mm_gf2p8mul_epi8(row_sum, times), 0x96);
}

JM_FUGUE_VARIANT(gfni, JM_CPU_AVX512 | JM_CPU_GFNI, true, "three columns in a 128-bit register")

#endif
