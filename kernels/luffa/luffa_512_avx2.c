/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa-512 (specification version 2.0, sections 3 and 4) with AVX2.
 *
 * Technique: five sub-permutations in five lanes of 32 bits. One message.
 * State: eight vectors of 256 bits, one for each word.
 * CPU: AVX2.
 * Constant time: logic, shifts and shuffles with constants only; checked by
 * tests/native/constant_time.c.
 * Best for: x86-64 CPUs without AVX-512.
 */
#if defined(__x86_64__)

#include "luffa/luffa_512_vectors.h"
#include "luffa/luffa_logic.h"

#define VARIANT avx2
#define FEATURES (JM_CPU_AVX2 | JM_CPU_BMI2)
#define CONSTANT_TIME true
#define NOTE "AVX2, sub-permutations in lanes"

#define AND(a, b) _mm256_and_si256(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define ONES _mm256_set1_epi32(-1)
#define XOR3(a, b, c) XOR(XOR(b, c), a)
#define ROTL(x, count) OR(_mm256_slli_epi32(x, count), _mm256_srli_epi32(x, 32 - (count)))
#define TWEAK(x)                                                                                   \
    OR(_mm256_sllv_epi32(x, _mm256_setr_epi32(0, 1, 2, 3, 4, 0, 0, 0)),                            \
       _mm256_srlv_epi32(x, _mm256_setr_epi32(32, 31, 30, 29, 28, 0, 0, 0)))

/* Transposes one half of four rows of eight words into the lower halves of four vectors. */
#define TRANSPOSE(m, a, b, c, d, half)                                                             \
    do {                                                                                           \
        const __m128i ra = _mm256_extracti128_si256(a, half);                                      \
        const __m128i rb = _mm256_extracti128_si256(b, half);                                      \
        const __m128i rc = _mm256_extracti128_si256(c, half);                                      \
        const __m128i rd = _mm256_extracti128_si256(d, half);                                      \
        const __m128i ab = _mm_unpacklo_epi32(ra, rb), ab_high = _mm_unpackhi_epi32(ra, rb);       \
        const __m128i cd = _mm_unpacklo_epi32(rc, rd), cd_high = _mm_unpackhi_epi32(rc, rd);       \
        (m)[0] = _mm256_castsi128_si256(_mm_unpacklo_epi64(ab, cd));                               \
        (m)[1] = _mm256_castsi128_si256(_mm_unpackhi_epi64(ab, cd));                               \
        (m)[2] = _mm256_castsi128_si256(_mm_unpacklo_epi64(ab_high, cd_high));                     \
        (m)[3] = _mm256_castsi128_si256(_mm_unpackhi_epi64(ab_high, cd_high));                     \
    } while (0)

#define SPREAD(m, block)                                                                           \
    do {                                                                                           \
        const __m256i m0 = MESSAGE(block), m1 = TWICE(m0), m2 = TWICE(m1), m3 = TWICE(m2);         \
        const __m256i m4 = TWICE(m3);                                                              \
        TRANSPOSE(m, m0, m1, m2, m3, 0);                                                           \
        TRANSPOSE((m) + 4, m0, m1, m2, m3, 1);                                                     \
        for (int k = 0; k < LUFFA_WORDS; k++)                                                      \
            (m)[k] = _mm256_blend_epi32(                                                           \
                (m)[k], _mm256_permutevar8x32_epi32(m4, _mm256_set1_epi32(k)), 0xf0);              \
    } while (0)

#include "luffa/luffa_lanes.h"

#endif
