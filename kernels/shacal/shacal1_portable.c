/* SPDX-License-Identifier: Apache-2.0
 *
 * SHACAL-1 (Handschuh and Naccache) and CMAC over it in portable C.
 * Technique: the rounds of SHA-1 (sha1/sha1_rounds.h) over a schedule that set_key has made.
 * State layout: a schedule is W[0] to W[79]; a block is the words a to e.
 * CPU features: none.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 *   Functions have an outer and an inner half (common/secret.h).
 * Best for: CPUs without SHA instructions. */
#include "shacal/shacal.h"

#define WORD(t) word[t]
#include "sha1/sha1_rounds.h"

enum { SET_STACK_BYTES = 448, STACK_BYTES = 1344, CMAC_STACK_BYTES = 896 };

typedef struct {
    uint32_t word[80];
} shacal1_schedule;

typedef struct {
    uint32_t word[5];
} shacal1_block;

JM_INLINE void shacal1_expand(shacal1_schedule *to, const uint8_t key[64]) {
    uint32_t w[16];
    for (size_t t = 0; t < 16; t++) to->word[t] = w[t] = load_be32(key + 4 * t);
    for (size_t t = 16; t < 80; t++) to->word[t] = next_word(w, t);
    jm_wipe(w, sizeof w);
}

JM_INLINE shacal1_block shacal1_load(const uint8_t *from) {
    shacal1_block block;
    for (size_t i = 0; i < 5; i++) block.word[i] = load_be32(from + 4 * i);
    return block;
}

JM_INLINE void shacal1_store(uint8_t *to, const shacal1_block *block) {
    for (size_t i = 0; i < 5; i++) store_be32(to + 4 * i, block->word[i]);
}

JM_INLINE void shacal1_add(shacal1_block *to, const shacal1_block *block) {
    for (size_t i = 0; i < 5; i++) to->word[i] ^= block->word[i];
}

JM_INLINE void shacal1_encrypt(const shacal1_schedule *schedule, shacal1_block *block) {
    const uint32_t *const word = schedule->word;
    uint32_t a = block->word[0], b = block->word[1], c = block->word[2], d = block->word[3];
    uint32_t e = block->word[4];
    EIGHTY_ROUNDS;
    *block = (shacal1_block){{a, b, c, d, e}};
}

#define NOTE "the rounds of SHA-1 in portable C"
JM_SHACAL_CIPHER(shacal1, "shacal1", portable, 0, JM_SHACAL1_BLOCK_BYTES, SET_STACK_BYTES,
                 STACK_BYTES, NOTE)
JM_SHACAL_CMAC(shacal1, "cmac-shacal1", portable, 0, JM_SHACAL1_BLOCK_BYTES, JM_SHACAL1_POLYNOMIAL,
               CMAC_STACK_BYTES, NOTE)
