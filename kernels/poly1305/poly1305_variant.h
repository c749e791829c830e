/* SPDX-License-Identifier: Apache-2.0
 * The functions of a Poly1305 variant around its arithmetic.
 *
 * The includer defines, above:
 *     STACK_BYTES, UPDATE_STACK_BYTES   // common/secret.h; the second of `update`
 *     JM_POLY1305_SCALAR_BYTES          // if the variant `bmi2` tags shorter messages
 *     static void absorb_blocks(jm_poly1305_sum *h, const jm_poly1305_key *key,
 *                               const uint8_t *in, size_t blocks);
 *     // Absorbs all whole blocks, and may absorb the incomplete one. Returns how many bytes are
 *     // left, 0 to 15.
 *     static size_t absorb_most(jm_poly1305_sum *h, const jm_poly1305_key *key,
 *                               const uint8_t *in, size_t bytes);
 * It ends with JM_POLY1305_VARIANT. Functions have an outer and an inner half. */
#ifndef JM_POLY1305_VARIANT_H
#define JM_POLY1305_VARIANT_H

#include "common/secret.h"
#include "poly1305/poly1305_scalar.h"

#define POLY1305_LIVE JM_LIVE("poly1305", "")

typedef struct {
    jm_poly1305_sum h;
    jm_poly1305_key key;
    uint8_t pending[JM_POLY1305_BLOCK_BYTES]; /* its first pending_bytes, 0 to 15, are in use */
    size_t pending_bytes;
} poly_stream;
_Static_assert(sizeof(poly_stream) == JM_POLY1305_STREAM_BYTES,
               "Poly1305-AES has the same streams");

#if defined(JM_POLY1305_SCALAR_BYTES)
#define SET_KEY jm_poly1305_bmi2_set_key
#else
#define SET_KEY set_key
JM_APART jm_status load_key(jm_poly1305_key *state, const uint8_t *key, size_t key_bytes) {
    if (key_bytes != JM_POLY1305_KEY_BYTES) return JM_ERR_KEY_BYTES;
    jm_poly1305_load_key(state, key);
    state->live = POLY1305_LIVE;
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    const jm_status status = load_key(key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}
#endif

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    if (((const jm_poly1305_key *)from)->live != POLY1305_LIVE) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(jm_poly1305_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(jm_poly1305_key));
}

JM_APART jm_status tag_inner(const jm_poly1305_key *key, const uint8_t *message,
                             size_t message_bytes, uint8_t *tag) {
    if (key->live != POLY1305_LIVE) return JM_ERR_ENDED;
    jm_poly1305_sum h = {0, 0, 0};
    const size_t rest = absorb_most(&h, key, message, message_bytes);
    /* No offset if it would be 0, because C forbids adding even 0 to NULL. */
    jm_poly1305_end(&h, key, rest == message_bytes ? message : message + message_bytes - rest, rest,
                    tag);
    return JM_OK;
}

static jm_status tag_message(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    (void)self;
#if defined(JM_POLY1305_SCALAR_BYTES)
    if (message_bytes < JM_POLY1305_SCALAR_BYTES)
        return jm_poly1305_bmi2_tag(self, key_state, message, message_bytes, tag);
#endif
    const jm_status status = tag_inner(key_state, message, message_bytes, tag);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status begin_inner(poly_stream *state, const jm_poly1305_key *key) {
    if (key->live != POLY1305_LIVE) return JM_ERR_ENDED;
    *state = (poly_stream){.key = *key};
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    (void)self;
    const jm_status status = begin_inner(stream, key_state);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status update_inner(poly_stream *state, const uint8_t *message, size_t message_bytes) {
    if (state->key.live != POLY1305_LIVE) return JM_ERR_ENDED;
    if (state->pending_bytes) {
        const size_t room = JM_POLY1305_BLOCK_BYTES - state->pending_bytes;
        const size_t taken = message_bytes < room ? message_bytes : room;
        if (taken) memcpy(state->pending + state->pending_bytes, message, taken);
        state->pending_bytes += taken;
        if (state->pending_bytes < JM_POLY1305_BLOCK_BYTES) return JM_OK;
        jm_poly1305_absorb_blocks(&state->h, &state->key, state->pending, 1);
        message += taken;
        message_bytes -= taken;
    }
    const size_t blocks = message_bytes / JM_POLY1305_BLOCK_BYTES;
    if (blocks) absorb_blocks(&state->h, &state->key, message, blocks);
    state->pending_bytes = message_bytes % JM_POLY1305_BLOCK_BYTES;
    if (state->pending_bytes)
        memcpy(state->pending, message + blocks * JM_POLY1305_BLOCK_BYTES, state->pending_bytes);
    return JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    const jm_status status = update_inner(stream, message, message_bytes);
    return JM_FORGET(status, UPDATE_STACK_BYTES);
}

JM_APART jm_status finish_inner(poly_stream *state, uint8_t *tag) {
    jm_poly1305_end(&state->h, &state->key, state->pending, state->pending_bytes, tag);
    return JM_OK;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    (void)self;
    jm_status status = JM_OK;
    if (((poly_stream *)stream)->key.live != POLY1305_LIVE) return tag ? JM_ERR_ENDED : JM_OK;
    if (tag) status = finish_inner(stream, tag);
    jm_wipe(stream, sizeof(poly_stream));
    return JM_FORGET(status, STACK_BYTES);
}

#define JM_POLY1305_VARIANT(variant_, features_, constant_time_, note_)                            \
    static const jm_mac_functions functions = {                                                    \
        .key_state_bytes = sizeof(jm_poly1305_key),                                                \
        .stream_bytes = sizeof(poly_stream),                                                       \
        .set_key = SET_KEY,                                                                        \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = tag_message,                                                                        \
        .stream_begin = stream_begin,                                                              \
        .stream_update = stream_update,                                                            \
        .stream_finish = stream_finish,                                                            \
    };                                                                                             \
    const jm_implementation jm_poly1305_##variant_ = {                                             \
        .algorithm = "poly1305",                                                                   \
        .variant = #variant_,                                                                      \
        .note = note_,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = features_,                                                                 \
        .lanes = 1,                                                                                \
        .constant_time = constant_time_,                                                           \
        .block_bytes = JM_POLY1305_BLOCK_BYTES,                                                    \
        .output_bytes = JM_POLY1305_TAG_BYTES,                                                     \
        .key_bytes_min = JM_POLY1305_KEY_BYTES,                                                    \
        .key_bytes_max = JM_POLY1305_KEY_BYTES,                                                    \
        .key_bytes = JM_POLY1305_KEY_BYTES,                                                        \
        .mac = &functions,                                                                         \
        .live = POLY1305_LIVE,                                                                     \
    }

#endif
