/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC (RFC 2104, section 2; FIPS 198-1, section 4), written once over any jm_compression:
 *     tag = H(key ^ opad || H(key ^ ipad || message)).
 *
 * The key state is the two chaining values after the padded key's block (RFC 2104, section 4), so
 * that a tag costs the message's own blocks plus one. The tag function is inlined into each
 * variant: its buffers have constant sizes, its calls are direct or inlined too, the inner digest
 * is written straight into the outer block.
 *
 * Constant time in key and message as far as the compression is: nothing here branches on either;
 * lengths are public.
 */
#ifndef JM_HMAC_H
#define JM_HMAC_H

#include "common/merkle_damgard.h"
#include "common/secret.h"

typedef struct jm_hmac_key {
    _Alignas(JM_STATE_ALIGN) uint8_t inner[JM_CHAIN_BYTES_MAX];
    uint8_t outer[JM_CHAIN_BYTES_MAX];
} jm_hmac_key;

/* A key state. The mark JM_LIVE ends the first line of memory, which holds the inner chaining value
 * too, unless that fills a line: then both chaining values follow the mark's line. */
#if defined(JM_FREESTANDING)
#define JM_HMAC_KEY_AT(block_bytes_) ((block_bytes_) == 64 ? 0 : sizeof(uint64_t))
#else
#define JM_HMAC_KEY_AT(block_bytes_) ((block_bytes_) == 64 ? 0 : JM_STATE_ALIGN)
#endif
#define JM_HMAC_KEY_BYTES(block_bytes_) (JM_HMAC_KEY_AT(block_bytes_) + sizeof(jm_hmac_key))
#define JM_HMAC_LIVE_AT(block_bytes_)                                                              \
    (((block_bytes_) == 64 ? JM_CHAIN_BYTES_MAX : JM_HMAC_KEY_AT(block_bytes_)) - sizeof(uint64_t))

JM_INLINE uint64_t *jm_hmac_live(void *key_state, size_t block_bytes) {
    return (uint64_t *)(void *)((uint8_t *)key_state + JM_HMAC_LIVE_AT(block_bytes));
}
JM_INLINE bool jm_hmac_is_live(const void *key_state, size_t block_bytes, uint64_t live) {
    return *jm_hmac_live((void *)(uintptr_t)key_state, block_bytes) == live;
}
JM_INLINE const jm_hmac_key *jm_hmac_key_of(const void *key_state, size_t block_bytes) {
    return (const jm_hmac_key *)(const void *)((const uint8_t *)key_state +
                                               JM_HMAC_KEY_AT(block_bytes));
}

typedef struct jm_hmac_stream {
    uint64_t live;
    jm_md_state inner;
    uint8_t outer[JM_CHAIN_BYTES_MAX];
} jm_hmac_stream;

/* The second half of HMAC: `chain` has absorbed the whole inner message and is used up; `block`
 * is scratch space of block_bytes. The caller forgets both. */
JM_INLINE void jm_hmac_close(const jm_compression *compression, void *chain, uint8_t *block,
                             const uint8_t *outer, uint8_t *tag) {
    compression->output(chain, block);
    if (__builtin_constant_p(compression->chain_bytes))
        memcpy(chain, outer, compression->chain_bytes);
    else
        memcpy(chain, outer, JM_CHAIN_BYTES_MAX); /* see common/secret.h */
    jm_md_finish(compression, chain, block, compression->block_bytes, block,
                 compression->digest_bytes);
    compression->output(chain, tag);
}

/* Working memory of a tag, in the frame of the outer half (common/secret.h). */
typedef struct jm_hmac_work {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CHAIN_BYTES_MAX];
    _Alignas(JM_STATE_ALIGN) uint8_t block[JM_BLOCK_BYTES_MAX];
} jm_hmac_work;

JM_INLINE jm_status jm_hmac_tag(const jm_compression *compression, jm_hmac_work *work,
                                const void *key_state, uint64_t live, const uint8_t *message,
                                size_t message_bytes, uint8_t *tag) {
    uint8_t *const chain = work->chain, *const block = work->block;
    if (!jm_hmac_is_live(key_state, compression->block_bytes, live)) return JM_ERR_ENDED;
    const jm_hmac_key *const key = jm_hmac_key_of(key_state, compression->block_bytes);
    memcpy(chain, key->inner, compression->chain_bytes);
    jm_md_finish(compression, chain, block, compression->block_bytes, message, message_bytes);
    jm_hmac_close(compression, chain, block, key->outer, tag);
    return JM_OK;
}

/* The rest of the interface, for any implementation whose `over` is a jm_compression. Functions
 * called _inner are inner halves: the outer halves belong to the variant's file, whose registers
 * the compression uses. `tag` is not NULL. */
jm_status jm_hmac_copy_key(const jm_implementation *self, void *to, const void *from);
void jm_hmac_wipe_key(const jm_implementation *self, void *key_state);
#define JM_ELSEWHERE __attribute__((noinline))
JM_ELSEWHERE jm_status jm_hmac_set_key_inner(const jm_implementation *self, void *key_state,
                                             const uint8_t *key, size_t key_bytes);
JM_ELSEWHERE jm_status jm_hmac_begin_inner(const jm_implementation *self, void *stream,
                                           const void *key_state);
JM_ELSEWHERE jm_status jm_hmac_update_inner(const jm_implementation *self, void *stream,
                                            const uint8_t *message, size_t message_bytes);
JM_ELSEWHERE jm_status jm_hmac_finish_inner(const jm_implementation *self, void *stream,
                                            uint8_t *tag);

/* The stack that they take: most for a key that is hashed, by a compression that spills registers.
 * Narrow machines save fewer and shorter registers. */
#if defined(JM_FREESTANDING)
#define JM_HMAC_STACK_BYTES 768
#else
#define JM_HMAC_STACK_BYTES 1536
#endif

/* Defines the outer halves <name_>_set_key, _stream_begin, _stream_update and _stream_finish. */
#define JM_HMAC_KEYS_AND_STREAMS(name_)                                                            \
    static jm_status name_##_set_key(const jm_implementation *self, void *key_state,               \
                                     const uint8_t *key, size_t key_bytes) {                       \
        const jm_status status = jm_hmac_set_key_inner(self, key_state, key, key_bytes);           \
        return JM_FORGET(status, JM_HMAC_STACK_BYTES);                                             \
    }                                                                                              \
    static jm_status name_##_stream_begin(const jm_implementation *self, void *stream,             \
                                          const void *key_state) {                                 \
        const jm_status status = jm_hmac_begin_inner(self, stream, key_state);                     \
        return JM_FORGET(status, 64);                                                              \
    }                                                                                              \
    static jm_status name_##_stream_update(const jm_implementation *self, void *stream,            \
                                           const uint8_t *message, size_t message_bytes) {         \
        const jm_status status = jm_hmac_update_inner(self, stream, message, message_bytes);       \
        return JM_FORGET(status, JM_HMAC_STACK_BYTES);                                             \
    }                                                                                              \
    static jm_status name_##_stream_finish(const jm_implementation *self, void *stream,            \
                                           uint8_t *tag) {                                         \
        jm_status status = JM_OK;                                                                  \
        if (((jm_hmac_stream *)stream)->live != self->live) return tag ? JM_ERR_ENDED : JM_OK;     \
        if (tag) status = jm_hmac_finish_inner(self, stream, tag);                                 \
        jm_wipe(stream, sizeof(jm_hmac_stream));                                                   \
        return JM_FORGET(status, JM_HMAC_STACK_BYTES);                                             \
    }

/* Defines jm_hmac_<primitive>_<variant> over the static constant `compression_`, of which two
 * blocks and the code between them take stack_ bytes of the stack. */
#define JM_HMAC_DEFINE(primitive_, variant_, features_, target_, note_, block_, digest_,           \
                       compression_, stack_)                                                       \
    JM_HMAC_KEYS_AND_STREAMS(hmac_##primitive_##_##variant_)                                       \
    target_ JM_APART jm_status hmac_##primitive_##_##variant_##_tag_inner(                         \
        jm_hmac_work *work, const void *key_state, const uint8_t *message, size_t message_bytes,   \
        uint8_t *tag) {                                                                            \
        return jm_hmac_tag(&(compression_), work, key_state, JM_LIVE("hmac-" #primitive_, ""),     \
                           message, message_bytes, tag);                                           \
    }                                                                                              \
    static jm_status hmac_##primitive_##_##variant_##_tag(                                         \
        const jm_implementation *self, const void *key_state, const uint8_t *message,              \
        size_t message_bytes, uint8_t *tag) {                                                      \
        jm_hmac_work work;                                                                         \
        const jm_status status = hmac_##primitive_##_##variant_##_tag_inner(                       \
            &work, key_state, message, message_bytes, tag);                                        \
        (void)self;                                                                                \
        jm_wipe(work.chain, (compression_).chain_bytes);                                           \
        jm_wipe(work.block, (block_));                                                             \
        return JM_FORGET(status, stack_);                                                          \
    }                                                                                              \
    static const jm_mac_functions hmac_##primitive_##_##variant_##_functions = {                   \
        .key_state_bytes = JM_HMAC_KEY_BYTES(block_),                                              \
        .stream_bytes = sizeof(jm_hmac_stream),                                                    \
        .set_key = hmac_##primitive_##_##variant_##_set_key,                                       \
        .copy_key = jm_hmac_copy_key,                                                              \
        .wipe_key = jm_hmac_wipe_key,                                                              \
        .tag = hmac_##primitive_##_##variant_##_tag,                                               \
        .stream_begin = hmac_##primitive_##_##variant_##_stream_begin,                             \
        .stream_update = hmac_##primitive_##_##variant_##_stream_update,                           \
        .stream_finish = hmac_##primitive_##_##variant_##_stream_finish,                           \
    };                                                                                             \
    const jm_implementation jm_hmac_##primitive_##_##variant_ = {                                  \
        .algorithm = "hmac-" #primitive_,                                                          \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = true,                                                                     \
        .block_bytes = (block_),                                                                   \
        .output_bytes = (digest_),                                                                 \
        .key_bytes_min = 0,                                                                        \
        .key_bytes_max = SIZE_MAX,                                                                 \
        .key_bytes = (digest_),                                                                    \
        .mac = &hmac_##primitive_##_##variant_##_functions,                                        \
        .over = &(compression_),                                                                   \
        .live = JM_LIVE("hmac-" #primitive_, ""),                                                  \
    };

/* The stack of a tag, for a compression with an array of message words and spilled registers. */
#if defined(__AVR__)
#define JM_HMAC_TAG_STACK_BYTES(block_bytes_) ((block_bytes_) == 64 ? 320 : 768)
#elif defined(JM_FREESTANDING)
#define JM_HMAC_TAG_STACK_BYTES(block_bytes_) ((block_bytes_) == 64 ? 384 : 768)
#else
#define JM_HMAC_TAG_STACK_BYTES(block_bytes_) ((block_bytes_) == 64 ? 640 : 896)
#endif

/* The last line of a hash variant's file: defines jm_<primitive>_<variant> and
 * jm_hmac_<primitive>_<variant> from the file's static init, compress and output. A primitive's
 * header wraps it to fill in the sizes that its variants share. */
#define JM_HASH_AND_HMAC(primitive_, variant_, features_, target_, note_, chain_, block_, digest_, \
                         length_, big_endian_)                                                     \
    static const jm_compression compression = {                                                    \
        .chain_bytes = (chain_),                                                                   \
        .block_bytes = (block_),                                                                   \
        .digest_bytes = (digest_),                                                                 \
        .length_bytes = (length_),                                                                 \
        .length_big_endian = (big_endian_),                                                        \
        .init = init,                                                                              \
        .compress = compress,                                                                      \
        .output = output,                                                                          \
    };                                                                                             \
    JM_MD_DEFINE(primitive_, variant_, features_, target_, note_, block_, digest_, compression)    \
    JM_HMAC_DEFINE(primitive_, variant_, features_, target_, note_, block_, digest_, compression,  \
                   JM_HMAC_TAG_STACK_BYTES(block_))

/* In a table's list: the two implementations that a variant's file exports. */
#define JM_HASH_AND_HMAC_ENTRY(primitive_, variant_)                                               \
    &jm_##primitive_##_##variant_, &jm_hmac_##primitive_##_##variant_

#endif
