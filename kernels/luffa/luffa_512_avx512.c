/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa-512 (specification version 2.0, sections 3 and 4) with AVX-512VL.
 *
 * Technique: five sub-permutations in five lanes of 32 bits; instructions with three inputs. One
 * message.
 * State: eight vectors of 256 bits, one for each word.
 * CPU: AVX-512 (F, BW, DQ, VL).
 * Constant time: logic, rotations and shuffles with constants only; its source is checked by
 * tests/native/constant_time_instructions.c. Best for: CPUs with AVX-512.
 */
#if defined(__x86_64__)

#include "luffa/luffa_512_vectors.h"
#include "luffa/luffa_ternary.h"

#define VARIANT avx512
#define FEATURES JM_CPU_AVX512
#define CONSTANT_TIME true
#define NOTE "AVX-512, sub-permutations in lanes"

#define TERNARY(a, b, c, table) _mm256_ternarylogic_epi32(a, b, c, table)
#define XOR3(a, b, c) TERNARY(a, b, c, 0x96)
#define ROTL(x, count) _mm256_rol_epi32(x, count)
#define TWEAK(x) _mm256_rolv_epi32(x, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))

/* Puts words k and k + 1 of rows 0 to 3 in lanes 0 to 3 of the two halves, and those of row 4 in
 * lane 4. */
#define SPREAD_TWO(m, k)                                                                           \
    do {                                                                                           \
        const __m512i four = _mm512_setr_epi32(k, k + 8, k + 16, k + 24, 0, 0, 0, 0, k + 1, k + 9, \
                                               k + 17, k + 25, 0, 0, 0, 0);                        \
        const __m512i one = _mm512_setr_epi32(0, 0, 0, 0, k, 0, 0, 0, 0, 0, 0, 0, k + 1, 0, 0, 0); \
        const __m512i two = _mm512_mask_permutexvar_epi32(                                         \
            _mm512_permutex2var_epi32(m01, four, m23), 0x1010, one, _mm512_castsi256_si512(m4));   \
        (m)[k] = _mm512_castsi512_si256(two);                                                      \
        (m)[(k) + 1] = _mm512_extracti64x4_epi64(two, 1);                                          \
    } while (0)

#define SPREAD(m, block)                                                                           \
    do {                                                                                           \
        const __m256i m0 = MESSAGE(block), m1 = TWICE(m0), m2 = TWICE(m1), m3 = TWICE(m2);         \
        const __m256i m4 = TWICE(m3);                                                              \
        const __m512i m01 = _mm512_inserti64x4(_mm512_castsi256_si512(m0), m1, 1);                 \
        const __m512i m23 = _mm512_inserti64x4(_mm512_castsi256_si512(m2), m3, 1);                 \
        SPREAD_TWO(m, 0);                                                                          \
        SPREAD_TWO(m, 2);                                                                          \
        SPREAD_TWO(m, 4);                                                                          \
        SPREAD_TWO(m, 6);                                                                          \
    } while (0)

#include "luffa/luffa_lanes.h"

#endif
