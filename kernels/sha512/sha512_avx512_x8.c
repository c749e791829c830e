/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 (FIPS 180-4, section 6.4) in lanes of AVX-512 registers, 8 messages at once, for
 * HMAC-SHA-512 and HMAC-SHA-384 in batches.
 *
 * Technique: common/sha2_lanes.h with one group of eight lanes.
 * State: word-sliced (word i of all lanes together), and the memory of hmac/hmac_lanes.h.
 * CPU: AVX-512 F, BW, DQ, VL; BMI2.
 * Constant time: straight-line code, no table is indexed by data.
 * Best for: batches of about 4 to 8.
 */
#if defined(__x86_64__)
#define LANES 8
#include "lanes/v64_avx512.h"
#include "sha512/sha512.h"

#include "common/sha2_lanes.h"

JM_SHA512_LANES(avx512_x8, JM_CPU_AVX512 | JM_CPU_BMI2, "AVX-512, 8 messages at once", avx512)

#endif
