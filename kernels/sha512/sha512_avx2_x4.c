/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 (FIPS 180-4, section 6.4) in lanes of AVX2 registers, 4 messages at once, for
 * HMAC-SHA-512 and HMAC-SHA-384 in batches.
 *
 * Technique: common/sha2_lanes.h with one group of four lanes; two groups, in sixteen registers,
 * are no faster. State: word-sliced (word i of all lanes together), and the memory of
 * hmac/hmac_lanes.h. CPU: AVX2; BMI2. Constant time: straight-line code, no table is indexed by
 * data. Best for: batches on CPUs without AVX-512.
 */
#if defined(__x86_64__)
#define LANES 4
#include "lanes/v64_avx2.h"
#include "sha512/sha512.h"

#include "common/sha2_lanes.h"

JM_SHA512_LANES(avx2_x4, JM_CPU_AVX2 | JM_CPU_BMI2, "AVX2, 4 messages at once", portable)

#endif
