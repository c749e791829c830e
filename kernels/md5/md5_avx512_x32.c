/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) in lanes of AVX-512 registers, 32 messages at once, for HMAC-MD5 in
 * batches.
 *
 * Technique: md5_lanes.h with two groups of sixteen lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX-512 F, BW, DQ, VL; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: 17 to 32 messages, and more of very different lengths.
 */
#if defined(__x86_64__)
#define LANES 32
#include "lanes/v32_avx512.h"

#include "md5/md5_lanes.h"

JM_MD5_LANES(avx512_x32, JM_CPU_AVX512 | JM_CPU_BMI2, "AVX-512, 32 messages at once")

#endif
