/* SPDX-License-Identifier: Apache-2.0
 *
 * SHACAL-2 (Handschuh and Naccache) and CMAC over it in portable C.
 * Technique: the rounds of SHA-256 (common/sha2_rounds.h) over a schedule that set_key has made.
 * State layout: a schedule is W[t] + K[t] for t = 0 to 63; a block is the words a to h.
 * CPU features: none.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 *   Functions have an outer and an inner half (common/secret.h).
 * Best for: CPUs without SHA instructions. */
#include "sha256/sha256.h"
#include "shacal/shacal.h"

typedef uint32_t word;
#define PLUS_WORD_AND_K(sum, j) ((sum) + scheduled[i + (j)])
#include "common/sha2_rounds.h"

enum { ROUNDS = 64, SET_STACK_BYTES = 448, STACK_BYTES = 320, CMAC_STACK_BYTES = 896 };

typedef struct {
    word scheduled[ROUNDS];
} shacal2_schedule;

typedef struct {
    word word[8];
} shacal2_block;

JM_INLINE void shacal2_expand(shacal2_schedule *to, const uint8_t key[64]) {
    word w[16];
    for (size_t t = 0; t < 16; t++) {
        w[t] = load_be32(key + 4 * t);
        to->scheduled[t] = w[t] + sha256_k[t];
    }
    for (size_t t = 16; t < ROUNDS; t++) to->scheduled[t] = next_word(w, t & 15) + sha256_k[t];
    jm_wipe(w, sizeof w);
}

JM_INLINE shacal2_block shacal2_load(const uint8_t *from) {
    shacal2_block block;
    for (size_t i = 0; i < 8; i++) block.word[i] = load_be32(from + 4 * i);
    return block;
}

JM_INLINE void shacal2_store(uint8_t *to, const shacal2_block *block) {
    for (size_t i = 0; i < 8; i++) store_be32(to + 4 * i, block->word[i]);
}

JM_INLINE void shacal2_add(shacal2_block *to, const shacal2_block *block) {
    for (size_t i = 0; i < 8; i++) to->word[i] ^= block->word[i];
}

JM_INLINE void shacal2_encrypt(const shacal2_schedule *schedule, shacal2_block *block) {
    const word *const scheduled = schedule->scheduled;
    word a = block->word[0], b = block->word[1], c = block->word[2], d = block->word[3];
    word e = block->word[4], f = block->word[5], g = block->word[6], h = block->word[7];
    for (size_t i = 0; i < ROUNDS; i += 16) {
        EIGHT_ROUNDS(0);
        EIGHT_ROUNDS(8);
    }
    *block = (shacal2_block){{a, b, c, d, e, f, g, h}};
}

#define NOTE "the rounds of SHA-256 in portable C"
JM_SHACAL_CIPHER(shacal2, "shacal2", portable, 0, JM_SHACAL2_BLOCK_BYTES, SET_STACK_BYTES,
                 STACK_BYTES, NOTE)
JM_SHACAL_CMAC(shacal2, "cmac-shacal2", portable, 0, JM_SHACAL2_BLOCK_BYTES, JM_SHACAL2_POLYNOMIAL,
               CMAC_STACK_BYTES, NOTE)
