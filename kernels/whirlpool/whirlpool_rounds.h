/* SPDX-License-Identifier: Apache-2.0
 *
 * Whirlpool's compression function, written once for the variants that differ in how they look
 * products up.
 *
 * The includer defines, above:
 *     product(byte, column)   the term that a byte in a column adds to its row
 * It gets init, absorb and finish of a jm_block_hash. */
#ifndef JM_WHIRLPOOL_ROUNDS_H
#define JM_WHIRLPOOL_ROUNDS_H

#include "whirlpool/whirlpool.h"
#include "whirlpool/whirlpool_constants.h"

/* Substitutes bytes, shifts columns down by their numbers, and multiplies rows (section 3). */
JM_INLINE void one_round(uint64_t to[WHIRLPOOL_ROWS], const uint64_t from[WHIRLPOOL_ROWS],
                         const uint64_t key[WHIRLPOOL_ROWS]) {
#pragma GCC unroll 8
    for (size_t row = 0; row < WHIRLPOOL_ROWS; row++) {
        uint64_t sum = key[row];
#pragma GCC unroll 8
        for (size_t column = 0; column < 8; column++)
            sum ^= product((uint8_t)(from[(row + 8 - column) % 8] >> (56 - 8 * column)), column);
        to[row] = sum;
    }
}

/* The block cipher W, with the chaining value as its key; its result is added to the chaining value
 * and to the block (section 3.13). */
static void absorb(void *chain, const uint8_t *blocks, size_t count) {
    uint64_t *const h = chain;
    uint64_t key[2][WHIRLPOOL_ROWS], text[2][WHIRLPOOL_ROWS];
    for (; count; count--, blocks += WHIRLPOOL_BYTES) {
        for (size_t i = 0; i < WHIRLPOOL_ROWS; i++) {
            key[0][i] = h[i];
            text[0][i] = load_be64(blocks + 8 * i) ^ h[i];
        }
        for (size_t r = 0; r < WHIRLPOOL_ROUNDS; r++) {
            const uint64_t constant[WHIRLPOOL_ROWS] = {whirlpool_round_constants[r]};
            one_round(key[~r & 1], key[r & 1], constant);
            one_round(text[~r & 1], text[r & 1], key[~r & 1]);
        }
        for (size_t i = 0; i < WHIRLPOOL_ROWS; i++) h[i] ^= text[0][i] ^ load_be64(blocks + 8 * i);
    }
    jm_wipe(key, sizeof key);
    jm_wipe(text, sizeof text);
}

static void init(void *chain) {
    memset(chain, 0, WHIRLPOOL_BYTES);
}

/* The message, a bit 1, zeros, and the length in bits in 32 bytes (section 3.12). */
static void finish(void *chain, const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                   uint8_t *digest) {
    uint8_t blocks[2 * WHIRLPOOL_BYTES] = {0};
    const uint64_t *const h = chain;
    const size_t count = rest_bytes < WHIRLPOOL_BYTES - WHIRLPOOL_LENGTH_BYTES ? 1 : 2;
    uint8_t *const end = blocks + count * WHIRLPOOL_BYTES;
    memcpy(blocks, rest, rest_bytes);
    blocks[rest_bytes] = 0x80;
    store_be64(end - 16, total_bytes >> 61);
    store_be64(end - 8, total_bytes << 3);
    absorb(chain, blocks, count);
    for (size_t i = 0; i < WHIRLPOOL_ROWS; i++) store_be64(digest + 8 * i, h[i]);
    jm_wipe(blocks, sizeof blocks);
}

#endif
