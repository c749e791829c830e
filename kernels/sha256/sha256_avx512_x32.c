/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2) in lanes of AVX-512 registers, 32 messages at once, for
 * HMAC-SHA-256 in batches.
 *
 * Technique: common/sha2_lanes.h with two groups of sixteen lanes, whose rounds alternate:
 * operations of one round depend on each other; the second group keeps the 512-bit units busy
 * meanwhile. State: word-sliced (word i of all lanes together), and the memory of
 * hmac/hmac_lanes.h. CPU: AVX-512 F, BW, DQ, VL; BMI2. Constant time: straight-line code, no table
 * is indexed by data. Best for: 17 messages or more, of any lengths.
 */
#if defined(__x86_64__)
#define LANES 32
#include "lanes/v32_avx512.h"
#include "sha256/sha256.h"

#include "common/sha2_lanes.h"

JM_SHA256_LANES(avx512_x32, JM_CPU_AVX512 | JM_CPU_BMI2, "AVX-512, 32 messages at once")

#endif
