/* SPDX-License-Identifier: Apache-2.0
 *
 * The call by which a hash in lanes has the next block of every lane loaded beside the compression
 * of this one. absorb_vectors.h tells why, and defines it. */
#ifndef JM_LOAD_AHEAD_H
#define JM_LOAD_AHEAD_H

#include "common/secret.h"
#include "joulemark/kernel.h"

typedef struct {
    const uint8_t *const *from; /* of each lane, its block is at from[lane] + offset */
    size_t offset;
    vec_word *parts; /* as many words as the block has in all lanes */
} hash_next_block;

/* Loads the parts of the next block that belong to step `step` of `steps`, a power of two up to 16.
 * Does nothing if `next` is NULL. */
JM_INLINE void hash_load_ahead(const hash_next_block *next, size_t step, size_t steps,
                               size_t vectors);

#endif
