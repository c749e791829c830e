/* SPDX-License-Identifier: Apache-2.0
 *
 * Shabal (Bresson, Canteaut, Chevallier-Mames, Clavier, Fuhr, Gouget, Icart, Misarsky,
 * Naya-Plasencia, Paillier, Pornin, Reinhard, Thuillet, Videau: "Shabal, a Submission to NIST's
 * Cryptographic Hash Algorithm Competition", second round of 2009). */
#ifndef JM_SHABAL_H
#define JM_SHABAL_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { SHABAL_A_WORDS = 12, SHABAL_WORDS = 16, SHABAL_BLOCK_BYTES = 64 };

typedef struct {
    uint32_t a[SHABAL_A_WORDS], b[SHABAL_WORDS], c[SHABAL_WORDS];
    uint64_t counter; /* of the next block, from 1 */
} shabal_chain;

extern const jm_implementation jm_shabal_256_portable, jm_shabal_512_portable;

#endif
