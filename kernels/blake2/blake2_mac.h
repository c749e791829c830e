/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2 with a key (RFC 7693, sections 2.5 and 3.3), over the init, absorb and finish of a variant
 * of the hash: the key, filled up to a block with zeros, stands before the message, and the key's
 * length is in the parameters.
 *
 * The key state is the chaining value after the key's block, and the tag of the empty message,
 * whose last block is the key's block.
 *
 * The includer defines: word, blake2_chain, and init, absorb and finish of the hash; it ends with
 * JM_BLAKE2_MAC. */
#ifndef JM_BLAKE2_MAC_H
#define JM_BLAKE2_MAC_H

#include "blake2/blake2.h"
#include "common/block_mac.h"

/* Frames of absorb and finish with all functions that they call, a block and two chaining values;
 * the rows of BLAKE2b in vectors take most. */
#if defined(JM_FREESTANDING)
#define BLAKE2_MAC_STACK_BYTES 512
#else
#define BLAKE2_MAC_STACK_BYTES 1280
#endif
#define BLAKE2B_ROWS_MAC_STACK_BYTES 2304

#define JM_BLAKE2_MAC(name_, id_, variant_, features_, note_, constant_time_, block_, digest_,     \
                      stack_bytes_)                                                                \
    typedef struct {                                                                               \
        _Alignas(JM_STATE_ALIGN) blake2_chain keyed;                                               \
        uint8_t of_nothing[digest_];                                                               \
    } name_##_key;                                                                                 \
    JM_INLINE void name_##_set(name_##_key *to, const uint8_t *key, size_t key_bytes) {            \
        _Alignas(JM_STATE_ALIGN) uint8_t block[block_];                                            \
        _Alignas(JM_STATE_ALIGN) blake2_chain alone;                                               \
        jm_wipe(block, block_);                                                                    \
        jm_copy_secret(block, key, key_bytes);                                                     \
        init(&to->keyed);                                                                          \
        to->keyed.h[0] ^= (word)key_bytes << 8;                                                    \
        alone = to->keyed;                                                                         \
        finish(&alone, block, block_, block_, to->of_nothing);                                     \
        absorb(&to->keyed, block, 1);                                                              \
    }                                                                                              \
    JM_INLINE void name_##_begin(blake2_chain *chain, const name_##_key *key) {                    \
        *chain = key->keyed;                                                                       \
    }                                                                                              \
    JM_INLINE void name_##_absorb(blake2_chain *chain, const name_##_key *key,                     \
                                  const uint8_t *blocks, size_t count) {                           \
        (void)key;                                                                                 \
        absorb(chain, blocks, count);                                                              \
    }                                                                                              \
    JM_INLINE void name_##_finish(blake2_chain *chain, const name_##_key *key,                     \
                                  const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,    \
                                  uint8_t *tag) {                                                  \
        if (total_bytes)                                                                           \
            finish(chain, rest, rest_bytes, total_bytes, tag);                                     \
        else                                                                                       \
            jm_copy_secret(tag, key->of_nothing, digest_);                                         \
    }                                                                                              \
    JM_BLOCK_MAC_DEFINE(name_, id_, variant_, features_, constant_time_, note_, name_##_key,       \
                        blake2_chain, block_, digest_, 1, digest_, true, stack_bytes_)

#endif
