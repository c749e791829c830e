/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B, section 6) over Serpent for a batch of messages.
 * Technique: sixteen messages, one register for each of the four words, which are bit slices
 *   already. See serpent_lanes.h.
 * State: that of `portable`. CPU: AVX-512 (F, BW, DQ, VL), AVX2, BMI2.
 * Constant time: as serpent_portable.c; its source is checked by
 *   tests/native/constant_time_masked_lanes.c, in plain C, as valgrind (3.19) runs no AVX-512.
 * Best for: batches of up to 16 messages. */
#if defined(__x86_64__)
#include "joulemark/kernel.h"

#define LANES 16u
#include "lanes/v32_avx512.h"

#include "serpent/serpent_lanes.h"

JM_SERPENT_LANES(avx512_x16, JM_CPU_AVX2 | JM_CPU_BMI2 | JM_CPU_AVX512,
                 "AVX-512, sixteen messages in one vector a word")
#else
typedef int jm_serpent_avx512_x16_needs_x86;
#endif
