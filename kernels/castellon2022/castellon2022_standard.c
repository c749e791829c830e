/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA256 as the "standard" (O) of castellon2022, section III: a common C program.
 *
 * Technique: bytes are gathered in a buffer of one block, which is compressed when full; the
 *   padding is gathered in the same way. `standard` gathers them one by one, `standard_chunks` by
 *   whole blocks (filling.h). One message.
 * State: that of every HMAC-SHA256 here (common/merkle_damgard.h).
 * CPU: any.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: the baseline of the paper's savings, and nothing else.
 */
#include "castellon2022/castellon2022.h"
#include "castellon2022/filling.h"

typedef struct buffered_hash {
    chunk_place to; /* first, as chunk_taker asks */
    uint32_t chain[8];
    uint32_t schedule[64];
    uint8_t block[CASTELLON2022_BLOCK_BYTES];
} buffered_hash;

static void compress_block(chunk_place *to) {
    buffered_hash *hash = (buffered_hash *)to;
    jm_castellon2022_compress(hash->chain, hash->schedule, hash->block);
}

/* Hashes a message that follows one block of padded key, from the chaining value after that
 * block. */
static inline void digest_after_key(buffered_hash *hash, castellon2022_filling filling,
                                    const uint8_t *chain, const uint8_t *message,
                                    size_t message_bytes, uint8_t *digest) {
    memcpy(hash->chain, chain, sizeof hash->chain);
    hash->to.chunk = hash->block;
    fill(&hash->to, compress_block, filling, message, message_bytes);
    jm_castellon2022_compression.output(hash->chain, digest);
}

static inline jm_status tag_filled(castellon2022_filling filling, const jm_hmac_key *key,
                                   const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    uint8_t inner[CASTELLON2022_DIGEST_BYTES];
    buffered_hash hash;
    if (!jm_hmac_is_live(key, CASTELLON2022_BLOCK_BYTES, CASTELLON2022_LIVE)) return JM_ERR_ENDED;
    digest_after_key(&hash, filling, key->inner, message, message_bytes, inner);
    digest_after_key(&hash, filling, key->outer, inner, sizeof inner, tag);
    return JM_OK;
}

#define STANDARD(variant_, filling_, note_)                                                        \
    JM_APART jm_status variant_##_inner(const jm_hmac_key *key, const uint8_t *message,            \
                                        size_t message_bytes, uint8_t *tag) {                      \
        return tag_filled(filling_, key, message, message_bytes, tag);                             \
    }                                                                                              \
    static jm_status variant_##_tag(const jm_implementation *self, const void *key_state,          \
                                    const uint8_t *message, size_t message_bytes, uint8_t *tag) {  \
        (void)self;                                                                                \
        const jm_status status = variant_##_inner(key_state, message, message_bytes, tag);         \
        return JM_FORGET(status, 1024);                                                            \
    }                                                                                              \
    JM_CASTELLON2022(variant_, variant_##_tag, "specimen: the standard program (O) of " note_)

STANDARD(standard, FILLED_BY_BYTES, "castellon2022")
STANDARD(standard_chunks, FILLED_BY_CHUNKS, "castellon2022, copying whole chunks")
