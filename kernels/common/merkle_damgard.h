/* SPDX-License-Identifier: Apache-2.0
 *
 * Merkle-Damgard hashing and HMAC over it, both written once over a compression function, as used
 * by MD5 (RFC 1321, section 3.1) and the SHA family (FIPS 180-4, section 5.1): the message, a 1
 * bit, zeros, and the message's length in bits, in blocks of block_bytes.
 *
 * The includer defines: a constant `jm_compression`, a struct of functions, or static functions
 * init, compress and output, of which JM_HASH_AND_HMAC makes it. The functions below are inlined,
 * so that a variant's own one-shot functions (JM_MD_DEFINE, JM_HMAC_DEFINE) are compiled for its
 * sizes and its `compress`; init, update and final, which are less urgent, are shared and go
 * through the pointers. The chaining value's layout is the variant's own (SHA-NI keeps its
 * ABEF/CDGH order between calls): only `init` and `output` know it. It must be copyable byte for
 * byte. */
#ifndef JM_MERKLE_DAMGARD_H
#define JM_MERKLE_DAMGARD_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

#define JM_CHAIN_BYTES_MAX 64u
#define JM_BLOCK_BYTES_MAX 128u

typedef struct jm_compression {
    uint16_t chain_bytes;  /* at most JM_CHAIN_BYTES_MAX */
    uint16_t block_bytes;  /* 64 or 128 */
    uint16_t digest_bytes; /* at most block_bytes / 2 and JM_OUTPUT_BYTES_MAX */
    uint16_t length_bytes; /* 8 or 16: field for the length in bits */
    bool length_big_endian;
    void (*init)(void *chain);
    /* Absorbs `count` blocks (0 allowed). `chain` is aligned to JM_STATE_ALIGN. */
    void (*compress)(void *chain, const uint8_t *blocks, size_t count);
    void (*output)(const void *chain, uint8_t *digest);
} jm_compression;

/* The length in bits, in the last bytes of a quad. */
JM_INLINE jm_quad jm_quad_length(const jm_compression *compression, uint64_t total_bytes) {
    const uint64_t low = total_bytes << 3, high = total_bytes >> 61;
    if (!compression->length_big_endian) return (jm_quad){0, JM_LE64(low)};
    return (jm_quad){compression->length_bytes == 16 ? JM_BE64(high) : 0, JM_BE64(low)};
}

/* Writes the end of a message and its padding to `block`, and absorbs `block`; `chain` has absorbed
 * all but the `tail` bytes at `from`, which are less than a block. */
#if defined(JM_NARROW)
/* For CPUs whose registers hold less than a quad. */
JM_INLINE void jm_md_finish_tail(const jm_compression *compression, void *chain, uint8_t *block,
                                 const uint8_t *from, size_t tail, uint64_t total_bytes) {
    const size_t block_bytes = compression->block_bytes;
    const size_t length_at = block_bytes - compression->length_bytes;
    if (from != block) jm_copy_secret(block, from, tail);
    block[tail++] = 0x80;
    if (tail > length_at) {
        memset(block + tail, 0, block_bytes - tail);
        compression->compress(chain, block, 1);
        tail = 0;
    }
    memset(block + tail, 0, block_bytes - tail);
    const uint64_t low = total_bytes << 3;
    if (compression->length_big_endian)
        store_be64(block + block_bytes - 8, low);
    else
        store_le64(block + block_bytes - 8, low);
    /* A message of 2^61 bytes is longer than any that such a CPU sees, but the host runs this too.
     */
    if (compression->length_bytes == 16) block[block_bytes - 9] = (uint8_t)(total_bytes >> 61);
    compression->compress(chain, block, 1);
}
#else
JM_INLINE void jm_md_finish_tail(const jm_compression *compression, void *chain, uint8_t *block,
                                 const uint8_t *from, size_t tail, uint64_t total_bytes) {
    const size_t block_bytes = compression->block_bytes;
    const size_t last = tail - tail % JM_QUAD_BYTES;
    const size_t length_at = block_bytes - JM_QUAD_BYTES;
    const jm_quad length = jm_quad_length(compression, total_bytes);
    const bool fits = tail < block_bytes - compression->length_bytes;
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES) {
        jm_quad quad = {0, 0};
        if (at < last)
            quad = jm_quad_load(from + at);
        else if (at == last)
            quad = jm_quad_last(from + at, tail % JM_QUAD_BYTES);
        if (at == length_at && fits) quad |= length;
        jm_quad_store(block + at, quad);
    }
    if (!fits) {
        compression->compress(chain, block, 1);
        for (size_t at = 0; at < length_at; at += JM_QUAD_BYTES)
            jm_quad_store(block + at, (jm_quad){0, 0});
        jm_quad_store(block + length_at, length);
    }
    compression->compress(chain, block, 1);
}
#endif

/* Absorbs the rest of a message and its padding: `chain` has already absorbed `absorbed_bytes`, a
 * multiple of block_bytes (HMAC: one block of padded key). `block` is scratch space of
 * block_bytes, which the caller wipes; `rest` may be `block` itself if less than a block. */
JM_INLINE void jm_md_finish(const jm_compression *compression, void *chain, uint8_t *block,
                            uint64_t absorbed_bytes, const uint8_t *rest, size_t rest_bytes) {
    const size_t block_bytes = compression->block_bytes;
    const size_t tail = rest_bytes & (block_bytes - 1);
    const size_t whole = rest_bytes - tail;
    if (rest_bytes == 0) rest = block; /* NULL may not take even an offset of 0 */
    if (whole) compression->compress(chain, rest, whole / block_bytes);
    jm_md_finish_tail(compression, chain, block, rest + whole, tail, absorbed_bytes + rest_bytes);
}

JM_INLINE void jm_md_digest(const jm_compression *compression, const uint8_t *message,
                            size_t message_bytes, uint8_t *digest) {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CHAIN_BYTES_MAX];
    _Alignas(JM_STATE_ALIGN) uint8_t block[JM_BLOCK_BYTES_MAX];
    compression->init(chain);
    jm_md_finish(compression, chain, block, 0, message, message_bytes);
    compression->output(chain, digest);
    jm_wipe(chain, compression->chain_bytes);
    jm_wipe(block, compression->block_bytes);
}

/* A partly absorbed message. `chain` first, so that it has the state's alignment. */
typedef struct jm_md_state {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CHAIN_BYTES_MAX];
    uint8_t pending[JM_BLOCK_BYTES_MAX]; /* the last total_bytes % block_bytes bytes */
    uint64_t total_bytes;                /* absorbed or pending; HMAC counts its key block too */
} jm_md_state;

void jm_md_state_update(const jm_compression *compression, jm_md_state *state,
                        const uint8_t *message, size_t message_bytes);
/* Absorbs pending bytes and padding: `chain` is then ready for `output`, `pending` used up. */
void jm_md_state_finish(const jm_compression *compression, jm_md_state *state);

/* hash.init, hash.update and hash.final of any implementation whose `over` is a jm_compression. */
jm_status jm_md_init(const jm_implementation *self, void *state);
jm_status jm_md_update(const jm_implementation *self, void *state, const uint8_t *message,
                       size_t message_bytes);
jm_status jm_md_final(const jm_implementation *self, void *state, uint8_t *digest);

/* Defines jm_<primitive>_<variant>, the hash `id_` over the static constant `compression_`.
 * `target_` is the target attribute of the compression's functions: with the same attribute here,
 * the compiler can inline those declared JM_INLINE and keep the chaining value in registers. */
#define JM_MD_DEFINE_AS(primitive_, id_, variant_, features_, target_, note_, block_, digest_,     \
                        compression_)                                                              \
    target_ static jm_status primitive_##_##variant_##_digest(                                     \
        const jm_implementation *self, const uint8_t *message, size_t message_bytes,               \
        uint8_t *digest) {                                                                         \
        (void)self;                                                                                \
        jm_md_digest(&(compression_), message, message_bytes, digest);                             \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_hash_functions primitive_##_##variant_##_functions = {                         \
        .state_bytes = sizeof(jm_md_state),                                                        \
        .init = jm_md_init,                                                                        \
        .update = jm_md_update,                                                                    \
        .final = jm_md_final,                                                                      \
        .digest = primitive_##_##variant_##_digest,                                                \
    };                                                                                             \
    const jm_implementation jm_##primitive_##_##variant_ = {                                       \
        .algorithm = (id_),                                                                        \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_HASH,                                                                      \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = true,                                                                     \
        .block_bytes = (block_),                                                                   \
        .output_bytes = (digest_),                                                                 \
        .hash = &primitive_##_##variant_##_functions,                                              \
        .over = &(compression_),                                                                   \
    };

#define JM_MD_DEFINE(primitive_, variant_, features_, target_, note_, block_, digest_,             \
                     compression_)                                                                 \
    JM_MD_DEFINE_AS(primitive_, #primitive_, variant_, features_, target_, note_, block_, digest_, \
                    compression_)

/* ---- HMAC (RFC 2104, section 2; FIPS 198-1, section 4) ----
 *
 *     tag = H(key ^ opad || H(key ^ ipad || message))
 *
 * The key state is the two chaining values after the padded key's block (RFC 2104, section 4), so
 * that a tag costs the message's own blocks plus one. The tag function is inlined into each
 * variant: its buffers have constant sizes, its calls are direct or inlined too, the inner digest
 * is written straight into the outer block.
 *
 * Constant time in key and message as far as the compression is: nothing here branches on either;
 * lengths are public. */

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
