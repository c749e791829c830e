/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B, section 6; RFC 4493) over AES with keys of 128, 192 and 256 bits, and XCBC
 * (RFC 3566), with AES-NI. Technique: eight messages, each in its own SSE register; a round of all
 * eight takes as long as the latency of one, or little more. See cmac_aes_lanes.h. State: that of
 * `aesni`. CPU: AES-NI, SSE4.1. Constant time: as aes_aesni.c; its instructions run under valgrind:
 * tests/native/constant_time.c. Best for: batches on CPUs without VAES or AVX-512, and batches of 2
 * to 8 messages. */
#if defined(__x86_64__)
#include "joulemark/kernel.h"

#define LANES 8u
#include "aes/aes_blocks_aesni.h"
#include "cmac/cmac_aes_lanes.h"

#define FEATURES (JM_CPU_AESNI | JM_CPU_SSE41)

JM_CMAC_AES_LANES(128, aesni_x8, FEATURES, "AES-NI, eight messages in eight registers")
JM_CMAC_AES_LANES(192, aesni_x8, FEATURES, "AES-NI, eight messages in eight registers")
JM_CMAC_AES_LANES(256, aesni_x8, FEATURES, "AES-NI, eight messages in eight registers")
JM_XCBC_AES_LANES(aesni_x8, FEATURES, "AES-NI, eight messages in eight registers")
#else
typedef int jm_cmac_aesni_x8_needs_x86;
#endif
