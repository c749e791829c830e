/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1) in lanes of AVX2 registers, 8 messages at once, for
 * HMAC-SHA-1 in batches.
 *
 * Technique: sha1_lanes.h with one group of eight lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX2; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: up to 8 messages on CPUs with neither AVX-512 nor SHA-NI.
 */
#if defined(__x86_64__)
#define LANES 8
#include "lanes/v32_avx2.h"

#include "sha1/sha1_lanes.h"

JM_SHA1_LANES(avx2_x8, JM_CPU_AVX2 | JM_CPU_BMI2, "AVX2, 8 messages at once")

#endif
