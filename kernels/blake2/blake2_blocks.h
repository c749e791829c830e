/* SPDX-License-Identifier: Apache-2.0
 *
 * The chaining value of BLAKE2 in general registers, and the init, absorb and finish of a
 * jm_block_hash over a compression function (RFC 7693, section 3.3).
 *
 * The includer defines, above:
 *
 *   word            uint64_t or uint32_t
 *   STORE           little-endian store of a word
 *   INITIAL         the initial value
 *   DIGEST_BYTES    length of the digest
 *
 * and above or below:
 *
 *   compress        a function, whose declaration here says what it does
 */
#ifndef JM_BLAKE2_BLOCKS_H
#define JM_BLAKE2_BLOCKS_H

#include "blake2/blake2.h"

enum { BLOCK_BYTES = 16 * sizeof(word) };

/* `absorbed` counts the bytes of the message. The counter's second word in BLAKE2b, which RFC 7693
 * has for messages longer than any size_t, is always 0. */
typedef struct {
    word h[8];
    uint64_t absorbed;
} blake2_chain;

/* Absorbs a block into `h`, after `absorbed` bytes of the message, with this block's; `last`: the
 * message ends with it. */
static void compress(word h[8], const uint8_t *block, uint64_t absorbed, bool last);

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
