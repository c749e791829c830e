/* SPDX-License-Identifier: Apache-2.0
 *
 * KMAC (NIST SP 800-185, section 4) with an empty customization string and a tag of fixed length,
 * for any implementation whose `over` is a keccak_sponge and whose variant works in general
 * registers alone: the outer halves here clear only the registers of a basic x86-64 CPU
 * (common/secret.h).
 *
 * The key state is the sponge's state after the blocks that are the same for all messages: the name
 * of the function and the key. A tag costs the message's own blocks, which end with the length of
 * the tag (KECCAK_KMAC in keccak.h). */
#include "common/secret.h"
#include "keccak/keccak.h"

/* Frames of the inner halves: two arrays of 25 words in a permutation, and its spilled
 * registers. */
#define STACK_BYTES 1024

typedef struct {
    uint64_t live; /* JM_LIVE */
    _Alignas(JM_STATE_ALIGN) uint64_t state[KECCAK_WORDS];
} kmac_key;

typedef struct {
    uint64_t live; /* JM_LIVE */
    keccak_state absorbed;
} kmac_stream;

enum { LEFT_ENCODE_MAX = 9 };

/* left_encode (section 2.3.1): the number of the integer's bytes, then the bytes, the highest
 * first. */
static size_t left_encode(uint8_t to[LEFT_ENCODE_MAX], uint64_t number) {
    size_t bytes = 1;
    while (bytes < 8 && number >> 8 * bytes) bytes++;
    to[0] = (uint8_t)bytes;
    for (size_t i = 0; i < bytes; i++) to[1 + i] = (uint8_t)(number >> 8 * (bytes - 1 - i));
    return 1 + bytes;
}

/* Begins bytepad (section 2.3.3) with the encoded rate. */
static void begin_pad(const keccak_sponge *sponge, keccak_state *state) {
    uint8_t rate[LEFT_ENCODE_MAX];
    const size_t bytes = left_encode(rate, sponge->rate_bytes);
    jm_keccak_state_update(sponge, state, rate, bytes);
}

/* Ends bytepad with zeros to the block's end. */
static void end_pad(const keccak_sponge *sponge, keccak_state *state) {
    if (state->at) sponge->absorb(state->state, NULL, 0, 1);
    state->at = 0;
}

/* encode_string("KMAC") and encode_string(""), whose lengths are in bits. */
static const uint8_t named[] = {0x01, 0x20, 'K', 'M', 'A', 'C', 0x01, 0x00};

JM_APART jm_status set_key_inner(const keccak_sponge *sponge, kmac_key *to, keccak_state *state,
                                 const uint8_t *key, size_t key_bytes, uint64_t live) {
    uint8_t length[LEFT_ENCODE_MAX];
    keccak_clear(state->state);
    state->at = 0;
    begin_pad(sponge, state);
    jm_keccak_state_update(sponge, state, named, sizeof named);
    end_pad(sponge, state);
    begin_pad(sponge, state);
    const size_t bytes = left_encode(length, 8 * (uint64_t)key_bytes);
    jm_keccak_state_update(sponge, state, length, bytes);
    if (key_bytes) jm_keccak_state_update(sponge, state, key, key_bytes);
    end_pad(sponge, state);
    keccak_copy(to->state, state->state);
    to->live = live;
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    keccak_state state;
    const jm_status status =
        set_key_inner(self->over, key_state, &state, key, key_bytes, self->live);
    keccak_clear(state.state);
    return JM_FORGET(status, STACK_BYTES);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    if (((const kmac_key *)from)->live != self->live) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(kmac_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(kmac_key));
}

JM_APART jm_status tag_inner(const keccak_sponge *sponge, uint64_t state[KECCAK_WORDS],
                             const kmac_key *key, uint64_t live, const uint8_t *message,
                             size_t message_bytes, uint8_t *tag) {
    if (key->live != live) return JM_ERR_ENDED;
    keccak_copy(state, key->state);
    keccak_finish(sponge, state, message, message_bytes);
    keccak_output(sponge, state, tag);
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

JM_APART jm_status begin_inner(kmac_stream *stream, const kmac_key *key, uint64_t live) {
    if (key->live != live) return JM_ERR_ENDED;
    keccak_copy(stream->absorbed.state, key->state);
    stream->absorbed.at = 0;
    stream->live = live;
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const jm_status status = begin_inner(stream, key_state, self->live);
    return JM_FORGET(status, 64);
}

JM_APART jm_status update_inner(const keccak_sponge *sponge, kmac_stream *stream, uint64_t live,
                                const uint8_t *message, size_t message_bytes) {
    if (stream->live != live) return JM_ERR_ENDED;
    if (message_bytes) jm_keccak_state_update(sponge, &stream->absorbed, message, message_bytes);
    return JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    const jm_status status = update_inner(self->over, stream, self->live, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status finish_inner(const keccak_sponge *sponge, kmac_stream *stream, uint8_t *out) {
    keccak_pad(sponge, stream->absorbed.state, stream->absorbed.at);
    keccak_output(sponge, stream->absorbed.state, out);
    return JM_OK;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *out) {
    jm_status status = JM_OK;
    if (((kmac_stream *)stream)->live != self->live) return out ? JM_ERR_ENDED : JM_OK;
    if (out) status = finish_inner(self->over, stream, out);
    jm_wipe(stream, sizeof(kmac_stream));
    return JM_FORGET(status, STACK_BYTES);
}

const jm_mac_functions jm_keccak_kmac = {
    .key_state_bytes = sizeof(kmac_key),
    .stream_bytes = sizeof(kmac_stream),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
    .stream_begin = stream_begin,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
};
