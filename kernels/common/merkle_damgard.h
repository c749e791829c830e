/* SPDX-License-Identifier: Apache-2.0
 *
 * Merkle-Damgard hashing written once over a compression function, as used by MD5 (RFC 1321,
 * section 3.1) and the SHA family (FIPS 180-4, section 5.1): the message, a 1 bit, zeros, and the
 * message's length in bits, in blocks of block_bytes.
 *
 * A variant supplies a constant `jm_compression`. The functions below are inlined, so that a
 * variant's own one-shot functions (JM_MD_DEFINE) are compiled for its sizes and its `compress`;
 * init, update and final, which are less urgent, are shared and go through the pointers. The
 * chaining value's layout is the variant's own (SHA-NI keeps its ABEF/CDGH order between calls):
 * only `init` and `output` know it. It must be copyable byte for byte.
 */
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

/* The quad of `bytes` < 16 message bytes, the byte 0x80 and zeros. */
JM_INLINE jm_quad jm_quad_last(const uint8_t *from, size_t bytes) {
    uint64_t word[2];
    load_le128_partial(from, bytes, 0x80, word);
    return (jm_quad){JM_LE64(word[0]), JM_LE64(word[1])};
}

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

#endif
