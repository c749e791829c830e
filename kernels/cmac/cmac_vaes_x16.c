/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B, section 6; RFC 4493) over AES with keys of 128, 192 and 256 bits, and XCBC
 * (RFC 3566), with VAES. Technique: 16 messages, four in each of four AVX-512 registers; a round of
 * all four takes as long as the latency of one. See cmac_aes_lanes.h. State: that of `aesni`. CPU:
 * AES-NI, VAES, AVX-512 (F, BW, DQ, VL), BMI2, SSE4.1. Constant time: as aes_aesni.c. Valgrind
 * (3.19) does not run VAES: tests/native/constant_time_masked_lanes.c checks this source over
 * AES-NI. Best for: batches of 16 messages and more. */
#if defined(__x86_64__)
#include "joulemark/kernel.h"

#define LANES 16u
#include "aes/aes_blocks_vaes.h"
#include "cmac/cmac_aes_lanes.h"

#define FEATURES                                                                                   \
    (JM_CPU_AESNI | JM_CPU_SSE41 | JM_CPU_AVX2 | JM_CPU_BMI2 | JM_CPU_AVX512 | JM_CPU_VAES)

JM_CMAC_AES_LANES(128, vaes_x16, FEATURES, "VAES, 16 messages in four registers")
JM_CMAC_AES_LANES(192, vaes_x16, FEATURES, "VAES, 16 messages in four registers")
JM_CMAC_AES_LANES(256, vaes_x16, FEATURES, "VAES, 16 messages in four registers")
JM_XCBC_AES_LANES(vaes_x16, FEATURES, "VAES, 16 messages in four registers")
#else
typedef int jm_cmac_vaes_x16_needs_x86;
#endif
