/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305-AES (Bernstein, "The Poly1305-AES message-authentication code", section 2), made of a
 * variant of Poly1305: a key is a key of AES-128 and r, and the s of a message is its encrypted
 * nonce. The variant tags a message under the key (r, s); a short message is tagged here, in the
 * same limbs, since a call would cost as much as the message.
 *
 * The includer defines, above:
 *     POLY1305_AES_SCHEDULE_BYTES, poly1305_aes_cipher  // of AES-128, and its jm_implementation
 *     POLY1305_AES_LAYOUT                               // the cipher's name, for JM_LIVE
 *     void poly1305_aes_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]);
 * It ends with JM_POLY1305_AES for each variant.
 *
 * The variants overwrite their own frames and vectors; the functions here overwrite what AES and
 * short messages leave. */
#ifndef JM_POLY1305_AES_NONCE_H
#define JM_POLY1305_AES_NONCE_H

#include "aes/aes.h"
#include "common/secret.h"
#include "poly1305/poly1305_scalar.h"

#define POLY1305_AES_LIVE JM_LIVE("poly1305-aes", POLY1305_AES_LAYOUT)
#define POLY1305_AES_NONCE_BYTES 16u
#define POLY1305_AES_CIPHER_KEY_BYTES JM_AES128_KEY_BYTES
#define POLY1305_AES_SHORT_BYTES 240u /* the widest variant uses vectors from this length on */

typedef struct {
    uint64_t live; /* JM_LIVE */
    _Alignas(16) uint8_t schedule[POLY1305_AES_SCHEDULE_BYTES];
    uint8_t nonce[POLY1305_AES_NONCE_BYTES];
    jm_poly1305_key r; /* its s is 0 */
} poly1305_aes_key;

JM_APART jm_status load_key(poly1305_aes_key *to, const uint8_t *key) {
    uint8_t pair[JM_POLY1305_KEY_BYTES] = {0};
    const jm_implementation *cipher = &poly1305_aes_cipher;
    cipher->cipher->set_key(cipher, to->schedule, key, POLY1305_AES_CIPHER_KEY_BYTES);
    memcpy(pair, key + POLY1305_AES_CIPHER_KEY_BYTES, 16);
    jm_poly1305_load_key(&to->r, pair);
    to->r.live = JM_LIVE("poly1305", "");
    to->live = POLY1305_AES_LIVE;
    memset(to->nonce, 0, sizeof to->nonce);
    jm_wipe(pair, sizeof pair);
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    if (key_bytes != JM_POLY1305_KEY_BYTES) return JM_ERR_KEY_BYTES;
    const jm_status status = load_key(key_state, key);
    return JM_FORGET(status, STACK_BYTES);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    if (((const poly1305_aes_key *)from)->live != POLY1305_AES_LIVE) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(poly1305_aes_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(poly1305_aes_key));
}

static jm_status set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                           size_t nonce_bytes) {
    (void)self;
    poly1305_aes_key *const state = key_state;
    if (state->live != POLY1305_AES_LIVE) return JM_ERR_ENDED;
    if (nonce_bytes != POLY1305_AES_NONCE_BYTES) return JM_ERR_NONCE_BYTES;
    memcpy(state->nonce, nonce, POLY1305_AES_NONCE_BYTES);
    return JM_OK;
}

/* The key of Poly1305 for the message with this nonce. */
JM_INLINE void key_of_message(jm_poly1305_key *to, const poly1305_aes_key *from) {
    uint8_t s[16];
    poly1305_aes_encrypt(from->schedule, from->nonce, s);
    *to = from->r;
    to->s0 = load_le64(s);
    to->s1 = load_le64(s + 8);
}

JM_APART jm_status tag_inner(const jm_implementation *over, const poly1305_aes_key *from,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    if (from->live != POLY1305_AES_LIVE) return JM_ERR_ENDED;
    jm_poly1305_key key;
    key_of_message(&key, from);
    if (message_bytes >= POLY1305_AES_SHORT_BYTES)
        return over->mac->tag(over, &key, message, message_bytes, tag);
    jm_poly1305_sum h = {0, 0, 0};
    const size_t whole = message_bytes / JM_POLY1305_BLOCK_BYTES * JM_POLY1305_BLOCK_BYTES;
    jm_poly1305_absorb_blocks(&h, &from->r, message, whole / JM_POLY1305_BLOCK_BYTES);
    /* No offset if it would be 0, because C forbids adding even 0 to NULL. */
    jm_poly1305_end(&h, &key, whole ? message + whole : message, message_bytes - whole, tag);
    return JM_OK;
}

static jm_status tag_message(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_status status = tag_inner(self->over, key_state, message, message_bytes, tag);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status begin_inner(const jm_implementation *over, void *stream,
                               const poly1305_aes_key *from) {
    if (from->live != POLY1305_AES_LIVE) return JM_ERR_ENDED;
    jm_poly1305_key key;
    key_of_message(&key, from);
    return over->mac->stream_begin(over, stream, &key);
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const jm_status status = begin_inner(self->over, stream, key_state);
    return JM_FORGET(status, STACK_BYTES);
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    const jm_implementation *over = self->over;
    return over->mac->stream_update(over, stream, message, message_bytes);
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    const jm_implementation *over = self->over;
    return over->mac->stream_finish(over, stream, tag);
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(poly1305_aes_key),
    .stream_bytes = JM_POLY1305_STREAM_BYTES,
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag_message,
    .stream_begin = stream_begin,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
    .set_nonce = set_nonce,
};

/* jm_poly1305_aes_<variant_> over jm_poly1305_<variant_>. */
#define JM_POLY1305_AES(variant_, features_, constant_time_, note_)                                \
    const jm_implementation jm_poly1305_aes_##variant_ = {                                         \
        .algorithm = "poly1305-aes",                                                               \
        .variant = #variant_,                                                                      \
        .note = note_,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = features_,                                                                 \
        .lanes = 1,                                                                                \
        .constant_time = constant_time_,                                                           \
        .nonce_bytes_min = POLY1305_AES_NONCE_BYTES,                                               \
        .nonce_bytes_max = POLY1305_AES_NONCE_BYTES,                                               \
        .nonce_bytes = POLY1305_AES_NONCE_BYTES,                                                   \
        .block_bytes = JM_POLY1305_BLOCK_BYTES,                                                    \
        .output_bytes = JM_POLY1305_TAG_BYTES,                                                     \
        .key_bytes_min = JM_POLY1305_KEY_BYTES,                                                    \
        .key_bytes_max = JM_POLY1305_KEY_BYTES,                                                    \
        .key_bytes = JM_POLY1305_KEY_BYTES,                                                        \
        .mac = &functions,                                                                         \
        .over = &jm_poly1305_##variant_,                                                           \
        .live = POLY1305_AES_LIVE,                                                                 \
    }

#endif
