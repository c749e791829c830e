/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3 with AVX2.
 *
 * Technique: two to eight chunks of a message, or parents of its tree, in the lanes of 256-bit
 *   vectors; single blocks in general registers.
 * CPU: AVX2, BMI2.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: messages of more than 2 KiB, without AVX-512.
 */
#if defined(__x86_64__)
#include "lanes/v32_avx2.h"

#include "blake3/blake3_compress.h"
#include "blake3/blake3_keyed.h"
#include "blake3/blake3_lanes.h"

void jm_blake3_chunks_avx2(const blake3_mode *mode, uint32_t (*chains)[8], const uint8_t *message,
                           size_t count, uint64_t first) {
    lanes_chunks(mode, chains, message, count, first);
}

JM_BLAKE3_VARIANT(avx2, JM_CPU_AVX2 | JM_CPU_BMI2, jm_blake3_chunks_avx2, lanes_parents, VEC_LANES,
                  true, "eight chunks at once in AVX2 lanes")
JM_BLAKE3_KEYED(avx2, JM_CPU_AVX2 | JM_CPU_BMI2, true, "eight chunks at once in AVX2 lanes")
#endif
