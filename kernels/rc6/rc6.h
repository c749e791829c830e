/* SPDX-License-Identifier: Apache-2.0
 *
 * RC6-32/20 with 128-bit keys (Rivest, Robshaw, Sidney and Yin, 1998), encryption direction only.
 * Variants in lanes read the same schedule: the key words in order. */
#ifndef JM_RC6_H
#define JM_RC6_H

#include "joulemark/kernel.h"

#define JM_RC6_ROUNDS 20u
#define JM_RC6_KEY_WORDS (2u * JM_RC6_ROUNDS + 4u)
#define JM_RC6_128_KEY_BYTES 16u

typedef struct {
    uint32_t key[JM_RC6_KEY_WORDS];
} jm_rc6_schedule;

extern const jm_implementation jm_rc6_128_portable;

/* CMAC over RC6, for single messages and in lanes. */
extern const jm_implementation jm_cmac_rc6_128_portable;
extern const jm_implementation jm_cmac_rc6_128_avx2_x8, jm_cmac_rc6_128_avx2_x16;
extern const jm_implementation jm_cmac_rc6_128_avx512_x16, jm_cmac_rc6_128_avx512_x32;

/* The cipher, and CMAC over it. */

#endif
