/* SPDX-License-Identifier: Apache-2.0
 *
 * Keccak-f[1600] (FIPS 202, section 3) in lanes of AVX2 registers, 4 messages at once, for
 * HMAC-SHA3-256 and HMAC-SHA3-512 in batches.
 *
 * Technique: keccak_lanes.h.
 * State: word-sliced (word i of all lanes together).
 * CPU: AVX2; BMI1 and BMI2.
 * Constant time: straight-line code, no table is indexed by data; checked by
 * tests/native/constant_time.c. Best for: batches, without AVX-512.
 */
#if defined(__x86_64__)
#define LANES 4
#include "lanes/v64_avx2.h"

#include "keccak/keccak_lanes.h"

#define VARIANT "avx2_x4"
#define FEATURES (JM_CPU_AVX2 | JM_CPU_BMI2)
#define NOTE "AVX2, 4 messages at once"
#define KECCAK_SINGLE jm_keccak_bmi2

JM_KECCAK_LANES(avx2_x4)

#endif
