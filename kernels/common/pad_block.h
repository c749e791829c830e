/* SPDX-License-Identifier: Apache-2.0
 *
 * The last block of a message before its length: the rest of the message, a byte that marks its
 * end, and zeros. For the `finish` of a jm_block_hash whose blocks are whole quads. Every quad is
 * stored once, so that no load of a word or of a quad waits for narrower stores. */
#ifndef JM_PAD_BLOCK_H
#define JM_PAD_BLOCK_H

#include "common/merkle_damgard.h"

/* `rest_bytes` is less than block_bytes, or equal to it: then there is no mark. With a mark of 0
 * the block ends in zeros alone. */
JM_INLINE void jm_pad_block(uint8_t *block, size_t block_bytes, const uint8_t *rest,
                            size_t rest_bytes, uint8_t mark) {
    const size_t last = rest_bytes - rest_bytes % JM_QUAD_BYTES;
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES) {
        jm_quad quad = {0, 0};
        if (at < last) {
            quad = jm_quad_load(rest + at);
        } else if (at == last) {
            uint64_t word[2];
            load_le128_partial(rest + at, rest_bytes % JM_QUAD_BYTES, mark, word);
            quad = (jm_quad){JM_LE64(word[0]), JM_LE64(word[1])};
        }
        jm_quad_store(block + at, quad);
    }
}

/* A block of zeros. */
JM_INLINE void jm_clear_block(uint8_t *block, size_t block_bytes) {
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES)
        jm_quad_store(block + at, (jm_quad){0, 0});
}

#endif
