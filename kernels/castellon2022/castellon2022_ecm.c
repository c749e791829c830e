/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA256 as the "engineered" program (E) of castellon2022, section II-C and Algorithm 1.
 *
 * Technique: the padded input is first laid out in another vector, chunk i at place V[i] of the
 *   page table, then compressed in its own order through the table. A chunk is a block of 64 bytes.
 *   The paper's inputs have at most 17 chunks; a longer one goes through tables of up to 256 chunks
 *   (16 KiB) one after the other. A stream has no vector and is hashed as it comes. One message.
 * State: that of every HMAC-SHA256 here (common/merkle_damgard.h).
 * CPU: any.
 * Constant time: the page table depends on the length alone; checked by
 *   tests/native/constant_time.c.
 * Best for: measuring the time that the order of chunks saves. Jump 1 keeps the order and has all
 *   the cost of the table, so that time saved by jump 8 compared with jump 1 is saved by the order
 *   alone.
 */
#include "castellon2022/castellon2022.h"
#include "castellon2022/page_table.h"

enum { WINDOW_CHUNKS = 256 };

typedef struct paged_hash {
    uint32_t chain[8];
    uint32_t schedule[64];
    uint8_t vector[WINDOW_CHUNKS][CASTELLON2022_BLOCK_BYTES];
    uint16_t table[WINDOW_CHUNKS];
    size_t jump;
    size_t chunks_left; /* of the whole input, those of this window included */
    size_t window;      /* chunks in this window; 0 at the end */
    size_t chunk, held; /* where the next byte goes: logical chunk, byte in it */
} paged_hash;

static void begin_window(paged_hash *hash) {
    hash->window = hash->chunks_left < WINDOW_CHUNKS ? hash->chunks_left : WINDOW_CHUNKS;
    jm_castellon2022_page_table(hash->table, hash->window, hash->jump);
    hash->chunk = 0;
    hash->held = 0;
}

static void compress_window(paged_hash *hash) {
    for (size_t i = 0; i < hash->window; i++)
        jm_castellon2022_compress(hash->chain, hash->schedule, hash->vector[hash->table[i]]);
    hash->chunks_left -= hash->window;
    begin_window(hash);
}

static void put(paged_hash *hash, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hash->vector[hash->table[hash->chunk]][hash->held++] = bytes[i];
        if (hash->held == CASTELLON2022_BLOCK_BYTES) {
            hash->held = 0;
            if (++hash->chunk == hash->window) compress_window(hash);
        }
    }
}

/* Hashes a message that follows one block of padded key, from the chaining value after that
 * block. */
static void digest_after_key(paged_hash *hash, const uint8_t *chain, const uint8_t *message,
                             size_t message_bytes, uint8_t *digest) {
    static const uint8_t first_padding = 0x80, padding = 0;
    uint8_t length[8];
    const size_t tail = message_bytes % CASTELLON2022_BLOCK_BYTES;
    const bool fits = tail + 1 + sizeof length <= CASTELLON2022_BLOCK_BYTES;
    memcpy(hash->chain, chain, sizeof hash->chain);
    hash->chunks_left = message_bytes / CASTELLON2022_BLOCK_BYTES + (fits ? 1 : 2);
    begin_window(hash);
    put(hash, message, message_bytes);
    put(hash, &first_padding, 1);
    while (hash->held != CASTELLON2022_BLOCK_BYTES - sizeof length) put(hash, &padding, 1);
    castellon2022_length(length, CASTELLON2022_BLOCK_BYTES + (uint64_t)message_bytes);
    put(hash, length, sizeof length);
    jm_castellon2022_compression.output(hash->chain, digest);
}

JM_APART jm_status tag_inner(paged_hash *hash, const jm_hmac_key *key, const uint8_t *message,
                             size_t message_bytes, uint8_t *tag) {
    uint8_t inner[CASTELLON2022_DIGEST_BYTES];
    if (!jm_hmac_is_live(key, CASTELLON2022_BLOCK_BYTES, CASTELLON2022_LIVE)) return JM_ERR_ENDED;
    digest_after_key(hash, key->inner, message, message_bytes, inner);
    digest_after_key(hash, key->outer, inner, sizeof inner, tag);
    return JM_OK;
}

static jm_status tag_with_jump(size_t jump, const jm_hmac_key *key, const uint8_t *message,
                               size_t message_bytes, uint8_t *tag) {
    paged_hash hash;
    hash.jump = jump;
    const jm_status status = tag_inner(&hash, key, message, message_bytes, tag);
    jm_wipe(hash.chain, sizeof hash.chain);
    jm_wipe(hash.schedule, sizeof hash.schedule);
    /* The rest of the vector holds the message; the last hash had one chunk, with the inner
     * digest. */
    jm_wipe(hash.vector[0], sizeof hash.vector[0]);
    return JM_FORGET(status, 1024);
}

#define ECM(jump_)                                                                                 \
    static jm_status tag_j##jump_(const jm_implementation *self, const void *key_state,            \
                                  const uint8_t *message, size_t message_bytes, uint8_t *tag) {    \
        (void)self;                                                                                \
        return tag_with_jump(jump_, key_state, message, message_bytes, tag);                       \
    }                                                                                              \
    JM_CASTELLON2022(ecm_j##jump_, tag_j##jump_,                                                   \
                     "specimen: the engineered program (E) of castellon2022, jump " #jump_)

ECM(1)
ECM(2)
ECM(4)
ECM(8)
ECM(16)
