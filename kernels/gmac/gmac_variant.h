/* SPDX-License-Identifier: Apache-2.0
 * The functions of a GMAC variant around GHASH.
 *
 * The includer defines, above:
 *     gmac_powers                   // powers of H x, as its ghash needs them
 *     SCHEDULE_BYTES, STACK_BYTES   // for AES with the longest key; common/secret.h
 *     static void make_powers(gmac_powers *to, const uint8_t h[16]);
 *     // GHASH of the `bytes` at `in`, padded, and of a last block with the two numbers.
 *     static void ghash(const gmac_powers *powers, const uint8_t *in, size_t bytes,
 *                       uint64_t first_bits, uint64_t second_bits, uint8_t out[16]);
 *     // Continues GHASH over `blocks` blocks; `sum` is in the standard's byte order.
 *     static void absorb_blocks(const gmac_powers *powers, uint8_t sum[16], const uint8_t *in,
 *                               size_t blocks);
 *     static void encrypt(const jm_implementation *cipher, const void *schedule,
 *                         const uint8_t in[16], uint8_t out[16]);
 *     // Both words little-endian, in one store if `encrypt` loads them at once: the load would
 *     // wait for two stores.
 *     static void store_counter(uint8_t counter[16], uint64_t low, uint64_t high);
 *     LONG_STACK_BYTES   // if messages longer than LONG_BYTES call the function named LONG_CODE,
 *                        // whose frame is deeper
 * It ends with JM_GMAC_VARIANT. */
#ifndef JM_GMAC_VARIANT_H
#define JM_GMAC_VARIANT_H

#include "common/secret.h"
#include "common/words.h"
#include "gmac/gmac.h"

#if !defined(LONG_BYTES)
#define LONG_CODE ""
#define LONG_STACK_BYTES STACK_BYTES
#endif

typedef struct {
    uint64_t live; /* JM_LIVE */
    _Alignas(64) gmac_powers powers;
    _Alignas(64) uint8_t schedule[SCHEDULE_BYTES];
    uint8_t counter[JM_GMAC_BLOCK_BYTES]; /* J0 of SP 800-38D, section 7.1 */
} gmac_key;

JM_APART jm_status load_key(const jm_implementation *self, gmac_key *state, const uint8_t *key,
                            size_t key_bytes) {
    const jm_implementation *cipher = self->over;
    uint8_t h[JM_GMAC_BLOCK_BYTES] = {0};
    const jm_status status = cipher->cipher->set_key(cipher, state->schedule, key, key_bytes);
    if (status != JM_OK) return status;
    encrypt(cipher, state->schedule, h, h);
    make_powers(&state->powers, h);
    memset(state->counter, 0, sizeof state->counter);
    state->counter[JM_GMAC_BLOCK_BYTES - 1] = 1;
    state->live = self->live;
    jm_wipe(h, sizeof h);
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    if (key_bytes != self->key_bytes) return JM_ERR_KEY_BYTES;
    const jm_status status = load_key(self, key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    if (((const gmac_key *)from)->live != self->live) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(gmac_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(gmac_key));
}

JM_APART jm_status hash_nonce(gmac_key *state, const uint8_t *nonce, size_t nonce_bytes) {
    ghash(&state->powers, nonce, nonce_bytes, 0, 8 * (uint64_t)nonce_bytes, state->counter);
    return JM_OK;
}

static jm_status set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                           size_t nonce_bytes) {
    gmac_key *const state = key_state;
    if (state->live != self->live) return JM_ERR_ENDED;
    if (nonce_bytes == JM_GMAC_NONCE_BYTES) {
        store_counter(state->counter, load_le64(nonce), load_le32(nonce + 8) | UINT64_C(1) << 56);
        return JM_OK;
    }
    if (nonce_bytes == 0 || nonce_bytes > JM_GMAC_NONCE_BYTES_MAX) return JM_ERR_NONCE_BYTES;
    const jm_status status = hash_nonce(state, nonce, nonce_bytes);
    return JM_FORGET(status, LONG_STACK_BYTES);
}

/* Adds words: Clang would take bytes out of their register one by one. */
JM_INLINE void add_blocks(uint8_t *to, const uint8_t *a, const uint8_t *b) {
    uint64_t x[2], y[2];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    x[0] ^= y[0];
    x[1] ^= y[1];
    memcpy(to, x, sizeof x);
}

JM_APART jm_status tag_inner(const jm_implementation *self, const gmac_key *key,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_implementation *cipher = self->over;
    if (key->live != self->live) return JM_ERR_ENDED;
    uint8_t mask[JM_GMAC_BLOCK_BYTES], sum[JM_GMAC_BLOCK_BYTES];
    encrypt(cipher, key->schedule, key->counter, mask);
    ghash(&key->powers, message, message_bytes, 8 * (uint64_t)message_bytes, 0, sum);
    add_blocks(tag, sum, mask);
    return JM_OK;
}

static jm_status tag_message(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_status status = tag_inner(self, key_state, message, message_bytes, tag);
#if defined(LONG_BYTES)
    if (message_bytes > LONG_BYTES) return JM_FORGET(status, LONG_STACK_BYTES);
#endif
    return JM_FORGET_WITHOUT(status, STACK_BYTES, LONG_CODE);
}

/* A message in pieces. `sum` is GHASH of all bytes that are not pending. */
typedef struct {
    uint64_t live; /* JM_LIVE */
    uint8_t sum[JM_GMAC_BLOCK_BYTES], counter[JM_GMAC_BLOCK_BYTES], pending[JM_GMAC_BLOCK_BYTES];
    size_t pending_bytes; /* below 16 */
    uint64_t message_bytes;
    const gmac_key *key;
} gmac_stream;

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const gmac_key *key = key_state;
    if (key->live != self->live) return JM_ERR_ENDED;
    gmac_stream *const state = stream;
    *state = (gmac_stream){.live = self->live, .key = key};
    memcpy(state->counter, key->counter, sizeof state->counter);
    return JM_OK;
}

static inline bool goes_on(const jm_implementation *self, const gmac_stream *stream) {
    return stream->live == self->live && stream->key->live == self->live;
}

JM_APART jm_status update_inner(const jm_implementation *self, gmac_stream *state,
                                const uint8_t *message, size_t message_bytes) {
    if (!goes_on(self, state)) return JM_ERR_ENDED;
    state->message_bytes += message_bytes;
    if (state->pending_bytes) {
        const size_t room = JM_GMAC_BLOCK_BYTES - state->pending_bytes;
        const size_t taken = message_bytes < room ? message_bytes : room;
        if (taken) memcpy(state->pending + state->pending_bytes, message, taken);
        state->pending_bytes += taken;
        if (state->pending_bytes < JM_GMAC_BLOCK_BYTES) return JM_OK;
        absorb_blocks(&state->key->powers, state->sum, state->pending, 1);
        message += taken;
        message_bytes -= taken;
    }
    const size_t blocks = message_bytes / JM_GMAC_BLOCK_BYTES;
    if (blocks) absorb_blocks(&state->key->powers, state->sum, message, blocks);
    state->pending_bytes = message_bytes % JM_GMAC_BLOCK_BYTES;
    if (state->pending_bytes)
        memcpy(state->pending, message + blocks * JM_GMAC_BLOCK_BYTES, state->pending_bytes);
    return JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    const jm_status status = update_inner(self, stream, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status finish_inner(const jm_implementation *self, gmac_stream *state, uint8_t *tag) {
    const jm_implementation *cipher = self->over;
    if (!goes_on(self, state)) return JM_ERR_ENDED;
    const gmac_key *key = state->key;
    if (state->pending_bytes) {
        memset(state->pending + state->pending_bytes, 0,
               JM_GMAC_BLOCK_BYTES - state->pending_bytes);
        absorb_blocks(&key->powers, state->sum, state->pending, 1);
    }
    store_be64(state->pending, 8 * state->message_bytes);
    store_be64(state->pending + 8, 0);
    absorb_blocks(&key->powers, state->sum, state->pending, 1);
    encrypt(cipher, key->schedule, state->counter, state->pending);
    add_blocks(tag, state->sum, state->pending);
    return JM_OK;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    jm_status status = JM_OK;
    if (((gmac_stream *)stream)->live != self->live) return tag ? JM_ERR_ENDED : JM_OK;
    if (tag) status = finish_inner(self, stream, tag);
    jm_wipe(stream, sizeof(gmac_stream));
    return JM_FORGET(status, STACK_BYTES);
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(gmac_key),
    .stream_bytes = sizeof(gmac_stream),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag_message,
    .stream_begin = stream_begin,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
    .set_nonce = set_nonce,
};

#define JM_GMAC_VARIANT(variant_, bits_, cipher_, features_, constant_time_, note_)                \
    const jm_implementation jm_gmac_aes##bits_##_##variant_ = {                                    \
        .algorithm = "gmac-aes" #bits_,                                                            \
        .variant = #variant_,                                                                      \
        .note = note_,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = features_,                                                                 \
        .lanes = 1,                                                                                \
        .constant_time = constant_time_,                                                           \
        .nonce_bytes_min = 1,                                                                      \
        .nonce_bytes_max = JM_GMAC_NONCE_BYTES_MAX,                                                \
        .nonce_bytes = JM_GMAC_NONCE_BYTES,                                                        \
        .block_bytes = JM_GMAC_BLOCK_BYTES,                                                        \
        .output_bytes = JM_GMAC_BLOCK_BYTES,                                                       \
        .key_bytes_min = bits_ / 8,                                                                \
        .key_bytes_max = bits_ / 8,                                                                \
        .key_bytes = bits_ / 8,                                                                    \
        .mac = &functions,                                                                         \
        .over = &cipher_,                                                                          \
        .live = JM_LIVE("gmac-aes" #bits_, #variant_),                                             \
    }

#endif
