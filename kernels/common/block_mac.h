/* SPDX-License-Identifier: Apache-2.0
 *
 * A MAC by blocks, written once over the parts that differ between such MACs: key set-up, blocks,
 * padding and last step.
 *
 * The includer defines, for a function called `name`, two types, which must be copyable byte for
 * byte, and four functions that the compiler can inline:
 *
 *     void name_set(key_type *to, const uint8_t *key, size_t key_bytes)
 *     void name_begin(chain_type *chain, const key_type *key)
 *     void name_absorb(chain_type *chain, const key_type *key, const uint8_t *blocks, size_t count)
 *     void name_finish(chain_type *chain, const key_type *key, const uint8_t *rest,
 *                      size_t rest_bytes, uint64_t total_bytes, uint8_t *tag)
 *
 * `absorb` takes count >= 1 whole blocks at any address. `rest_bytes` is less than a block, or with
 * keeps_last at most a block, and 0 for the empty message alone; `rest` is not NULL.
 *
 * The outer halves of common/secret.h are in the variant's file, which has the widest instructions.
 * `stack_bytes_` is the stack of the four functions and of the chaining value, which is in their
 * frame. */
#ifndef JM_BLOCK_MAC_H
#define JM_BLOCK_MAC_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

/* The part of `bytes` that `absorb` takes: whole blocks, except a block kept for `finish`. */
JM_INLINE size_t jm_block_mac_whole(size_t bytes, size_t block_bytes, bool keeps_last) {
    if (keeps_last && bytes) return (bytes - 1) / block_bytes * block_bytes;
    return bytes / block_bytes * block_bytes;
}

/* Defines jm_<name>_<variant>. The key length used when none is asked for is the longest. */
#define JM_BLOCK_MAC_DEFINE(name_, id_, variant_, features_, constant_time_, note_, key_type_,     \
                            chain_type_, block_bytes_, tag_bytes_, key_min_, key_max_,             \
                            keeps_last_, stack_bytes_)                                             \
    JM_BLOCK_MAC_TABLE(name_, id_, variant_, features_, constant_time_, note_, key_type_,          \
                       chain_type_, block_bytes_, tag_bytes_, key_min_, key_max_, keeps_last_,     \
                       stack_bytes_, 0, 0, 0, NULL)

/* The same for a MAC with nonces of one length, whose file has a fifth function:
 *     void name_nonce(key_type *key, const uint8_t *nonce)
 * `name_set` leaves the key in the state that a nonce of zeros gives. */
#define JM_BLOCK_MAC_DEFINE_WITH_NONCE(name_, id_, variant_, features_, constant_time_, note_,     \
                                       key_type_, chain_type_, block_bytes_, tag_bytes_, key_min_, \
                                       key_max_, keeps_last_, stack_bytes_, nonce_bytes_)          \
    static jm_status name_##_set_nonce(const jm_implementation *self, void *key_state,             \
                                       const uint8_t *nonce, size_t nonce_bytes);                  \
    JM_BLOCK_MAC_TABLE(name_, id_, variant_, features_, constant_time_, note_, key_type_,          \
                       chain_type_, block_bytes_, tag_bytes_, key_min_, key_max_, keeps_last_,     \
                       stack_bytes_, nonce_bytes_, nonce_bytes_, nonce_bytes_, name_##_set_nonce)  \
    JM_APART jm_status name_##_nonce_inner(name_##_key_state *to, const uint8_t *nonce) {          \
        if (!name_##_is_live(to)) return JM_ERR_ENDED;                                             \
        name_##_nonce(&to->key, nonce);                                                            \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name_##_set_nonce(const jm_implementation *self, void *key_state,             \
                                       const uint8_t *nonce, size_t nonce_bytes) {                 \
        (void)self;                                                                                \
        if (nonce_bytes != (nonce_bytes_)) return JM_ERR_NONCE_BYTES;                              \
        const jm_status status = name_##_nonce_inner(key_state, nonce);                            \
        return JM_FORGET(status, stack_bytes_);                                                    \
    }

/* The same for a MAC whose nonces have nonce_min_ to nonce_max_ bytes and are only stored, which
 * leaves no secret to forget. Its file has
 *     void name_nonce(key_type *key, const uint8_t *nonce, size_t nonce_bytes)
 * `name_set` leaves the key in the state that a nonce of nonce_bytes_ zeros gives. */
#define JM_BLOCK_MAC_DEFINE_WITH_KEPT_NONCE(name_, id_, variant_, features_, constant_time_,       \
                                            note_, key_type_, chain_type_, block_bytes_,           \
                                            tag_bytes_, key_min_, key_max_, keeps_last_,           \
                                            stack_bytes_, nonce_min_, nonce_max_, nonce_bytes_)    \
    static jm_status name_##_set_nonce(const jm_implementation *self, void *key_state,             \
                                       const uint8_t *nonce, size_t nonce_bytes);                  \
    JM_BLOCK_MAC_TABLE(name_, id_, variant_, features_, constant_time_, note_, key_type_,          \
                       chain_type_, block_bytes_, tag_bytes_, key_min_, key_max_, keeps_last_,     \
                       stack_bytes_, nonce_min_, nonce_max_, nonce_bytes_, name_##_set_nonce)      \
    static jm_status name_##_set_nonce(const jm_implementation *self, void *key_state,             \
                                       const uint8_t *nonce, size_t nonce_bytes) {                 \
        (void)self;                                                                                \
        name_##_key_state *const to = key_state;                                                   \
        if (!name_##_is_live(to)) return JM_ERR_ENDED;                                             \
        if (nonce_bytes < (nonce_min_) || nonce_bytes > (nonce_max_)) return JM_ERR_NONCE_BYTES;   \
        name_##_nonce(&to->key, nonce, nonce_bytes);                                               \
        return JM_OK;                                                                              \
    }

/* The functions and the table that all three macros define. */
#define JM_BLOCK_MAC_TABLE(name_, id_, variant_, features_, constant_time_, note_, key_type_,      \
                           chain_type_, block_bytes_, tag_bytes_, key_min_, key_max_, keeps_last_, \
                           stack_bytes_, nonce_min_, nonce_max_, nonce_bytes_, set_nonce_)         \
    typedef struct {                                                                               \
        _Alignas(JM_STATE_ALIGN) uint64_t live; /* JM_LIVE */                                      \
        key_type_ key;                                                                             \
    } name_##_key_state;                                                                           \
    typedef struct {                                                                               \
        uint64_t live; /* JM_LIVE */                                                               \
        size_t pending_bytes;                                                                      \
        uint64_t total_bytes; /* absorbed or pending */                                            \
        const name_##_key_state *key_state;                                                        \
        _Alignas(JM_STATE_ALIGN) chain_type_ chain;                                                \
        uint8_t pending[block_bytes_];                                                             \
    } name_##_stream;                                                                              \
    JM_INLINE bool name_##_is_live(const name_##_key_state *key_state) {                           \
        return key_state->live == JM_LIVE(id_, #variant_);                                         \
    }                                                                                              \
    JM_INLINE bool name_##_goes_on(const name_##_stream *stream) {                                 \
        return stream->live == JM_LIVE(id_, #variant_) && name_##_is_live(stream->key_state);      \
    }                                                                                              \
    JM_APART jm_status name_##_set_key_inner(name_##_key_state *to, const uint8_t *key,            \
                                             size_t key_bytes) {                                   \
        name_##_set(&to->key, key, key_bytes);                                                     \
        to->live = JM_LIVE(id_, #variant_);                                                        \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name_##_set_key(const jm_implementation *self, void *key_state,               \
                                     const uint8_t *key, size_t key_bytes) {                       \
        if (key_bytes < self->key_bytes_min || key_bytes > self->key_bytes_max)                    \
            return JM_ERR_KEY_BYTES;                                                               \
        const jm_status status = name_##_set_key_inner(key_state, key, key_bytes);                 \
        return JM_FORGET(status, stack_bytes_);                                                    \
    }                                                                                              \
    static jm_status name_##_copy_key(const jm_implementation *self, void *to, const void *from) { \
        (void)self;                                                                                \
        if (!name_##_is_live(from)) return JM_ERR_ENDED;                                           \
        jm_copy_secret(to, from, sizeof(name_##_key_state));                                       \
        return JM_OK;                                                                              \
    }                                                                                              \
    static void name_##_wipe_key(const jm_implementation *self, void *key_state) {                 \
        (void)self;                                                                                \
        jm_wipe(key_state, sizeof(name_##_key_state));                                             \
    }                                                                                              \
    JM_APART jm_status name_##_tag_inner(const name_##_key_state *from, const uint8_t *message,    \
                                         size_t message_bytes, uint8_t *tag) {                     \
        if (!name_##_is_live(from)) return JM_ERR_ENDED;                                           \
        const size_t whole = jm_block_mac_whole(message_bytes, block_bytes_, keeps_last_);         \
        if (message_bytes == 0) message = tag; /* NULL may not take even an offset of 0 */         \
        _Alignas(JM_STATE_ALIGN) chain_type_ chain;                                                \
        name_##_begin(&chain, &from->key);                                                         \
        if (whole) name_##_absorb(&chain, &from->key, message, whole / (block_bytes_));            \
        name_##_finish(&chain, &from->key, message + whole, message_bytes - whole, message_bytes,  \
                       tag);                                                                       \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name_##_tag(const jm_implementation *self, const void *key_state,             \
                                 const uint8_t *message, size_t message_bytes, uint8_t *tag) {     \
        (void)self;                                                                                \
        const jm_status status = name_##_tag_inner(key_state, message, message_bytes, tag);        \
        return JM_FORGET(status, stack_bytes_);                                                    \
    }                                                                                              \
    JM_APART jm_status name_##_begin_inner(name_##_stream *stream,                                 \
                                           const name_##_key_state *from) {                        \
        if (!name_##_is_live(from)) return JM_ERR_ENDED;                                           \
        name_##_begin(&stream->chain, &from->key);                                                 \
        stream->pending_bytes = 0;                                                                 \
        stream->total_bytes = 0;                                                                   \
        stream->key_state = from;                                                                  \
        stream->live = JM_LIVE(id_, #variant_);                                                    \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name_##_stream_begin(const jm_implementation *self, void *stream,             \
                                          const void *key_state) {                                 \
        (void)self;                                                                                \
        const jm_status status = name_##_begin_inner(stream, key_state);                           \
        return JM_FORGET(status, stack_bytes_);                                                    \
    }                                                                                              \
    JM_APART jm_status name_##_update_inner(name_##_stream *stream, const uint8_t *message,        \
                                            size_t message_bytes) {                                \
        const name_##_key_state *const from = stream->key_state;                                   \
        if (!name_##_goes_on(stream)) return JM_ERR_ENDED;                                         \
        if (message_bytes == 0) return JM_OK;                                                      \
        stream->total_bytes += message_bytes;                                                      \
        if (stream->pending_bytes) {                                                               \
            const size_t room = (block_bytes_) - stream->pending_bytes;                            \
            const size_t taken = message_bytes < room ? message_bytes : room;                      \
            jm_copy_secret(stream->pending + stream->pending_bytes, message, taken);               \
            stream->pending_bytes += taken;                                                        \
            message += taken;                                                                      \
            message_bytes -= taken;                                                                \
            const bool waits = (keeps_last_) && message_bytes == 0;                                \
            if (stream->pending_bytes < (block_bytes_) || waits) return JM_OK;                     \
            name_##_absorb(&stream->chain, &from->key, stream->pending, 1);                        \
        }                                                                                          \
        const size_t whole = jm_block_mac_whole(message_bytes, block_bytes_, keeps_last_);         \
        if (whole) name_##_absorb(&stream->chain, &from->key, message, whole / (block_bytes_));    \
        stream->pending_bytes = message_bytes - whole;                                             \
        jm_copy_secret(stream->pending, message + whole, stream->pending_bytes);                   \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name_##_stream_update(const jm_implementation *self, void *stream,            \
                                           const uint8_t *message, size_t message_bytes) {         \
        (void)self;                                                                                \
        const jm_status status = name_##_update_inner(stream, message, message_bytes);             \
        return JM_FORGET(status, stack_bytes_);                                                    \
    }                                                                                              \
    JM_APART jm_status name_##_finish_inner(name_##_stream *stream, uint8_t *tag) {                \
        const name_##_key_state *const from = stream->key_state;                                   \
        if (!name_##_goes_on(stream)) return JM_ERR_ENDED;                                         \
        name_##_finish(&stream->chain, &from->key, stream->pending, stream->pending_bytes,         \
                       stream->total_bytes, tag);                                                  \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name_##_stream_finish(const jm_implementation *self, void *stream,            \
                                           uint8_t *tag) {                                         \
        (void)self;                                                                                \
        jm_status status = JM_OK;                                                                  \
        if (((name_##_stream *)stream)->live != JM_LIVE(id_, #variant_))                           \
            return tag ? JM_ERR_ENDED : JM_OK;                                                     \
        if (tag) status = name_##_finish_inner(stream, tag);                                       \
        jm_wipe(stream, sizeof(name_##_stream));                                                   \
        return JM_FORGET(status, stack_bytes_);                                                    \
    }                                                                                              \
    static const jm_mac_functions name_##_functions = {                                            \
        .key_state_bytes = sizeof(name_##_key_state),                                              \
        .stream_bytes = sizeof(name_##_stream),                                                    \
        .set_key = name_##_set_key,                                                                \
        .copy_key = name_##_copy_key,                                                              \
        .wipe_key = name_##_wipe_key,                                                              \
        .tag = name_##_tag,                                                                        \
        .stream_begin = name_##_stream_begin,                                                      \
        .stream_update = name_##_stream_update,                                                    \
        .stream_finish = name_##_stream_finish,                                                    \
        .set_nonce = (set_nonce_),                                                                 \
    };                                                                                             \
    const jm_implementation jm_##name_##_##variant_ = {                                            \
        .algorithm = (id_),                                                                        \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = (constant_time_),                                                         \
        .nonce_bytes_min = (nonce_min_),                                                           \
        .nonce_bytes_max = (nonce_max_),                                                           \
        .nonce_bytes = (nonce_bytes_),                                                             \
        .block_bytes = (block_bytes_),                                                             \
        .output_bytes = (tag_bytes_),                                                              \
        .key_bytes_min = (key_min_),                                                               \
        .key_bytes_max = (key_max_),                                                               \
        .key_bytes = (key_max_),                                                                   \
        .mac = &name_##_functions,                                                                 \
        .live = JM_LIVE(id_, #variant_),                                                           \
    };

#endif
