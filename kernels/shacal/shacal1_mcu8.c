/* SPDX-License-Identifier: Apache-2.0
 *
 * SHACAL-1 (Handschuh and Naccache) and CMAC over it in C for CPUs whose registers hold 8 bits.
 * Technique: the rounds of SHA-1 (sha1/sha1_mcu8_rounds.h). The schedule's other words are made
 *   beside the rounds of each block, which takes a fifth more core cycles and saves memory: 64
 *   bytes of key state in place of 320.
 * State layout: a schedule is W[0] to W[15]; a block is the words a to e.
 * CPU features: none.
 * Constant time: additions, products, rotations and logic only; checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/secret.h).
 * Best for: ATmega; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "shacal/shacal.h"

#include "sha1/sha1_mcu8_rounds.h"

#if defined(JM_FREESTANDING)
enum { SET_STACK_BYTES = 192, STACK_BYTES = 256, CMAC_STACK_BYTES = 384 };
#else
enum { SET_STACK_BYTES = 448, STACK_BYTES = 448, CMAC_STACK_BYTES = 896 };
#endif

typedef struct {
    uint32_t word[16];
} shacal1_schedule;

typedef struct {
    uint32_t word[5];
} shacal1_block;

JM_INLINE void shacal1_expand(shacal1_schedule *to, const uint8_t key[64]) {
    for (uint8_t t = 0; t < 16; t++, key += 4) to->word[t] = byte_load_be32(key);
}

JM_INLINE shacal1_block shacal1_load(const uint8_t *from) {
    shacal1_block block;
    for (uint8_t i = 0; i < 5; i++, from += 4) block.word[i] = byte_load_be32(from);
    return block;
}

JM_INLINE void shacal1_store(uint8_t *to, const shacal1_block *block) {
    for (uint8_t i = 0; i < 5; i++, to += 4) byte_store_be32(to, block->word[i]);
}

JM_INLINE void shacal1_add(shacal1_block *to, const shacal1_block *block) {
    for (uint8_t i = 0; i < 5; i++) to->word[i] ^= block->word[i];
}

JM_ONCE void shacal1_encrypt(const shacal1_schedule *schedule, shacal1_block *block) {
    shacal1_schedule words = *schedule;
    sha1_eighty_rounds(block->word, words.word);
}

#define NOTE "the rounds of SHA-1 in C for CPUs whose registers hold 8 bits"
JM_SHACAL_CIPHER(shacal1, "shacal1", mcu8, 0, JM_SHACAL1_BLOCK_BYTES, SET_STACK_BYTES, STACK_BYTES,
                 NOTE)
JM_SHACAL_CMAC(shacal1, "cmac-shacal1", mcu8, 0, JM_SHACAL1_BLOCK_BYTES, JM_SHACAL1_POLYNOMIAL,
               CMAC_STACK_BYTES, NOTE)
