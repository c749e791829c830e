/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section 2) one message at a
 * time, written once for words of 64 bits and for HalfSipHash's of 32.
 *
 * The includer defines, above, and gets DEFINE_SIPHASH:
 *   - word: uint64_t or uint32_t;
 *   - LOAD, STORE: of a word, little-endian; LOAD_PARTIAL: of fewer bytes than a word has;
 *   - ROTATE, and ROTATE_1 to ROTATE_6: rotation to the left, its counts in the order of a round;
 *   - START_0 to START_3: the constants to which the key is added;
 *   - RESULT(s): a word of the tag, after the closing rounds;
 *   - KEY_STATE_BYTES, STREAM_BYTES;
 *   - VARIANT: the variant's name; STACK_BYTES: of saved or spilled registers (common/secret.h);
 *   - ROUNDS_INLINE: how functions of rounds are declared, JM_INLINE or JM_ONCE;
 *   - SIP_ROUNDS(s, rounds), in place of ROTATE, if the file has other code for the rounds. */
#ifndef JM_SIPHASH_WORDS_H
#define JM_SIPHASH_WORDS_H

#include "common/secret.h"
#include "common/words.h"
#include "siphash/siphash.h"

enum { WORD_BYTES = sizeof(word), KEY_BYTES = 2 * sizeof(word) };

typedef struct {
    word v0, v1, v2, v3;
} sip_state;

typedef struct {
    _Alignas(JM_STATE_ALIGN) sip_state v;
    uint64_t live;
} sip_key;

/* The lowest length % WORD_BYTES bytes of `part` are message bytes not yet absorbed, the others 0.
 * The standard uses the length modulo 256 only, so a wrap of size_t does no harm. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) sip_state v;
    word part;
    size_t length;
    uint64_t live;
} sip_stream;

_Static_assert(sizeof(sip_key) == KEY_STATE_BYTES, "lanes share the key state");
_Static_assert(sizeof(sip_stream) == STREAM_BYTES ||
                   (sizeof(size_t) < 8 && sizeof(sip_stream) < STREAM_BYTES),
               "and the stream, of which a machine with shorter sizes leaves some bytes");

/* A round; `SET` assigns the result of each of its 14 operations. */
#define SIP_ROUND(s, SET)                                                                          \
    do {                                                                                           \
        SET((s)->v0, (s)->v0 + (s)->v1);                                                           \
        SET((s)->v2, (s)->v2 + (s)->v3);                                                           \
        SET((s)->v1, ROTATE((s)->v1, ROTATE_1));                                                   \
        SET((s)->v3, ROTATE((s)->v3, ROTATE_2));                                                   \
        SET((s)->v1, (s)->v1 ^ (s)->v0);                                                           \
        SET((s)->v3, (s)->v3 ^ (s)->v2);                                                           \
        SET((s)->v0, ROTATE((s)->v0, ROTATE_3));                                                   \
        SET((s)->v2, (s)->v2 + (s)->v1);                                                           \
        SET((s)->v0, (s)->v0 + (s)->v3);                                                           \
        SET((s)->v1, ROTATE((s)->v1, ROTATE_4));                                                   \
        SET((s)->v3, ROTATE((s)->v3, ROTATE_5));                                                   \
        SET((s)->v1, (s)->v1 ^ (s)->v2);                                                           \
        SET((s)->v3, (s)->v3 ^ (s)->v0);                                                           \
        SET((s)->v2, ROTATE((s)->v2, ROTATE_6));                                                   \
    } while (0)

/* Keeps each operation where it stands: the two halves of a round take turns. In GCC's own order
 * long messages took a tenth longer (AMD Zen 4, GCC 12); the rounds after the last word, for which
 * nothing waits, are a little faster in GCC's order. */
#define SIP_IN_PLACE(to, value)                                                                    \
    do {                                                                                           \
        (to) = (value);                                                                            \
        JM_HIDE("r", to);                                                                          \
    } while (0)
#define SIP_ANYWHERE(to, value) ((to) = (value))

/* A function of the family: rounds after a word, rounds after the message, and the tag. */
typedef struct {
    unsigned rounds, closing_rounds;
    size_t tag_bytes; /* of one word, or of two words */
} sip_kind;

#if !defined(SIP_ROUNDS)
#define SIP_ROUNDS(s, rounds)                                                                      \
    for (unsigned i = 0; i < (rounds); i++) SIP_ROUND(s, SIP_ANYWHERE)
#define SIP_ROUNDS_IN_PLACE(s, rounds)                                                             \
    for (unsigned i = 0; i < (rounds); i++) SIP_ROUND(s, SIP_IN_PLACE)
#else
#define SIP_ROUNDS_IN_PLACE SIP_ROUNDS
#endif

/* Absorbs a word that is not the last. */
ROUNDS_INLINE void absorb(sip_state *s, word part, unsigned rounds) {
    s->v3 ^= part;
    SIP_ROUNDS_IN_PLACE(s, rounds);
    s->v0 ^= part;
}

ROUNDS_INLINE void end_rounds(sip_state *s, unsigned rounds) {
    SIP_ROUNDS(s, rounds);
}

JM_INLINE word close_rounds(sip_state *s, unsigned rounds) {
    end_rounds(s, rounds);
    return RESULT(s);
}

/* `part` holds the last length % WORD_BYTES bytes. */
JM_INLINE void finish(sip_state *s, word part, size_t length, sip_kind kind, uint8_t *tag) {
    const bool two_words = kind.tag_bytes > WORD_BYTES;
    const word last = part | (word)length << 8 * (WORD_BYTES - 1);
    s->v3 ^= last;
    end_rounds(s, kind.rounds);
    s->v0 ^= last;
    s->v2 ^= two_words ? 0xee : 0xff;
    STORE(tag, close_rounds(s, kind.closing_rounds));
    if (two_words) {
        s->v1 ^= 0xdd;
        STORE(tag + WORD_BYTES, close_rounds(s, kind.closing_rounds));
    }
}

JM_INLINE jm_status tag_message(const sip_key *key, const uint8_t *message, size_t message_bytes,
                                sip_kind kind, uint64_t live, uint8_t *tag) {
    if (key->live != live) return JM_ERR_ENDED;
    sip_state s = key->v;
    const size_t rest = message_bytes % WORD_BYTES;
    /* Computed as a number, because C forbids adding even 0 to NULL. */
    const uint8_t *end = (const uint8_t *)((uintptr_t)message + (message_bytes - rest));
    const word last = LOAD_PARTIAL(end, rest);
    for (; message != end; message += WORD_BYTES) absorb(&s, LOAD(message), kind.rounds);
    finish(&s, last, message_bytes, kind, tag);
    return JM_OK;
}

JM_INLINE jm_status set_key(sip_key *state, const uint8_t *key, size_t key_bytes, sip_kind kind,
                            uint64_t live) {
    if (key_bytes != KEY_BYTES) return JM_ERR_KEY_BYTES;
    const word k0 = LOAD(key), k1 = LOAD(key + WORD_BYTES);
    sip_state *s = &state->v;
    s->v0 = k0 ^ START_0;
    s->v1 = k1 ^ START_1 ^ (kind.tag_bytes > WORD_BYTES ? 0xee : 0);
    s->v2 = k0 ^ START_2;
    s->v3 = k1 ^ START_3;
    state->live = live;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    if (((const sip_key *)from)->live != self->live) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(sip_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(sip_key));
}

JM_APART jm_status begin_stream(sip_stream *state, const sip_key *key, uint64_t live) {
    if (key->live != live) return JM_ERR_ENDED;
    *state = (sip_stream){.v = key->v, .live = live};
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const jm_status status = begin_stream(stream, key_state, self->live);
    return JM_FORGET(status, STACK_BYTES);
}

JM_INLINE jm_status update_stream(sip_stream *state, const uint8_t *message, size_t message_bytes,
                                  sip_kind kind, uint64_t live) {
    if (state->live != live) return JM_ERR_ENDED;
    const size_t held = state->length % WORD_BYTES;
    state->length += message_bytes;
    if (held) {
        const size_t room = WORD_BYTES - held;
        if (message_bytes < room) {
            state->part |= LOAD_PARTIAL(message, message_bytes) << (8 * held);
            return JM_OK;
        }
        absorb(&state->v, state->part | LOAD_PARTIAL(message, room) << (8 * held), kind.rounds);
        message += room;
        message_bytes -= room;
    }
    sip_state s = state->v;
    for (; message_bytes >= WORD_BYTES; message_bytes -= WORD_BYTES) {
        absorb(&s, LOAD(message), kind.rounds);
        message += WORD_BYTES;
    }
    state->v = s;
    state->part = LOAD_PARTIAL(message, message_bytes);
    return JM_OK;
}

#define JM_SIPHASH_TABLE(name, variant) JM_SIPHASH_TABLE_(name, variant)
#define JM_SIPHASH_TABLE_(name, variant) jm_##name##_##variant
#define JM_SIPHASH_TEXT(variant) JM_SIPHASH_TEXT_(variant)
#define JM_SIPHASH_TEXT_(variant) #variant

/* The functions that depend on rounds and tag, compiled with both as constants. */
#define DEFINE_SIPHASH(id, name, rounds_, closing_rounds_, tag_bytes_, note_)                      \
    static const sip_kind kind_##name = {rounds_, closing_rounds_, tag_bytes_};                    \
    JM_APART jm_status set_key_inner_##name(void *key_state, const uint8_t *key,                   \
                                            size_t key_bytes) {                                    \
        return set_key(key_state, key, key_bytes, kind_##name, JM_LIVE(id, ""));                   \
    }                                                                                              \
    static jm_status set_key_##name(const jm_implementation *self, void *key_state,                \
                                    const uint8_t *key, size_t key_bytes) {                        \
        (void)self;                                                                                \
        const jm_status status = set_key_inner_##name(key_state, key, key_bytes);                  \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    JM_APART jm_status tag_inner_##name(const void *key_state, const uint8_t *message,             \
                                        size_t message_bytes, uint8_t *tag) {                      \
        return tag_message(key_state, message, message_bytes, kind_##name, JM_LIVE(id, ""), tag);  \
    }                                                                                              \
    static jm_status tag_##name(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        (void)self;                                                                                \
        const jm_status status = tag_inner_##name(key_state, message, message_bytes, tag);         \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    JM_APART jm_status update_inner_##name(void *stream, const uint8_t *message,                   \
                                           size_t message_bytes) {                                 \
        return update_stream(stream, message, message_bytes, kind_##name, JM_LIVE(id, ""));        \
    }                                                                                              \
    static jm_status stream_update_##name(const jm_implementation *self, void *stream,             \
                                          const uint8_t *message, size_t message_bytes) {          \
        (void)self;                                                                                \
        const jm_status status = update_inner_##name(stream, message, message_bytes);              \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    JM_APART jm_status finish_stream_##name(sip_stream *state, uint8_t *tag) {                     \
        finish(&state->v, state->part, state->length, kind_##name, tag);                           \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status stream_finish_##name(const jm_implementation *self, void *stream,             \
                                          uint8_t *tag) {                                          \
        (void)self;                                                                                \
        jm_status status = JM_OK;                                                                  \
        if (((sip_stream *)stream)->live != JM_LIVE(id, "")) return tag ? JM_ERR_ENDED : JM_OK;    \
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
        .stream_update = stream_update_##name,                                                     \
        .stream_finish = stream_finish_##name,                                                     \
    };                                                                                             \
    const jm_implementation JM_SIPHASH_TABLE(name, VARIANT) = {                                    \
        .algorithm = id,                                                                           \
        .variant = JM_SIPHASH_TEXT(VARIANT),                                                       \
        .note = note_,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .constant_time = true,                                                                     \
        .block_bytes = WORD_BYTES,                                                                 \
        .output_bytes = tag_bytes_,                                                                \
        .key_bytes_min = KEY_BYTES,                                                                \
        .key_bytes_max = KEY_BYTES,                                                                \
        .key_bytes = KEY_BYTES,                                                                    \
        .mac = &functions_##name,                                                                  \
        .live = JM_LIVE(id, ""),                                                                   \
    };

#endif
