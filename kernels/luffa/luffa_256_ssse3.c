/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa-256 (specification version 2.0, sections 3 and 4) with SSSE3.
 *
 * Technique: three sub-permutations in three lanes of 32 bits. One message.
 * State: eight vectors, one for each word.
 * CPU: SSSE3.
 * Constant time: logic, shifts and shuffles with constants only; checked by
 * tests/native/constant_time.c.
 * Best for: x86-64 CPUs without AVX-512.
 */
#if defined(__x86_64__)

#include "luffa/luffa_256_vectors.h"
#include "luffa/luffa_logic.h"

#define VARIANT ssse3
#define FEATURES JM_CPU_SSSE3
#define CONSTANT_TIME true
#define NOTE "SSSE3, sub-permutations in lanes"

#define AND(a, b) _mm_and_si128(a, b)
#define OR(a, b) _mm_or_si128(a, b)
#define ONES _mm_set1_epi32(-1)
#define XOR3(a, b, c) XOR(XOR(b, c), a)
#define ROTL(x, count) OR(_mm_slli_epi32(x, count), _mm_srli_epi32(x, 32 - (count)))
/* SSSE3 has no shifts by another count in each lane: lane 1 is taken from x rotated by 1, lane 2
 * from x rotated by 2. */
#define TWEAK(x)                                                                                   \
    OR(AND(x, _mm_setr_epi32(-1, 0, 0, 0)), OR(AND(ROTL(x, 1), _mm_setr_epi32(0, -1, 0, 0)),       \
                                               AND(ROTL(x, 2), _mm_setr_epi32(0, 0, -1, 0))))

#include "luffa/luffa_lanes.h"

#endif
