/* SPDX-License-Identifier: Apache-2.0
 *
 * Twofish with keys of 128 and 256 bits (Schneier, Kelsey, Whiting, Wagner, Hall and Ferguson,
 * 1998), encryption direction only. */
#ifndef JM_TWOFISH_H
#define JM_TWOFISH_H

#include "joulemark/kernel.h"

#define JM_TWOFISH_ROUNDS 16u
#define JM_TWOFISH128_KEY_BYTES 16u
#define JM_TWOFISH256_KEY_BYTES 32u

/* `box` is the key-dependent g: table i has the terms that byte i of a word adds to g of the
 * word. */
typedef struct {
    uint32_t box[4][256];
    uint32_t key[2 * JM_TWOFISH_ROUNDS + 8];
} jm_twofish_schedule;

extern const jm_implementation jm_twofish128_portable, jm_twofish256_portable;

/* CMAC over Twofish. */
extern const jm_implementation jm_cmac_twofish128_portable;

/* The ciphers, and CMAC over the cipher with 128-bit keys. */

#endif
