/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 (Aumasson and Bernstein, 2012) with tags of 64 and 128 bits, and SipHash-1-3, in AVX2
 * lanes.
 * Technique: one register for each of v0 to v3, four messages. See siphash_lanes.h.
 * State: that of `portable`. CPU: AVX2, BMI2.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c.
 * Best for: batches of 4 messages without AVX-512. */
#if defined(__x86_64__)
#include "joulemark/kernel.h"

#define LANES 4u
#define SIP_WIDTH 4
#include "siphash/siphash_lanes.h"

#define FEATURES (JM_CPU_AVX2 | JM_CPU_BMI2)

JM_SIPHASH_LANES("siphash-1-3", siphash_1_3, avx2_x4, 1, 3, 8, FEATURES, "AVX2, four messages")
JM_SIPHASH_LANES("siphash-2-4", siphash_2_4, avx2_x4, 2, 4, 8, FEATURES, "AVX2, four messages")
JM_SIPHASH_LANES("siphash-2-4-128", siphash_2_4_128, avx2_x4, 2, 4, 16, FEATURES,
                 "AVX2, four messages")
#else
typedef int jm_siphash_avx2_x4_needs_x86;
#endif
