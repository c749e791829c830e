/* SPDX-License-Identifier: Apache-2.0
 * AES-NI for the pads of UMAC (umac_mac.h). */
#ifndef JM_UMAC_PAD_AESNI_H
#define JM_UMAC_PAD_AESNI_H

#include "aes/aes_one_aesni.h"

#define UMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define umac_cipher jm_aes128_aesni
#define umac_encrypt aes128_one_block
#define umac_store_counter aes_store_words

#endif
