/* SPDX-License-Identifier: Apache-2.0
 *
 * Keccak-f[1600] (FIPS 202, section 3) in lanes of AVX-512 registers, 8 messages at once, for
 * HMAC-SHA3-256 and HMAC-SHA3-512 in batches.
 *
 * Technique: keccak_lanes.h.
 * State: word-sliced (word i of all lanes together).
 * CPU: AVX-512 F, BW, DQ, VL; BMI1 and BMI2.
 * Constant time: straight-line code, no table is indexed by data; checked by
 *   tests/native/constant_time_lanes.c, in plain C, as valgrind (3.19) runs no AVX-512.
 * Best for: batches of 3 and more.
 */
#if defined(__x86_64__)
#define LANES 8
#include "lanes/v64_avx512.h"

#include "keccak/keccak_lanes.h"

#define VARIANT "avx512_x8"
#define FEATURES (JM_CPU_AVX512 | JM_CPU_BMI2)
#define NOTE "AVX-512, 8 messages at once"
#define KECCAK_SINGLE jm_keccak_bmi2

JM_KECCAK_LANES(avx512_x8)

#endif
