/* SPDX-License-Identifier: Apache-2.0
 *
 * SHACAL-1 and SHACAL-2 (Handschuh and Naccache, submissions to NESSIE, 2001), encryption direction
 * only, and CMAC over them: the compression functions of SHA-1 and SHA-256 (FIPS 180-4,
 * sections 6.1.2 and 6.2.2) without the addition of the chaining value at their end. The block is
 * the chaining value, big-endian, and the key is the message block: 16 to 64 bytes, filled up with
 * zeros. So a key and the same key followed by zeros are equivalent. */
#ifndef JM_SHACAL_H
#define JM_SHACAL_H

#include "joulemark/kernel.h"

#define JM_SHACAL_KEY_BYTES_MIN 16u
#define JM_SHACAL_KEY_BYTES_MAX 64u
#define JM_SHACAL1_BLOCK_BYTES 20u
#define JM_SHACAL2_BLOCK_BYTES 32u

extern const jm_implementation jm_shacal1_mcu8, jm_cmac_shacal1_mcu8;
extern const jm_implementation jm_shacal1_portable, jm_cmac_shacal1_portable;
extern const jm_implementation jm_shacal2_portable, jm_cmac_shacal2_portable;
extern const jm_implementation jm_shacal1_shani, jm_cmac_shacal1_shani;
extern const jm_implementation jm_shacal2_shani, jm_cmac_shacal2_shani;

#endif
