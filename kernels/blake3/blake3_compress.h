/* SPDX-License-Identifier: Apache-2.0
 * BLAKE3's compression function (section 2.2) in general registers, and the functions over it for
 * variants without lanes. */
#ifndef JM_BLAKE3_COMPRESS_H
#define JM_BLAKE3_COMPRESS_H

#include "blake3/blake3.h"
#include "common/secret.h"

JM_INLINE void mix(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d, uint32_t x, uint32_t y) {
    *a += *b + x;
    *d = rotr32(*d ^ *a, 16);
    *c += *d;
    *b = rotr32(*b ^ *c, 12);
    *a += *b + y;
    *d = rotr32(*d ^ *a, 8);
    *c += *d;
    *b = rotr32(*b ^ *c, 7);
}

/* Columns, then diagonals. */
JM_INLINE void one_round(uint32_t v[16], const uint8_t *block, const uint8_t order[16]) {
    JM_PIN("r", block); /* else compilers keep words that they have loaded, and spill them */
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) {
        const size_t column = i % 4, shift = i / 4;
        mix(&v[column], &v[4 + (column + shift) % 4], &v[8 + (column + 2 * shift) % 4],
            &v[12 + (column + 3 * shift) % 4], load_le32(block + 4 * order[2 * i]),
            load_le32(block + 4 * order[2 * i + 1]));
    }
}

static __attribute__((unused)) void compress(uint32_t chain[8], const uint8_t *block,
                                             uint64_t counter, uint32_t bytes, uint32_t flags) {
    uint32_t v[16];
    for (size_t i = 0; i < 8; i++) v[i] = chain[i];
    for (size_t i = 0; i < 4; i++) v[8 + i] = blake3_initial[i];
    v[12] = (uint32_t)counter, v[13] = (uint32_t)(counter >> 32), v[14] = bytes, v[15] = flags;
#pragma GCC unroll 7
    for (size_t i = 0; i < BLAKE3_ROUNDS; i++) one_round(v, block, blake3_order[i]);
    for (size_t i = 0; i < 8; i++) chain[i] = v[i] ^ v[8 + i];
}

#endif
