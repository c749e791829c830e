/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC over a hash of the Keccak family, for any implementation whose `over` is a keccak_sponge and
 * whose variant works in general registers alone: the outer halves here clear only the registers of
 * a basic x86-64 CPU (common/secret.h). */
#include "keccak/keccak.h"

/* Frames of the inner halves: two arrays of 25 words in a permutation, and its spilled
 * registers. */
#define STACK_BYTES 1024

static const uint64_t ipad = UINT64_C(0x3636363636363636), opad = UINT64_C(0x5c5c5c5c5c5c5c5c);

/* The state after the key's block, under one of the pads. */
static inline void absorb_key(const keccak_sponge *sponge, uint64_t state[KECCAK_WORDS],
                              const uint64_t block[KECCAK_WORDS], uint64_t pad) {
    const size_t words = sponge->rate_bytes / 8;
    for (size_t i = 0; i < KECCAK_WORDS; i++) state[i] = i < words ? block[i] ^ pad : 0;
    sponge->absorb(state, NULL, 0, 1);
}

/* A key longer than a block is replaced by its digest (RFC 2104, section 2). */
JM_APART jm_status set_key_inner(const keccak_sponge *sponge, keccak_hmac_key *to,
                                 uint64_t block[KECCAK_WORDS], const uint8_t *key, size_t key_bytes,
                                 uint64_t live) {
    keccak_clear(block);
    if (key_bytes > sponge->rate_bytes) {
        keccak_finish(sponge, block, key, key_bytes);
        for (size_t i = sponge->digest_bytes / 8; i < KECCAK_WORDS; i++) block[i] = 0;
    } else {
        keccak_add(block, 0, key, key_bytes);
    }
    absorb_key(sponge, to->inner, block, ipad);
    absorb_key(sponge, to->outer, block, opad);
    to->live = live;
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    uint64_t block[KECCAK_WORDS];
    const jm_status status =
        set_key_inner(self->over, key_state, block, key, key_bytes, self->live);
    keccak_clear(block);
    return JM_FORGET(status, STACK_BYTES);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    if (((const keccak_hmac_key *)from)->live != self->live) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(keccak_hmac_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(keccak_hmac_key));
}

/* Computes the outer hash of the inner digest, the first words of `inner`, in place. */
static inline void close_hmac(const keccak_sponge *sponge, uint64_t inner[KECCAK_WORDS],
                              const uint64_t outer[KECCAK_WORDS], uint8_t *tag) {
    const size_t words = sponge->digest_bytes / 8;
    for (size_t i = 0; i < KECCAK_WORDS; i++) inner[i] = i < words ? inner[i] ^ outer[i] : outer[i];
    keccak_pad(sponge, inner, sponge->digest_bytes);
    keccak_output(sponge, inner, tag);
}

JM_APART jm_status tag_inner(const keccak_sponge *sponge, uint64_t state[KECCAK_WORDS],
                             const keccak_hmac_key *key, uint64_t live, const uint8_t *message,
                             size_t message_bytes, uint8_t *tag) {
    if (key->live != live) return JM_ERR_ENDED;
    keccak_copy(state, key->inner);
    keccak_finish(sponge, state, message, message_bytes);
    close_hmac(sponge, state, key->outer, tag);
    return JM_OK;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    uint64_t state[KECCAK_WORDS];
    const jm_status status =
        tag_inner(self->over, state, key_state, self->live, message, message_bytes, out);
    keccak_clear(state);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status begin_inner(keccak_hmac_stream *stream, const keccak_hmac_key *key,
                               uint64_t live) {
    if (key->live != live) return JM_ERR_ENDED;
    keccak_copy(stream->inner.state, key->inner);
    keccak_copy(stream->outer, key->outer);
    stream->inner.at = 0;
    stream->live = live;
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const jm_status status = begin_inner(stream, key_state, self->live);
    return JM_FORGET(status, 64);
}

JM_APART jm_status update_inner(const keccak_sponge *sponge, keccak_hmac_stream *stream,
                                uint64_t live, const uint8_t *message, size_t message_bytes) {
    if (stream->live != live) return JM_ERR_ENDED;
    if (message_bytes) jm_keccak_state_update(sponge, &stream->inner, message, message_bytes);
    return JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    const jm_status status = update_inner(self->over, stream, self->live, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status finish_inner(const keccak_sponge *sponge, keccak_hmac_stream *stream,
                                uint8_t *out) {
    keccak_pad(sponge, stream->inner.state, stream->inner.at);
    close_hmac(sponge, stream->inner.state, stream->outer, out);
    return JM_OK;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *out) {
    jm_status status = JM_OK;
    if (((keccak_hmac_stream *)stream)->live != self->live) return out ? JM_ERR_ENDED : JM_OK;
    if (out) status = finish_inner(self->over, stream, out);
    jm_wipe(stream, sizeof(keccak_hmac_stream));
    return JM_FORGET(status, STACK_BYTES);
}

const jm_mac_functions jm_keccak_hmac = {
    .key_state_bytes = sizeof(keccak_hmac_key),
    .stream_bytes = sizeof(keccak_hmac_stream),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
    .stream_begin = stream_begin,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
};
