/* SPDX-License-Identifier: Apache-2.0
 *
 * Serpent with keys of 128 and 256 bits (Anderson, Biham and Knudsen, 1998), encryption direction
 * only, with bytes in the order of NESSIE's vectors. */
#ifndef JM_SERPENT_H
#define JM_SERPENT_H

#include "joulemark/kernel.h"

#define JM_SERPENT_ROUNDS 32u
#define JM_SERPENT128_KEY_BYTES 16u
#define JM_SERPENT256_KEY_BYTES 32u

/* Round keys: those of the specification, with the complements that the circuits of the S-boxes
 * leave out. Variants in lanes use the same. */
enum { JM_SERPENT_KEY_WORDS = 4 * (JM_SERPENT_ROUNDS + 1) };
typedef struct {
    uint32_t key[JM_SERPENT_KEY_WORDS];
} jm_serpent_schedule;

extern const jm_implementation jm_serpent128_portable, jm_serpent256_portable;

/* CMAC over Serpent, for single messages and in lanes. */
extern const jm_implementation jm_cmac_serpent128_portable;
extern const jm_implementation jm_cmac_serpent128_avx2_x8, jm_cmac_serpent128_avx2_x16;
extern const jm_implementation jm_cmac_serpent128_avx512_x16, jm_cmac_serpent128_avx512_x32;

/* The ciphers, and CMAC over the cipher with 128-bit keys. */

#endif
