/* SPDX-License-Identifier: Apache-2.0
 *
 * KT128 (RFC 9861) with AVX2.
 *
 * Technique: two to four chunks of a message in the lanes of 256-bit vectors (kt128_lanes.h); all
 *   else in general registers.
 * CPU: AVX2; BMI1 and BMI2.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: messages of 16 KiB and more, without AVX-512.
 */
#if defined(__x86_64__)
#include "lanes/v64_avx2.h"

#include "kt128/kt128_lanes.h"

JM_KT128_VARIANT(avx2, JM_CPU_AVX2 | JM_CPU_BMI2, jm_kt128_absorb_bmi2, lanes_chunks, VEC_LANES,
                 true, "four chunks at once in AVX2 lanes")

#endif
