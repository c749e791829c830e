/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2's compression function (RFC 7693, section 3) in four vectors of four words, written once
 * for both sizes of words.
 *
 * The includer defines, above:
 *     word, row              a word and a vector of four words
 *     ADD, XOR, ROTATE       of rows; ROTATE to the right by a constant
 *     TURN(r, n)             the row whose word i is word i + n of r, modulo 4
 *     ROTATE_1 to ROTATE_4   ROTATE's counts (section 2.1)
 *     LOAD_ROW, STORE_ROW    of aligned memory
 *     LAST_ROW(absorbed, last)   the last four initial words of a compression (section 3.2)
 *     block_words, load_block
 *     round_words(words, block, sigma)   stores the words x and y of both halves of a round
 *     ROUNDS, INITIAL, DIGEST_BYTES
 * It gets init, absorb and finish of a jm_block_hash.
 *
 * From columns to diagonals the rows a, c and d are turned and b is not: b is computed last, so
 * that no operation waits for a turn. */
#ifndef JM_BLAKE2_ROWS_H
#define JM_BLAKE2_ROWS_H

#include "blake2/blake2.h"

enum { BLOCK_BYTES = 16 * sizeof(word) };

/* Message words are put in order this many rounds ahead of their use. They go through memory:
 * moves between vectors would compete with rotations. */
enum { AHEAD = 2 };

typedef struct {
    _Alignas(JM_STATE_ALIGN) word h[8];
    uint64_t absorbed; /* bytes of the message */
} blake2_chain;

typedef struct {
    row a, b, c, d;
} rows;

/* G of section 3.1 on four columns or diagonals at once. */
JM_INLINE void mix(rows *v, row x, row y) {
    v->a = ADD(ADD(v->a, x), v->b);
    v->d = ROTATE(XOR(v->d, v->a), ROTATE_1);
    v->c = ADD(v->c, v->d);
    v->b = ROTATE(XOR(v->b, v->c), ROTATE_2);
    v->a = ADD(ADD(v->a, y), v->b);
    v->d = ROTATE(XOR(v->d, v->a), ROTATE_3);
    v->c = ADD(v->c, v->d);
    v->b = ROTATE(XOR(v->b, v->c), ROTATE_4);
}

JM_INLINE void one_round(rows *v, const row words[4]) {
    mix(v, words[0], words[1]);
    v->a = TURN(v->a, 3), v->c = TURN(v->c, 1), v->d = TURN(v->d, 2);
    mix(v, words[2], words[3]);
    v->a = TURN(v->a, 1), v->c = TURN(v->c, 3), v->d = TURN(v->d, 2);
}

static void init(void *chain) {
    blake2_chain *to = chain;
    for (size_t i = 0; i < 8; i++) to->h[i] = INITIAL[i];
    to->h[0] ^= BLAKE2_PARAMETERS(DIGEST_BYTES);
    to->absorbed = 0;
}

/* Not inlined, because its code is long. */
JM_ONCE void compress_blocks(blake2_chain *chain, const uint8_t *blocks, size_t count,
                             size_t bytes_each, bool last) {
    _Alignas(64) row words[ROUNDS][4];
    row low = LOAD_ROW(chain->h), high = LOAD_ROW(chain->h + 4);
    uint64_t absorbed = chain->absorbed;
    for (; count; count--, blocks += BLOCK_BYTES) {
        absorbed += bytes_each;
        const block_words block = load_block(blocks);
#pragma GCC unroll 12
        for (size_t i = 0; i < AHEAD; i++) round_words(words[i], &block, blake2_sigma[i % 10]);
        rows v = {low, high, LOAD_ROW(INITIAL), LAST_ROW(absorbed, last)};
#pragma GCC unroll 12
        for (size_t i = 0; i < ROUNDS; i++) {
            if (i + AHEAD < ROUNDS)
                round_words(words[i + AHEAD], &block, blake2_sigma[(i + AHEAD) % 10]);
            JM_SYNC_MEMORY();
            one_round(&v, words[i]);
        }
        low = XOR(low, XOR(v.a, v.c));
        high = XOR(high, XOR(v.b, v.d));
    }
    STORE_ROW(chain->h, low);
    STORE_ROW(chain->h + 4, high);
    chain->absorbed = absorbed;
}

static void absorb(void *chain, const uint8_t *blocks, size_t count) {
    compress_blocks(chain, blocks, count, BLOCK_BYTES, false);
}

static void finish(void *chain, const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                   uint8_t *digest) {
    (void)total_bytes;
    const blake2_chain *done = chain;
    if (rest_bytes == BLOCK_BYTES) {
        compress_blocks(chain, rest, 1, BLOCK_BYTES, true);
    } else {
        uint8_t block[BLOCK_BYTES];
        load_partial_block(block, rest, rest_bytes);
        compress_blocks(chain, block, 1, rest_bytes, true);
        jm_wipe(block, sizeof block);
    }
    memcpy(digest, done->h, DIGEST_BYTES);
}

#endif
