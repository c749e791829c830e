/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3's keyed mode (section 2.3): the key in place of the initial value, and a flag. tree.c has
 * the tree and the inner halves (common/secret.h); JM_BLAKE3_KEYED makes the outer halves in the
 * file of a variant, which has the widest instructions. */
#ifndef JM_BLAKE3_KEYED_H
#define JM_BLAKE3_KEYED_H

#include "blake3/blake3.h"
#include "common/secret.h"

enum { BLAKE3_KEY_BYTES = 32 };

/* Frames for one chunk, and for many chunks in the lanes of vectors. */
#define BLAKE3_CHUNK_STACK_BYTES 640
#define BLAKE3_LANES_STACK_BYTES 7680
/* The functions for many chunks side by side, which neither a message of one chunk nor the end of a
 * stream reaches: both call `compress` of the blake3_code alone. */
#define BLAKE3_LANES_CODE "chunks jm_blake3_chunks_avx2 lanes_chunks lanes_parents"

#define BLAKE3_LIVE JM_LIVE("blake3-keyed", "")

typedef struct {
    _Alignas(JM_STATE_ALIGN) blake3_mode mode;
    uint64_t live; /* BLAKE3_LIVE */
} blake3_key;

typedef struct {
    uint64_t live; /* BLAKE3_LIVE */
    const blake3_key *key;
    blake3_state state;
} blake3_stream;

jm_status jm_blake3_keyed_set(blake3_key *to, const uint8_t *key);
jm_status jm_blake3_keyed_tag(const blake3_code *code, blake3_state *state, const blake3_key *key,
                              const uint8_t *message, size_t message_bytes, uint8_t *tag);
jm_status jm_blake3_keyed_begin(blake3_stream *stream, const blake3_key *key);
jm_status jm_blake3_keyed_update(const blake3_code *code, blake3_stream *stream,
                                 const uint8_t *message, size_t message_bytes);
jm_status jm_blake3_keyed_finish(const blake3_code *code, blake3_stream *stream, uint8_t *tag);

/* Stands after JM_BLAKE3_VARIANT, whose `code` it uses. */
#define JM_BLAKE3_KEYED(variant_, features_, constant_time_, note_)                                \
    static jm_status keyed_set_key(const jm_implementation *self, void *key_state,                 \
                                   const uint8_t *key, size_t key_bytes) {                         \
        (void)self;                                                                                \
        if (key_bytes != BLAKE3_KEY_BYTES) return JM_ERR_KEY_BYTES;                                \
        const jm_status status = jm_blake3_keyed_set(key_state, key);                              \
        return JM_FORGET(status, 128);                                                             \
    }                                                                                              \
    static jm_status keyed_copy_key(const jm_implementation *self, void *to, const void *from) {   \
        (void)self;                                                                                \
        if (((const blake3_key *)from)->live != BLAKE3_LIVE) return JM_ERR_ENDED;                  \
        jm_copy_secret(to, from, sizeof(blake3_key));                                              \
        return JM_OK;                                                                              \
    }                                                                                              \
    static void keyed_wipe_key(const jm_implementation *self, void *key_state) {                   \
        (void)self;                                                                                \
        jm_wipe(key_state, sizeof(blake3_key));                                                    \
    }                                                                                              \
    static jm_status keyed_tag(const jm_implementation *self, const void *key_state,               \
                               const uint8_t *message, size_t message_bytes, uint8_t *tag) {       \
        blake3_state state; /* the inner half wipes the parts that it has used */                  \
        const jm_status status =                                                                   \
            jm_blake3_keyed_tag(self->over, &state, key_state, message, message_bytes, tag);       \
        if (message_bytes <= BLAKE3_CHUNK_BYTES)                                                   \
            return JM_FORGET_WITHOUT(status, BLAKE3_CHUNK_STACK_BYTES,                             \
                                     "absorb_chunks " BLAKE3_LANES_CODE);                          \
        return JM_FORGET(status, BLAKE3_LANES_STACK_BYTES);                                        \
    }                                                                                              \
    static jm_status keyed_begin(const jm_implementation *self, void *stream,                      \
                                 const void *key_state) {                                          \
        (void)self;                                                                                \
        const jm_status status = jm_blake3_keyed_begin(stream, key_state);                         \
        return JM_FORGET(status, 128);                                                             \
    }                                                                                              \
    static jm_status keyed_update(const jm_implementation *self, void *stream,                     \
                                  const uint8_t *message, size_t message_bytes) {                  \
        const jm_status status =                                                                   \
            jm_blake3_keyed_update(self->over, stream, message, message_bytes);                    \
        return JM_FORGET(status, BLAKE3_LANES_STACK_BYTES);                                        \
    }                                                                                              \
    static jm_status keyed_finish(const jm_implementation *self, void *stream, uint8_t *tag) {     \
        jm_status status = JM_OK;                                                                  \
        if (((blake3_stream *)stream)->live != BLAKE3_LIVE) return tag ? JM_ERR_ENDED : JM_OK;     \
        if (tag) status = jm_blake3_keyed_finish(self->over, stream, tag);                         \
        jm_wipe(stream, sizeof(blake3_stream));                                                    \
        return JM_FORGET_WITHOUT(status, BLAKE3_CHUNK_STACK_BYTES, BLAKE3_LANES_CODE);             \
    }                                                                                              \
    static const jm_mac_functions keyed_functions = {                                              \
        .key_state_bytes = sizeof(blake3_key),                                                     \
        .stream_bytes = sizeof(blake3_stream),                                                     \
        .set_key = keyed_set_key,                                                                  \
        .copy_key = keyed_copy_key,                                                                \
        .wipe_key = keyed_wipe_key,                                                                \
        .tag = keyed_tag,                                                                          \
        .stream_begin = keyed_begin,                                                               \
        .stream_update = keyed_update,                                                             \
        .stream_finish = keyed_finish,                                                             \
    };                                                                                             \
    const jm_implementation jm_blake3_keyed_##variant_ = {                                         \
        .algorithm = "blake3-keyed",                                                               \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = (constant_time_),                                                         \
        .block_bytes = BLAKE3_BLOCK_BYTES,                                                         \
        .output_bytes = BLAKE3_DIGEST_BYTES,                                                       \
        .key_bytes_min = BLAKE3_KEY_BYTES,                                                         \
        .key_bytes_max = BLAKE3_KEY_BYTES,                                                         \
        .key_bytes = BLAKE3_KEY_BYTES,                                                             \
        .mac = &keyed_functions,                                                                   \
        .over = &code,                                                                             \
        .live = BLAKE3_LIVE,                                                                       \
    };

#endif
