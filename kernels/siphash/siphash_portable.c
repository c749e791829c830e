/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section 2), and the
 * 128-bit tag of the authors' reference implementation, which the paper does not describe.
 * Technique: four 64-bit words in registers; the last word is loaded without passing through
 *   memory; the key state is the initial v0..v3, so that a tag starts with the first round.
 * State layout: a key is v0..v3 and JM_LIVE; a stream adds the word being filled and the length.
 * CPU features: none.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/forget.h).
 * Best for: very short messages under a secret key, with 64-bit tags. */
#include "common/forget.h"
#include "common/load_partial.h"
#include "common/secret.h"
#include "siphash/siphash.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct {
    uint64_t v0, v1, v2, v3;
} sip_state;

typedef struct {
    sip_state v;
    uint64_t live;
} sip_key;

/* The lowest `length % 8` bytes of `word` are message bytes not yet absorbed, the others 0. The
 * standard uses the length modulo 256 only, so a wrap of size_t does no harm. */
typedef struct {
    sip_state v;
    uint64_t word;
    size_t length;
    uint64_t live;
} sip_stream;

/* Registers that are saved or spilled. */
enum { STACK_BYTES = 128 };

_Static_assert(sizeof(sip_key) == JM_SIPHASH_KEY_STATE_BYTES, "the lanes share the key state");
_Static_assert(sizeof(sip_stream) == JM_SIPHASH_STREAM_BYTES, "and the stream");

INLINE void sip_round(sip_state *s) {
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotl64(s->v1, 13) ^ s->v0;
    s->v3 = rotl64(s->v3, 16) ^ s->v2;
    s->v0 = rotl64(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotl64(s->v1, 17) ^ s->v2;
    s->v3 = rotl64(s->v3, 21) ^ s->v0;
    s->v2 = rotl64(s->v2, 32);
}

INLINE void absorb(sip_state *s, uint64_t word) {
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

INLINE uint64_t four_rounds(sip_state *s) {
    for (unsigned i = 0; i < 4; i++) sip_round(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* `word` holds the last length % 8 bytes. */
INLINE void finish(sip_state *s, uint64_t word, size_t length, size_t tag_bytes, uint8_t *tag) {
    absorb(s, word | (uint64_t)length << 56);
    s->v2 ^= tag_bytes == 16 ? 0xee : 0xff;
    store_le64(tag, four_rounds(s));
    if (tag_bytes == 16) {
        s->v1 ^= 0xdd;
        store_le64(tag + 8, four_rounds(s));
    }
}

INLINE jm_status tag_message(const sip_key *key, const uint8_t *message, size_t message_bytes,
                             size_t tag_bytes, uint8_t *tag) {
    if (key->live != JM_LIVE) return JM_ERR_ENDED;
    sip_state s = key->v;
    const size_t rest = message_bytes % JM_SIPHASH_WORD_BYTES;
    /* As a number, because NULL may not take even an offset of 0. */
    const uint8_t *end = (const uint8_t *)((uintptr_t)message + (message_bytes - rest));
    const uint64_t last = load_le64_partial(end, rest);
    for (; message != end; message += JM_SIPHASH_WORD_BYTES) absorb(&s, load_le64(message));
    finish(&s, last, message_bytes, tag_bytes, tag);
    return JM_OK;
}

/* The constants spell "somepseudorandomlygeneratedbytes". */
INLINE jm_status set_key(sip_key *state, const uint8_t *key, size_t key_bytes, size_t tag_bytes) {
    if (key_bytes != JM_SIPHASH_KEY_BYTES) return JM_ERR_KEY_BYTES;
    const uint64_t k0 = load_le64(key), k1 = load_le64(key + 8);
    sip_state *s = &state->v;
    s->v0 = k0 ^ UINT64_C(0x736f6d6570736575);
    s->v1 = k1 ^ UINT64_C(0x646f72616e646f6d) ^ (tag_bytes == 16 ? 0xee : 0);
    s->v2 = k0 ^ UINT64_C(0x6c7967656e657261);
    s->v3 = k1 ^ UINT64_C(0x7465646279746573);
    state->live = JM_LIVE;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    if (((const sip_key *)from)->live != JM_LIVE) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(sip_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(sip_key));
}

JM_APART jm_status begin_stream(sip_stream *state, const sip_key *key) {
    if (key->live != JM_LIVE) return JM_ERR_ENDED;
    *state = (sip_stream){.v = key->v, .live = JM_LIVE};
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    (void)self;
    const jm_status status = begin_stream(stream, key_state);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status update_stream(sip_stream *state, const uint8_t *message, size_t message_bytes) {
    if (state->live != JM_LIVE) return JM_ERR_ENDED;
    const size_t held = state->length % JM_SIPHASH_WORD_BYTES;
    state->length += message_bytes;
    if (held) {
        const size_t room = JM_SIPHASH_WORD_BYTES - held;
        if (message_bytes < room) {
            state->word |= load_le64_partial(message, message_bytes) << (8 * held);
            return JM_OK;
        }
        absorb(&state->v, state->word | load_le64_partial(message, room) << (8 * held));
        message += room;
        message_bytes -= room;
    }
    sip_state s = state->v;
    for (; message_bytes >= JM_SIPHASH_WORD_BYTES; message_bytes -= JM_SIPHASH_WORD_BYTES) {
        absorb(&s, load_le64(message));
        message += JM_SIPHASH_WORD_BYTES;
    }
    state->v = s;
    state->word = load_le64_partial(message, message_bytes);
    return JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    const jm_status status = update_stream(stream, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

/* The functions that depend on the size of the tag, with it known to the compiler. */
#define DEFINE_SIPHASH(id, name, tag_bytes, note_)                                                 \
    JM_APART jm_status set_key_inner_##name(const jm_implementation *self, void *key_state,        \
                                            const uint8_t *key, size_t key_bytes) {                \
        (void)self;                                                                                \
        return set_key(key_state, key, key_bytes, tag_bytes);                                      \
    }                                                                                              \
    static jm_status set_key_##name(const jm_implementation *self, void *key_state,                \
                                    const uint8_t *key, size_t key_bytes) {                        \
        const jm_status status = set_key_inner_##name(self, key_state, key, key_bytes);            \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    JM_APART jm_status tag_inner_##name(const jm_implementation *self, const void *key_state,      \
                                        const uint8_t *message, size_t message_bytes,              \
                                        uint8_t *tag) {                                            \
        (void)self;                                                                                \
        return tag_message(key_state, message, message_bytes, tag_bytes, tag);                     \
    }                                                                                              \
    static jm_status tag_##name(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        const jm_status status = tag_inner_##name(self, key_state, message, message_bytes, tag);   \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    JM_APART jm_status finish_stream_##name(sip_stream *state, uint8_t *tag) {                     \
        if (state->live != JM_LIVE) return JM_ERR_ENDED;                                           \
        finish(&state->v, state->word, state->length, tag_bytes, tag);                             \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status stream_finish_##name(const jm_implementation *self, void *stream,             \
                                          uint8_t *tag) {                                          \
        (void)self;                                                                                \
        jm_status status = JM_OK;                                                                  \
        if (tag) status = finish_stream_##name(stream, tag);                                       \
        jm_wipe(stream, sizeof(sip_stream));                                                       \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    static const jm_mac_functions functions_##name = {                                             \
        .key_state_bytes = sizeof(sip_key),                                                        \
        .stream_bytes = sizeof(sip_stream),                                                        \
        .set_key = set_key_##name,                                                                 \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = tag_##name,                                                                         \
        .stream_begin = stream_begin,                                                              \
        .stream_update = stream_update,                                                            \
        .stream_finish = stream_finish_##name,                                                     \
    };                                                                                             \
    const jm_implementation jm_##name##_portable = {                                               \
        .algorithm = id,                                                                           \
        .variant = "portable",                                                                     \
        .note = note_,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .constant_time = true,                                                                     \
        .block_bytes = JM_SIPHASH_WORD_BYTES,                                                      \
        .output_bytes = tag_bytes,                                                                 \
        .key_bytes_min = JM_SIPHASH_KEY_BYTES,                                                     \
        .key_bytes_max = JM_SIPHASH_KEY_BYTES,                                                     \
        .key_bytes = JM_SIPHASH_KEY_BYTES,                                                         \
        .mac = &functions_##name,                                                                  \
    };

DEFINE_SIPHASH("siphash-2-4", siphash_2_4, 8, "64-bit words in plain C.")
DEFINE_SIPHASH("siphash-2-4-128", siphash_2_4_128, 16, "64-bit words in plain C.")
