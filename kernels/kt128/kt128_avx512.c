/* SPDX-License-Identifier: Apache-2.0
 *
 * KT128 (RFC 9861) with AVX-512.
 *
 * Technique: five to eight chunks of a message in the lanes of 512-bit vectors (kt128_lanes.h), two
 *   to four in the lanes of chunks_avx512_x4.c; all else in general registers.
 * CPU: AVX-512 F, BW, DQ, VL; BMI1 and BMI2.
 * Constant time: rotations and logic only. Its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message of any length.
 */
#if defined(__x86_64__)
#include "lanes/v64_avx512.h"

#include "kt128/kt128_lanes.h"

static void chunks(uint64_t (*values)[KT128_VALUE_WORDS], const uint8_t *message, size_t count,
                   uint64_t *first) {
    if (count > VEC_LANES / 2)
        lanes_chunks(values, message, count, first);
    else
        jm_kt128_chunks_avx512_x4(values, message, count, first);
}

JM_KT128_VARIANT(avx512, JM_CPU_AVX512 | JM_CPU_BMI2, jm_kt128_absorb_bmi2, chunks, VEC_LANES, true,
                 "eight chunks at once in AVX-512 lanes")

#endif
