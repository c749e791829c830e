/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) in lanes of AVX-512 registers, 64 messages at once, for HMAC-MD5 in
 * batches.
 *
 * Technique: md5_lanes.h with four groups of sixteen lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX-512 F, BW, DQ, VL; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: 33 messages or more of similar lengths.
 */
#if defined(__x86_64__)
#define LANES 64
#include "lanes/v32_avx512.h"

#include "md5/md5_lanes.h"

JM_MD5_LANES(avx512_x64, JM_CPU_AVX512 | JM_CPU_BMI2, "AVX-512, 64 messages at once")

#endif
