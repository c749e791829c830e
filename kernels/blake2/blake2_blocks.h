/* SPDX-License-Identifier: Apache-2.0
 *
 * The init, absorb and finish of a jm_block_hash over a compression function of BLAKE2 (RFC 7693,
 * section 3.3). A file that includes this has defined `word`, INITIAL, STORE, DIGEST_BYTES
 * (blake2_rounds.h) and
 *     static void compress(word h[8], const uint8_t *block, uint64_t absorbed, bool last) */
#ifndef JM_BLAKE2_BLOCKS_H
#define JM_BLAKE2_BLOCKS_H

#include "blake2/blake2_chain.h"

static void init(void *chain) {
    blake2_chain *to = chain;
    for (size_t i = 0; i < 8; i++) to->h[i] = INITIAL[i];
    to->h[0] ^= BLAKE2_PARAMETERS(DIGEST_BYTES);
    to->absorbed = 0;
}

/* Not inlined, because its code is long. */
JM_ONCE void compress_blocks(blake2_chain *chain, const uint8_t *blocks, size_t count,
                             size_t bytes_each, bool last) {
    for (; count; count--, blocks += BLOCK_BYTES) {
        chain->absorbed += bytes_each;
        compress(chain->h, blocks, chain->absorbed, last);
    }
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
        uint8_t block[BLOCK_BYTES] = {0};
        memcpy(block, rest, rest_bytes);
        compress_blocks(chain, block, 1, rest_bytes, true);
        jm_wipe(block, sizeof block);
    }
    for (size_t i = 0; i < 8; i++) STORE(digest + sizeof(word) * i, done->h[i]);
}

#endif
