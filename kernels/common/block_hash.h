/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashing by blocks, written once over the parts that differ between such functions: blocks,
 * padding, counter and last step. SHA-2 and other hashes with the same padding are shorter over
 * merkle_damgard.h.
 *
 * The includer defines: a constant `jm_block_hash`, a struct of functions. The one-shot function
 * (JM_BLOCK_HASH_DEFINE) is compiled for its sizes and can inline its three functions; init, update
 * and final are shared and go through the pointers. The layout of `chain` is the variant's own, a
 * counter of bits included. It must be copyable byte for byte. */
#ifndef JM_BLOCK_HASH_H
#define JM_BLOCK_HASH_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

#define JM_BLOCK_HASH_CHAIN_BYTES_MAX 256u
#define JM_BLOCK_HASH_BLOCK_BYTES_MAX 256u

typedef struct jm_block_hash {
    uint16_t chain_bytes; /* at most JM_BLOCK_HASH_CHAIN_BYTES_MAX */
    uint16_t block_bytes; /* at most JM_BLOCK_HASH_BLOCK_BYTES_MAX */
    /* Whether the last block of a message that ends with a whole block waits for `finish`. */
    bool keeps_last;
    void (*init)(void *chain);
    /* Absorbs `count` >= 1 whole blocks of the message. `chain` is aligned to JM_STATE_ALIGN,
     * `blocks` to nothing. */
    void (*absorb)(void *chain, const uint8_t *blocks, size_t count);
    /* Absorbs the rest of the message and the padding, and writes the digest. `rest_bytes` is less
     * than block_bytes, or with keeps_last at most that; `rest` is not NULL. `total_bytes` is the
     * length of the whole message. Wipes its arrays, not `chain`. */
    void (*finish)(void *chain, const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                   uint8_t *digest);
} jm_block_hash;

/* The part of `bytes` that `absorb` takes: whole blocks, except a block kept for `finish`. */
JM_INLINE size_t jm_block_hash_whole(const jm_block_hash *hash, size_t bytes) {
    if (hash->keeps_last && bytes) return (bytes - 1) / hash->block_bytes * hash->block_bytes;
    return bytes / hash->block_bytes * hash->block_bytes;
}

JM_INLINE void jm_block_hash_digest(const jm_block_hash *hash, const uint8_t *message,
                                    size_t message_bytes, uint8_t *digest) {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_BLOCK_HASH_CHAIN_BYTES_MAX];
    const size_t whole = jm_block_hash_whole(hash, message_bytes);
    if (message_bytes == 0) message = chain; /* NULL may not take even an offset of 0 */
    hash->init(chain);
    if (whole) hash->absorb(chain, message, whole / hash->block_bytes);
    hash->finish(chain, message + whole, message_bytes - whole, message_bytes, digest);
    jm_wipe(chain, hash->chain_bytes);
}

/* A partly absorbed message. `chain` first, so that it has the state's alignment. */
typedef struct jm_block_hash_state {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_BLOCK_HASH_CHAIN_BYTES_MAX];
    uint8_t pending[JM_BLOCK_HASH_BLOCK_BYTES_MAX];
    uint64_t total_bytes; /* absorbed or pending */
    size_t pending_bytes; /* at most block_bytes */
} jm_block_hash_state;

/* hash.init, hash.update and hash.final of any implementation whose `over` is a jm_block_hash. */
jm_status jm_block_hash_init(const jm_implementation *self, void *state);
jm_status jm_block_hash_update(const jm_implementation *self, void *state, const uint8_t *message,
                               size_t message_bytes);
jm_status jm_block_hash_final(const jm_implementation *self, void *state, uint8_t *digest);

/* Defines jm_<name>_<variant>, the algorithm `id_` over the static constant `hash_`. `target_` is
 * the target attribute of its functions, or JM_TARGET_ANY: with the same attribute here, the
 * compiler can inline those declared JM_INLINE and keep the chaining value in registers.
 * `block_bytes_` repeats that of `hash_`: to Clang 14 a member of a constant is no constant. */
#define JM_BLOCK_HASH_DEFINE(name_, id_, variant_, features_, target_, constant_time_, note_,      \
                             block_bytes_, digest_bytes_, hash_)                                   \
    target_ static jm_status name_##_##variant_##_digest(const jm_implementation *self,            \
                                                         const uint8_t *message,                   \
                                                         size_t message_bytes, uint8_t *digest) {  \
        (void)self;                                                                                \
        jm_block_hash_digest(&(hash_), message, message_bytes, digest);                            \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_hash_functions name_##_##variant_##_functions = {                              \
        .state_bytes = sizeof(jm_block_hash_state),                                                \
        .init = jm_block_hash_init,                                                                \
        .update = jm_block_hash_update,                                                            \
        .final = jm_block_hash_final,                                                              \
        .digest = name_##_##variant_##_digest,                                                     \
    };                                                                                             \
    const jm_implementation jm_##name_##_##variant_ = {                                            \
        .algorithm = (id_),                                                                        \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_HASH,                                                                      \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = (constant_time_),                                                         \
        .block_bytes = (block_bytes_),                                                             \
        .output_bytes = (digest_bytes_),                                                           \
        .hash = &name_##_##variant_##_functions,                                                   \
        .over = &(hash_),                                                                          \
    };

#endif
