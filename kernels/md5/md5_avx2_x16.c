/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) in lanes of AVX2 registers, 16 messages at once, for HMAC-MD5 in
 * batches.
 *
 * Technique: md5_lanes.h with two groups of eight lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX2; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: 9 to 16 messages, without AVX-512.
 */
#if defined(__x86_64__)
#define LANES 16
#include "lanes/v32_avx2.h"

#include "md5/md5_lanes.h"

JM_MD5_LANES(avx2_x16, JM_CPU_AVX2 | JM_CPU_BMI2, "AVX2, 16 messages at once")

#endif
