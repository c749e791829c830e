/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa-256 (specification version 2.0, sections 3 and 4) with AVX-512VL.
 *
 * Technique: three sub-permutations in three lanes of 32 bits; instructions with three inputs. One
 * message.
 * State: eight vectors of 128 bits, one for each word.
 * CPU: AVX-512 (F, BW, DQ, VL).
 * Constant time: logic, rotations and shuffles with constants only; its source is checked by
 * tests/native/constant_time_instructions.c. Best for: CPUs with AVX-512.
 */
#if defined(__x86_64__)

#include <immintrin.h>

#include "luffa/luffa_256_vectors.h"
#include "luffa/luffa_ternary.h"

#define VARIANT avx512
#define FEATURES JM_CPU_AVX512
#define CONSTANT_TIME true
#define NOTE "AVX-512, sub-permutations in lanes"

#define TERNARY(a, b, c, table) _mm_ternarylogic_epi32(a, b, c, table)
#define XOR3(a, b, c) TERNARY(a, b, c, 0x96)
#define ROTL(x, count) _mm_rol_epi32(x, count)
#define TWEAK(x) _mm_rolv_epi32(x, _mm_setr_epi32(0, 1, 2, 3))

#include "luffa/luffa_lanes.h"

#endif
