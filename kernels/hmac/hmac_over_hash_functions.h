/* SPDX-License-Identifier: Apache-2.0
 * The functions of hmac_over_hash.h, written once for the files that differ in the instructions
 * that they may use. The includer defines nothing, and gets JM_HMAC_OVER_HASH_FUNCTIONS. */
#ifndef JM_HMAC_OVER_HASH_FUNCTIONS_H
#define JM_HMAC_OVER_HASH_FUNCTIONS_H

#include "hmac/hmac_over_hash.h"

enum { IPAD = 0x36, OPAD = 0x5c };

typedef uint64_t line_part __attribute__((vector_size(16)));

/* Copies whole lines of aligned memory. JM_SYNC_MEMORY keeps compilers from calling memcpy. */
static inline void copy_lines(void *to, const void *from, size_t bytes) {
    line_part *out = to;
    const line_part *in = from;
    for (size_t i = 0; i < bytes / sizeof *out; i += 4) {
        line_part a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
        out[i] = a, out[i + 1] = b, out[i + 2] = c, out[i + 3] = d;
        JM_SYNC_MEMORY();
    }
}

static inline uint8_t *inner_of(const void *states) {
    return (uint8_t *)(uintptr_t)states + sizeof(jm_hash_states);
}
static inline uint8_t *outer_of(const jm_implementation *hash, const void *states) {
    return inner_of(states) + jm_hash_state_room(hash);
}
static inline bool is_live(const jm_implementation *self, const void *states) {
    return ((const jm_hash_states *)states)->live == self->live;
}

static inline void absorb_key(const jm_implementation *hash, uint8_t *state, uint8_t *block,
                              uint8_t with) {
    for (size_t i = 0; i < hash->block_bytes; i++) block[i] ^= with;
    hash->hash->init(hash, state);
    hash->hash->update(hash, state, block, hash->block_bytes);
}

/* A key longer than a block is replaced by its digest (RFC 2104, section 2). */
JM_APART jm_status set_key_inner(const jm_implementation *self, void *states, uint8_t *block,
                                 const uint8_t *key, size_t key_bytes) {
    const jm_implementation *hash = self->over;
    memset(states, 0, jm_hash_states_bytes(hash));
    if (key_bytes > hash->block_bytes)
        hash->hash->digest(hash, key, key_bytes, block);
    else if (key_bytes)
        jm_copy_secret(block, key, key_bytes);
    absorb_key(hash, inner_of(states), block, IPAD);
    absorb_key(hash, outer_of(hash, states), block, IPAD ^ OPAD);
    ((jm_hash_states *)states)->live = self->live;
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    uint8_t block[JM_HASH_BLOCK_BYTES_MAX] = {0};
    const jm_status status = set_key_inner(self, key_state, block, key, key_bytes);
    jm_wipe(block, sizeof block);
    return JM_FORGET(status, JM_HMAC_OVER_HASH_STACK_BYTES);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    if (!is_live(self, from)) return JM_ERR_ENDED;
    jm_copy_secret(to, from, jm_hash_states_bytes(self->over));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, jm_hash_states_bytes(self->over));
}

/* Working memory of a tag, in the frame of the outer half. `final` wipes the state. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint8_t state[JM_HASH_STATE_BYTES_MAX];
    uint8_t digest[JM_OUTPUT_BYTES_MAX];
} tag_work;

/* The outer hash of the inner digest. */
static inline void close_hmac(const jm_implementation *hash, uint8_t *state, const uint8_t *outer,
                              uint8_t *digest, uint8_t *out) {
    copy_lines(state, outer, jm_hash_state_room(hash));
    hash->hash->update(hash, state, digest, hash->output_bytes);
    hash->hash->final(hash, state, out);
}

JM_APART jm_status tag_inner(const jm_implementation *self, tag_work *work, const void *key,
                             const uint8_t *message, size_t message_bytes, uint8_t *out) {
    const jm_implementation *hash = self->over;
    if (!is_live(self, key)) return JM_ERR_ENDED;
    copy_lines(work->state, inner_of(key), jm_hash_state_room(hash));
    hash->hash->update(hash, work->state, message, message_bytes);
    hash->hash->final(hash, work->state, work->digest);
    close_hmac(hash, work->state, outer_of(hash, key), work->digest, out);
    return JM_OK;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    tag_work work;
    const jm_status status = tag_inner(self, &work, key_state, message, message_bytes, out);
    jm_wipe(work.digest, sizeof work.digest);
    return JM_FORGET(status, JM_HMAC_OVER_HASH_STACK_BYTES);
}

JM_APART jm_status begin_inner(const jm_implementation *self, void *stream, const void *key) {
    if (!is_live(self, key)) return JM_ERR_ENDED;
    copy_lines(stream, key, jm_hash_states_bytes(self->over));
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const jm_status status = begin_inner(self, stream, key_state);
    return JM_FORGET(status, 64);
}

JM_APART jm_status update_inner(const jm_implementation *self, void *stream, const uint8_t *message,
                                size_t message_bytes) {
    const jm_implementation *hash = self->over;
    if (!is_live(self, stream)) return JM_ERR_ENDED;
    return hash->hash->update(hash, inner_of(stream), message, message_bytes);
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    const jm_status status = update_inner(self, stream, message, message_bytes);
    return JM_FORGET(status, JM_HMAC_OVER_HASH_STACK_BYTES);
}

JM_APART jm_status finish_inner(const jm_implementation *self, void *stream, uint8_t *digest,
                                uint8_t *out) {
    const jm_implementation *hash = self->over;
    hash->hash->final(hash, inner_of(stream), digest);
    close_hmac(hash, inner_of(stream), outer_of(hash, stream), digest, out);
    return JM_OK;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *out) {
    uint8_t digest[JM_OUTPUT_BYTES_MAX];
    jm_status status = JM_OK;
    if (!is_live(self, stream)) return out ? JM_ERR_ENDED : JM_OK;
    if (out) status = finish_inner(self, stream, digest, out);
    jm_wipe(digest, sizeof digest);
    jm_wipe(stream, jm_hash_states_bytes(self->over));
    return JM_FORGET(status, JM_HMAC_OVER_HASH_STACK_BYTES);
}

#define JM_HMAC_OVER_HASH_FUNCTIONS                                                                \
    {                                                                                              \
        .set_key = set_key,                                                                        \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = tag,                                                                                \
        .stream_begin = stream_begin,                                                              \
        .stream_update = stream_update,                                                            \
        .stream_finish = stream_finish,                                                            \
    }

#endif
