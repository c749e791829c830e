/* SPDX-License-Identifier: Apache-2.0
 * VMAC over AES-128 (draft-krovetz-vmac-01), with tags of 64 and of 128 bits. Each message needs
 * another nonce under a key; the draft takes nonces of up to 127 bits, these functions 1 to 15
 * bytes; eight are the usual length (that of the draft's test vectors). */
#ifndef JM_VMAC_H
#define JM_VMAC_H

#include "joulemark/kernel.h"

#define JM_VMAC_KEY_BYTES 16u
#define JM_VMAC_NONCE_BYTES 8u
#define JM_VMAC_NONCE_BYTES_MAX 15u
#define JM_VMAC_BLOCK_BYTES 128u /* L1KEYLEN */
#define JM_VMAC_64_TAG_BYTES 8u
#define JM_VMAC_128_TAG_BYTES 16u

extern const jm_implementation jm_vmac_64_portable, jm_vmac_128_portable;
extern const jm_implementation jm_vmac_64_aesni_bmi2, jm_vmac_128_aesni_bmi2;
extern const jm_implementation jm_vmac_64_aesni_avx512ifma, jm_vmac_128_aesni_avx512ifma;

#endif
