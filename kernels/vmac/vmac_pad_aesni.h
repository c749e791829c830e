/* SPDX-License-Identifier: Apache-2.0
 * AES-NI for the pads of VMAC (vmac_mac.h). */
#ifndef JM_VMAC_PAD_AESNI_H
#define JM_VMAC_PAD_AESNI_H

#include "aes/aes_one_aesni.h"

#define VMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define vmac_cipher jm_aes128_aesni
#define vmac_encrypt aes128_one_block
#define vmac_store_counter aes_store_words

/* Stack bytes for JM_VMACS: Clang spills more registers beside the rounds of AES for the pad. */
#if defined(__clang__)
enum { VMAC_AESNI_STACK_BYTES = 1024 };
#else
enum { VMAC_AESNI_STACK_BYTES = 640 };
#endif

#endif
