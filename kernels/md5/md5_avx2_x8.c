/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) in lanes of AVX2 registers, 8 messages at once, for HMAC-MD5 in
 * batches.
 *
 * Technique: md5_lanes.h with one group of eight lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX2; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: up to 8 messages, without AVX-512.
 */
#if defined(__x86_64__)
#define LANES 8
#include "lanes/v32_avx2.h"

#include "md5/md5_lanes.h"

JM_MD5_LANES(avx2_x8, JM_CPU_AVX2 | JM_CPU_BMI2, "AVX2, 8 messages at once")

#endif
