/* SPDX-License-Identifier: Apache-2.0
 * Chaskey (Mouha, Mennink, Van Herrewege, Watanabe, Preneel, Verbauwhede: Chaskey: an efficient MAC
 * algorithm for 32-bit microcontrollers, 2014) of 8, 12 and 16 rounds. */
#ifndef JM_CHASKEY_H
#define JM_CHASKEY_H

#include "joulemark/kernel.h"

enum { CHASKEY_BLOCK_BYTES = 16, CHASKEY_KEY_BYTES = 16, CHASKEY_TAG_BYTES = 16 };

extern const jm_implementation jm_chaskey_8_mcu8, jm_chaskey_12_mcu8, jm_chaskey_lts_mcu8;
extern const jm_implementation jm_chaskey_8_mcu32, jm_chaskey_12_mcu32, jm_chaskey_lts_mcu32;
extern const jm_implementation jm_chaskey_8_portable, jm_chaskey_12_portable;
extern const jm_implementation jm_chaskey_lts_portable;

#endif
