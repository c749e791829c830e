/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA256 as the "standard" (O) of castellon2022, section III: a common C program.
 *
 * Technique: bytes are gathered one by one in a buffer of one block, which is compressed when full;
 *   the padding is gathered in the same way. One message.
 * State: that of every HMAC-SHA256 here (common/merkle_damgard.h).
 * CPU: any.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: the baseline of the paper's savings, and nothing else.
 */
#include "castellon2022/castellon2022.h"

typedef struct buffered_hash {
    uint32_t chain[8];
    uint32_t schedule[64];
    uint8_t block[CASTELLON2022_BLOCK_BYTES];
    size_t held; /* bytes in `block`, below its size */
} buffered_hash;

static void put(buffered_hash *hash, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hash->block[hash->held++] = bytes[i];
        if (hash->held == CASTELLON2022_BLOCK_BYTES) {
            jm_castellon2022_compress(hash->chain, hash->schedule, hash->block);
            hash->held = 0;
        }
    }
}

/* Hashes a message that follows one block of padded key, from the chaining value after that
 * block. */
static void digest_after_key(buffered_hash *hash, const uint8_t *chain, const uint8_t *message,
                             size_t message_bytes, uint8_t *digest) {
    static const uint8_t first_padding = 0x80, padding = 0;
    uint8_t length[8];
    memcpy(hash->chain, chain, sizeof hash->chain);
    hash->held = 0;
    put(hash, message, message_bytes);
    put(hash, &first_padding, 1);
    while (hash->held != CASTELLON2022_BLOCK_BYTES - sizeof length) put(hash, &padding, 1);
    castellon2022_length(length, CASTELLON2022_BLOCK_BYTES + (uint64_t)message_bytes);
    put(hash, length, sizeof length);
    jm_castellon2022_compression.output(hash->chain, digest);
}

JM_APART jm_status tag_inner(const jm_hmac_key *key, const uint8_t *message, size_t message_bytes,
                             uint8_t *tag) {
    uint8_t inner[CASTELLON2022_DIGEST_BYTES];
    buffered_hash hash;
    if (!jm_hmac_is_live(key, CASTELLON2022_BLOCK_BYTES, CASTELLON2022_LIVE)) return JM_ERR_ENDED;
    digest_after_key(&hash, key->inner, message, message_bytes, inner);
    digest_after_key(&hash, key->outer, inner, sizeof inner, tag);
    return JM_OK;
}

static jm_status tag_message(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    (void)self;
    const jm_status status = tag_inner(key_state, message, message_bytes, tag);
    return JM_FORGET(status, 1024);
}

JM_CASTELLON2022(standard, tag_message, "specimen: the standard program (O) of castellon2022")
