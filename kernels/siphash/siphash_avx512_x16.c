/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 (Aumasson and Bernstein, 2012) with tags of 64 and 128 bits, and SipHash-1-3, in
 * AVX-512 lanes.
 * Technique: two registers for each of v0 to v3, sixteen messages. See siphash_lanes.h.
 * State: that of `portable`. CPU: AVX-512 (F, BW, DQ, VL), AVX2, BMI2.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time_masked_lanes.c, in plain C, as valgrind (3.19) runs no AVX-512.
 * Best for: batches of 16 messages and more. */
#if defined(__x86_64__)
#include "joulemark/kernel.h"

#define LANES 16u
#define SIP_WIDTH 8
#include "siphash/siphash_lanes.h"

#define FEATURES (JM_CPU_AVX2 | JM_CPU_BMI2 | JM_CPU_AVX512)

JM_SIPHASH_LANES("siphash-1-3", siphash_1_3, avx512_x16, 1, 3, 8, FEATURES,
                 "AVX-512, sixteen messages in two groups")
JM_SIPHASH_LANES("siphash-2-4", siphash_2_4, avx512_x16, 2, 4, 8, FEATURES,
                 "AVX-512, sixteen messages in two groups")
JM_SIPHASH_LANES("siphash-2-4-128", siphash_2_4_128, avx512_x16, 2, 4, 16, FEATURES,
                 "AVX-512, sixteen messages in two groups")
#else
typedef int jm_siphash_avx512_x16_needs_x86;
#endif
