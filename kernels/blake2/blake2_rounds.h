/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2's compression function (RFC 7693, section 3) in general registers, written once for both
 * sizes of words and for the variants that differ in instructions.
 *
 * The includer defines, above:
 *     word                   uint64_t or uint32_t
 *     LOAD, STORE            little-endian load and store of a word
 *     ROTATE                 rotation to the right by a constant
 *     ROTATE_1 to ROTATE_4   ROTATE's counts (section 2.1)
 *     ROUNDS, INITIAL, DIGEST_BYTES
 * It gets init, absorb and finish of a jm_block_hash. All loops of a round are unrolled, so that
 * indices are constants and the sixteen words are not kept in an array. */
#ifndef JM_BLAKE2_ROUNDS_H
#define JM_BLAKE2_ROUNDS_H

#include "blake2/blake2_blocks.h"

/* The words a, b and d of the four columns, in registers, and the words c, in memory: of fifteen
 * general registers one holds the block's address and two hold the words c of a pair. */
typedef struct {
    word a[4], b[4], d[4];
} in_registers;

/* G of section 3.1 on two columns or diagonals at once, which begin in the columns i and i + 1.
 * `s` has the indices of their four words in the block: x and y of the first, then of the
 * second. */
JM_INLINE void mix_pair(in_registers *v, word c[4], const uint8_t *block,
                        const JM_FLASH uint8_t s[4], size_t i, size_t shift) {
    word *const a0 = &v->a[i], *const a1 = &v->a[i + 1];
    word *const b0 = &v->b[(i + shift) % 4], *const b1 = &v->b[(i + 1 + shift) % 4];
    word *const d0 = &v->d[(i + 3 * shift) % 4], *const d1 = &v->d[(i + 1 + 3 * shift) % 4];
    word *const c0_at = &c[(i + 2 * shift) % 4], *const c1_at = &c[(i + 1 + 2 * shift) % 4];
    *a0 += LOAD(block + sizeof(word) * s[0]);
    *a1 += LOAD(block + sizeof(word) * s[2]);
    *a0 += *b0;
    *a1 += *b1;
    *d0 = ROTATE(*d0 ^ *a0, ROTATE_1);
    *d1 = ROTATE(*d1 ^ *a1, ROTATE_1);
    word c0 = *c0_at + *d0;
    word c1 = *c1_at + *d1;
    *b0 = ROTATE(*b0 ^ c0, ROTATE_2);
    *b1 = ROTATE(*b1 ^ c1, ROTATE_2);
    *a0 += LOAD(block + sizeof(word) * s[1]);
    *a1 += LOAD(block + sizeof(word) * s[3]);
    *a0 += *b0;
    *a1 += *b1;
    *d0 = ROTATE(*d0 ^ *a0, ROTATE_3);
    *d1 = ROTATE(*d1 ^ *a1, ROTATE_3);
    *c0_at = c0 += *d0;
    *c1_at = c1 += *d1;
    JM_PIN("m", *c0_at);
    JM_PIN("m", *c1_at);
    *b0 = ROTATE(*b0 ^ c0, ROTATE_4);
    *b1 = ROTATE(*b1 ^ c1, ROTATE_4);
}

/* Columns, then diagonals (section 3.2, step 5). The pin hides the block's address: otherwise
 * compilers keep words of the block that they have loaded, and spill them. */
JM_INLINE void one_round(in_registers *v, word c[4], const uint8_t *block,
                         const JM_FLASH uint8_t sigma[16]) {
    JM_PIN("r", block);
    mix_pair(v, c, block, sigma, 0, 0);
    mix_pair(v, c, block, sigma + 4, 2, 0);
    mix_pair(v, c, block, sigma + 8, 0, 1);
    mix_pair(v, c, block, sigma + 12, 2, 1);
}

JM_INLINE void compress(word h[8], const uint8_t *block, uint64_t absorbed, bool last) {
    in_registers v;
    word c[4];
    for (size_t i = 0; i < 4; i++) v.a[i] = h[i], v.b[i] = h[4 + i];
    for (size_t i = 0; i < 4; i++) c[i] = INITIAL[i], v.d[i] = INITIAL[4 + i];
    v.d[0] ^= (word)absorbed;
    v.d[1] ^= (word)(absorbed >> 1 >> (8 * sizeof(word) - 1));
    if (last) v.d[2] = ~v.d[2];
#pragma GCC unroll 12
    for (size_t i = 0; i < ROUNDS; i++) one_round(&v, c, block, blake2_sigma[i % 10]);
    for (size_t i = 0; i < 4; i++) h[i] ^= v.a[i] ^ c[i], h[4 + i] ^= v.b[i] ^ v.d[i];
}

#endif
