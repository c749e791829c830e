/* SPDX-License-Identifier: Apache-2.0
 *
 * KT128, KangarooTwelve with 128 bits of security (RFC 9861, section 3), without a customization
 * string: the part that all variants share.
 *
 * A message of less than 8192 bytes is hashed by one sponge over the last 12 rounds of
 * Keccak-f[1600] (section 2: TurboSHAKE128). A longer one is cut into chunks of 8192 bytes: each
 * but the first is a leaf, hashed by itself, and the first is hashed with the values of all leaves.
 */
#ifndef JM_KT128_H
#define JM_KT128_H

#include "keccak/keccak.h"
#include "kt128/kt128_longer.h"

enum {
    KT128_FIRST_ROUND = 12,
    KT128_RATE_BYTES = 168,
    KT128_RATE_WORDS = KT128_RATE_BYTES / 8,
    KT128_CHUNK_BYTES = 8192,
    KT128_CHUNK_BLOCKS = KT128_CHUNK_BYTES / KT128_RATE_BYTES,
    KT128_CHUNK_REST = KT128_CHUNK_BYTES % KT128_RATE_BYTES,
    KT128_VALUE_WORDS = 4, /* of a leaf's value */
    KT128_DIGEST_BYTES = 32,
    KT128_LANES_MAX = 8,
};

/* Section 3.2: the byte after the last byte of each sponge's input. The customization string's
 * length, a byte of 0, belongs to the message's last chunk. */
enum {
    KT128_MESSAGE_END = 0x00,
    KT128_SINGLE = 0x07,
    KT128_FINAL_NODE = 0x06,
    KT128_LEAF = 0x0b,
};

/* Computes the values of `count` whole leaves, 0 < count <= lanes. If `first` is not NULL, the
 * first of the chunks is the message's first chunk: its whole blocks are absorbed by the state
 * `first`, empty before; the caller absorbs its rest, and it has no value. */
typedef void kt128_chunks(uint64_t (*values)[KT128_VALUE_WORDS], const uint8_t *message,
                          size_t count, uint64_t *first);

/* The functions of a variant; `chunks` may be NULL. */
typedef struct {
    keccak_absorb *absorb;
    kt128_chunks *chunks;
    size_t lanes;
    keccak_sponge single, leaf, last_leaf, final_node;
    const jm_implementation *longer; /* jm_kt128_longer */
} kt128_code;

/* A partly absorbed message. */
typedef struct {
    keccak_state final_node; /* the first chunk, then the values of the leaves */
    keccak_state leaf;       /* the incomplete chunk, if it is not the first */
    uint64_t chunks;         /* complete chunks */
    uint64_t chunk_bytes;    /* of the incomplete chunk */
} kt128_state;

extern const jm_hash_functions jm_kt128_hash;

/* Functions of other files that variants with lanes use: for all but many chunks, and for up to
 * four chunks. */
keccak_absorb jm_kt128_absorb_bmi2;
kt128_chunks jm_kt128_chunks_avx512_x4;

#define KT128_SPONGE_(absorb_, digest_bytes_, ...)                                                 \
    {                                                                                              \
        .absorb = (absorb_), .rate_bytes = KT128_RATE_BYTES, .digest_bytes = (digest_bytes_),      \
        .ends_block = true, .padding_bytes = sizeof((uint8_t[]){__VA_ARGS__}),                     \
        .padding = {__VA_ARGS__}                                                                   \
    }
#define KT128_DEFINE_(storage_, name_, variant_, features_, absorb_, chunks_, lanes_,              \
                      constant_time_, note_, digest_bytes_, longer_)                               \
    static const kt128_code name_##_code = {                                                       \
        .absorb = (absorb_),                                                                       \
        .chunks = (chunks_),                                                                       \
        .lanes = (lanes_),                                                                         \
        .single = KT128_SPONGE_(absorb_, digest_bytes_, KT128_MESSAGE_END, KT128_SINGLE),          \
        .leaf = KT128_SPONGE_(absorb_, 0, KT128_LEAF),                                             \
        .last_leaf = KT128_SPONGE_(absorb_, 0, KT128_MESSAGE_END, KT128_LEAF),                     \
        .final_node = KT128_SPONGE_(absorb_, digest_bytes_, KT128_FINAL_NODE),                     \
        .longer = (longer_),                                                                       \
    };                                                                                             \
    storage_ const jm_implementation name_ = {                                                     \
        .algorithm = "kt128",                                                                      \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_HASH,                                                                      \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = (constant_time_),                                                         \
        .block_bytes = KT128_RATE_BYTES,                                                           \
        .output_bytes = (digest_bytes_),                                                           \
        .hash = &jm_kt128_hash,                                                                    \
        .over = &name_##_code,                                                                     \
    };

/* The last line of a variant's file. */
#define JM_KT128_VARIANT(variant_, features_, absorb_, chunks_, lanes_, constant_time_, note_)     \
    KT128_DEFINE_(static, kt128_longer, variant_, features_, absorb_, chunks_, lanes_,             \
                  constant_time_, note_, KT128_RATE_BYTES, NULL)                                   \
    KT128_DEFINE_(, jm_kt128_##variant_, variant_, features_, absorb_, chunks_, lanes_,            \
                  constant_time_, note_, KT128_DIGEST_BYTES, &kt128_longer)

extern const jm_implementation jm_kt128_portable, jm_kt128_bmi2, jm_kt128_avx2, jm_kt128_avx512;

#endif
