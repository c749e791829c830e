/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305-AES (aes_nonce.h) with AES-NI over each variant of Poly1305 except `portable` and those
 * for microcontrollers. The CPU executes the rounds of AES beside the first blocks of the message.
 * State layout: as in aes_nonce_portable.c. CPU features: AES-NI, SSE4.1 and those of the variant.
 * Constant time: as that variant; checked by tests/native/constant_time.c, over
 * AVX-512 by constant_time_instructions.c. Best for: what the variant is best for. */
#if defined(__x86_64__)
#include "aes/aes_one_aesni.h"

#define POLY1305_AES_LAYOUT "aesni"
#define POLY1305_AES_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define poly1305_aes_cipher jm_aes128_aesni
#define poly1305_aes_encrypt aes128_one_block
enum { STACK_BYTES = 256 };

#include "poly1305/aes_nonce.h"

#define FEATURES (JM_CPU_AESNI | JM_CPU_SSE41 | JM_CPU_BMI2)
JM_POLY1305_AES(bmi2, FEATURES, true, "Poly1305 with MULX, AES instructions for the nonce.");
JM_POLY1305_AES(avx2, FEATURES | JM_CPU_AVX2, true,
                "Poly1305 with VPMULUDQ, AES instructions for the nonce.");
JM_POLY1305_AES(avx512ifma, FEATURES | JM_CPU_AVX512 | JM_CPU_IFMA, true,
                "Poly1305 with VPMADD52, AES instructions for the nonce.");
#else
typedef int jm_poly1305_aes_aesni_bmi2_needs_x86_64;
#endif
