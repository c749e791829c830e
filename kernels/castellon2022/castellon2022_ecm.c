/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA256 as the "engineered" program (E) of castellon2022, section II-C and Algorithm 1.
 *
 * Technique: the padded input is first laid out in another vector, chunk i at place V[i] of the
 *   page table, then compressed in its own order through the table. A chunk is a block of 64 bytes.
 *   `ecm_j<jump>` fills the vector byte by byte, `ecm_chunks_j<jump>` by whole chunks (filling.h).
 *   The tables of the paper's inputs, of at most 17 chunks, are kept; a longer input goes through
 *   tables of up to 256 chunks (16 KiB), laid out one after the other. A stream has no vector and
 *   is hashed as it comes. One message.
 * State: that of every HMAC-SHA256 here (common/merkle_damgard.h).
 * CPU: any.
 * Constant time: the page table depends on the length alone; checked by
 *   tests/native/constant_time.c.
 * Best for: measuring the time that the order of chunks saves. Jump 1 keeps the order and has all
 *   the cost of the table, so that time saved by jump 8 compared with jump 1 is saved by the order
 *   alone.
 */
#include "castellon2022/castellon2022.h"
#include "castellon2022/filling.h"
#include "castellon2022/page_table.h"

enum { WINDOW_CHUNKS = 256 };

typedef const uint16_t kept_tables[CASTELLON2022_KEPT_CHUNKS][CASTELLON2022_KEPT_CHUNKS];

typedef struct paged_hash {
    chunk_place to; /* first, as chunk_taker asks */
    uint32_t chain[8];
    uint32_t schedule[64];
    uint8_t vector[WINDOW_CHUNKS][CASTELLON2022_BLOCK_BYTES];
    uint16_t laid_out[WINDOW_CHUNKS];
    const uint16_t *table; /* of this window: kept, or laid out */
    kept_tables *kept;
    size_t jump;
    size_t chunks_left; /* of the whole input, those of this window included */
    size_t window;      /* chunks in this window; 0 at the end */
    size_t chunk;       /* the logical chunk that is filled */
} paged_hash;

static void begin_window(paged_hash *hash) {
    hash->window = hash->chunks_left < WINDOW_CHUNKS ? hash->chunks_left : WINDOW_CHUNKS;
    hash->chunk = 0;
    if (!hash->window) return;
    if (hash->window <= CASTELLON2022_KEPT_CHUNKS) {
        hash->table = (*hash->kept)[hash->window - 1];
    } else {
        jm_castellon2022_page_table(hash->laid_out, hash->window, hash->jump);
        hash->table = hash->laid_out;
    }
    hash->to.chunk = hash->vector[hash->table[0]];
}

static void take_chunk(chunk_place *to) {
    paged_hash *hash = (paged_hash *)to;
    if (++hash->chunk < hash->window) {
        to->chunk = hash->vector[hash->table[hash->chunk]];
        return;
    }
    for (size_t i = 0; i < hash->window; i++)
        jm_castellon2022_compress(hash->chain, hash->schedule, hash->vector[hash->table[i]]);
    hash->chunks_left -= hash->window;
    begin_window(hash);
}

/* Hashes a message that follows one block of padded key, from the chaining value after that
 * block. */
static inline void digest_after_key(paged_hash *hash, castellon2022_filling filling,
                                    const uint8_t *chain, const uint8_t *message,
                                    size_t message_bytes, uint8_t *digest) {
    const size_t tail = message_bytes % CASTELLON2022_BLOCK_BYTES;
    const bool fits = tail + 1 + 8 <= CASTELLON2022_BLOCK_BYTES;
    memcpy(hash->chain, chain, sizeof hash->chain);
    hash->chunks_left = message_bytes / CASTELLON2022_BLOCK_BYTES + (fits ? 1 : 2);
    begin_window(hash);
    fill(&hash->to, take_chunk, filling, message, message_bytes);
    jm_castellon2022_compression.output(hash->chain, digest);
}

static inline jm_status tag_filled(paged_hash *hash, castellon2022_filling filling,
                                   const jm_hmac_key *key, const uint8_t *message,
                                   size_t message_bytes, uint8_t *tag) {
    uint8_t inner[CASTELLON2022_DIGEST_BYTES];
    if (!jm_hmac_is_live(key, CASTELLON2022_BLOCK_BYTES, CASTELLON2022_LIVE)) return JM_ERR_ENDED;
    digest_after_key(hash, filling, key->inner, message, message_bytes, inner);
    digest_after_key(hash, filling, key->outer, inner, sizeof inner, tag);
    return JM_OK;
}

JM_APART jm_status tag_by_bytes(paged_hash *hash, const jm_hmac_key *key, const uint8_t *message,
                                size_t message_bytes, uint8_t *tag) {
    return tag_filled(hash, FILLED_BY_BYTES, key, message, message_bytes, tag);
}

JM_APART jm_status tag_by_chunks(paged_hash *hash, const jm_hmac_key *key, const uint8_t *message,
                                 size_t message_bytes, uint8_t *tag) {
    return tag_filled(hash, FILLED_BY_CHUNKS, key, message, message_bytes, tag);
}

static jm_status tag_with_jump(size_t jump, kept_tables *kept, castellon2022_filling filling,
                               const jm_hmac_key *key, const uint8_t *message, size_t message_bytes,
                               uint8_t *tag) {
    paged_hash hash;
    hash.jump = jump;
    hash.kept = kept;
    const jm_status status = filling == FILLED_BY_CHUNKS
                                 ? tag_by_chunks(&hash, key, message, message_bytes, tag)
                                 : tag_by_bytes(&hash, key, message, message_bytes, tag);
    jm_wipe(hash.chain, sizeof hash.chain);
    jm_wipe(hash.schedule, sizeof hash.schedule);
    /* The rest of the vector holds the message; the last hash had one chunk, with the inner
     * digest. */
    jm_wipe(hash.vector[0], sizeof hash.vector[0]);
    return JM_FORGET(status, 1024);
}

#define FILLED_ECM(variant_, jump_, filling_, note_)                                               \
    static jm_status variant_##_tag(const jm_implementation *self, const void *key_state,          \
                                    const uint8_t *message, size_t message_bytes, uint8_t *tag) {  \
        (void)self;                                                                                \
        return tag_with_jump(jump_, &kept_j##jump_, filling_, key_state, message, message_bytes,   \
                             tag);                                                                 \
    }                                                                                              \
    JM_CASTELLON2022(variant_, variant_##_tag,                                                     \
                     "specimen: the engineered program (E) of castellon2022, jump " #jump_ note_)

#define ECM(jump_)                                                                                 \
    static kept_tables kept_j##jump_ = CASTELLON2022_KEPT_TABLES(jump_);                           \
    FILLED_ECM(ecm_j##jump_, jump_, FILLED_BY_BYTES, "")                                           \
    FILLED_ECM(ecm_chunks_j##jump_, jump_, FILLED_BY_CHUNKS, ", copying whole chunks")

ECM(1)
ECM(2)
ECM(4)
ECM(8)
ECM(16)
