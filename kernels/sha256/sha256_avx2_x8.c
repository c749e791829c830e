/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2) in lanes of AVX2 registers, 8 messages at once, for
 * HMAC-SHA-256 in batches.
 *
 * Technique: common/sha2_lanes.h with one group of eight lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX2; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: batches on CPUs with neither AVX-512 nor SHA-NI.
 */
#if defined(__x86_64__)
#define LANES 8
#include "lanes/v32_avx2.h"
#include "sha256/sha256.h"

#include "common/sha2_lanes.h"

JM_SHA256_LANES(avx2_x8, JM_CPU_AVX2 | JM_CPU_BMI2, "AVX2, 8 messages at once")

#endif
