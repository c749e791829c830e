/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B, section 6) over RC6 for a batch of messages.
 * Technique: sixteen messages, two registers for each of the four words. See
 *   rc6_lanes.h.
 * State: that of `portable`. CPU: AVX2, BMI2.
 * Constant time: as rc6_portable.c; checked by tests/native/constant_time.c.
 * Best for: larger batches on CPUs without AVX-512. */
#if defined(__x86_64__)
#include "joulemark/kernel.h"

#define LANES 16u
#include "lanes/v32_avx2.h"

#include "rc6/rc6_lanes.h"

JM_RC6_LANES(avx2_x16, JM_CPU_AVX2 | JM_CPU_BMI2, "AVX2, sixteen messages in two vectors a word")
#else
typedef int jm_rc6_avx2_x16_needs_x86;
#endif
