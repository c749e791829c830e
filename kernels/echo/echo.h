/* SPDX-License-Identifier: Apache-2.0
 *
 * ECHO (R. Benadjila et al., "SHA-3 Proposal: ECHO", version 1.5, 2009; second round of the SHA-3
 * competition), without salt: the part that all variants share.
 *
 * The big state is 4 x 4 words of 16 bytes, in columns: word i + 4 j is row i of column j. The
 * state's first columns are the chaining value, the others the block. A round puts every word
 * through two rounds of AES, the first with a counter as its key, the second with the salt, then
 * shifts the rows of words and mixes their columns, byte for byte as AES does. */
#ifndef JM_ECHO_H
#define JM_ECHO_H

#include "common/block_hash.h"

enum {
    ECHO_STATE_BYTES = 256,
    ECHO_LENGTH_BYTES = 18, /* at the padding's end: digest's bits in 2 bytes, message's in 16 */
    ECHO_CHAIN_BYTES_MAX = 128
};

/* One function of the family: its chaining value is whole columns of 64 bytes, its block the rest
 * of the state. */
typedef struct {
    uint16_t chain_bytes, block_bytes, digest_bytes;
    uint8_t rounds;
} echo_sizes;

static const echo_sizes echo_sizes_256 = {64, 192, 32, 8};
static const echo_sizes echo_sizes_512 = {128, 128, 64, 10};

/* `bits` counts the bits of the message that have been compressed. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint8_t value[ECHO_CHAIN_BYTES_MAX];
    uint64_t bits;
} echo_chain;

/* The function of a variant: compresses `count` >= 1 blocks. The first block's counter starts at
 * `counter`, each later block's at `step` more: the message's bits up to the end of that block. */
typedef void echo_compress(const echo_sizes *sizes, uint8_t *value, const uint8_t *blocks,
                           size_t count, uint64_t counter, uint64_t step);

/* Each word of the chain is the digest's length in bits. */
JM_INLINE void echo_init(const echo_sizes *sizes, echo_chain *chain) {
    for (size_t at = 0; at < sizes->chain_bytes; at += 16) {
        store_le64(chain->value + at, 8u * sizes->digest_bytes);
        store_le64(chain->value + at + 8, 0);
    }
    chain->bits = 0;
}

JM_INLINE void echo_absorb(const echo_sizes *sizes, echo_compress *compress, echo_chain *chain,
                           const uint8_t *blocks, size_t count) {
    const uint64_t block_bits = 8u * sizes->block_bytes;
    compress(sizes, chain->value, blocks, count, chain->bits + block_bits, block_bits);
    chain->bits += count * block_bits;
}

/* The padding: a bit 1, zeros, the digest's length and the message's. A block without any bit of
 * the message has a counter that starts at 0. */
JM_INLINE void echo_finish(const echo_sizes *sizes, echo_compress *compress, echo_chain *chain,
                           const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                           uint8_t *digest) {
    const size_t block_bytes = sizes->block_bytes;
    uint8_t blocks[2 * 192];
    memset(blocks, 0, 2 * block_bytes);
    memcpy(blocks, rest, rest_bytes);
    blocks[rest_bytes] = 0x80;
    const size_t count = rest_bytes + 1 + ECHO_LENGTH_BYTES > block_bytes ? 2 : 1;
    uint8_t *length = blocks + count * block_bytes - ECHO_LENGTH_BYTES;
    length[1] = (uint8_t)(sizes->digest_bytes / 32); /* 8 digest_bytes in two bytes */
    store_le64(length + 2, total_bytes << 3);
    store_le64(length + 10, total_bytes >> 61);
    const uint64_t counter = rest_bytes ? total_bytes << 3 : 0;
    compress(sizes, chain->value, blocks, count, counter, 0 - counter);
    memcpy(digest, chain->value, sizes->digest_bytes);
    jm_wipe(blocks, sizeof blocks);
}

/* The last lines of a variant's file, which has defined `compress`: the implementation
 * jm_echo_256_<variant> and its like. */
#define ECHO_HASH(bits_, variant_, features_, constant_time_, note_)                               \
    static void init_##bits_(void *chain) {                                                        \
        echo_init(&echo_sizes_##bits_, chain);                                                     \
    }                                                                                              \
    static void absorb_##bits_(void *chain, const uint8_t *blocks, size_t count) {                 \
        echo_absorb(&echo_sizes_##bits_, compress_##bits_, chain, blocks, count);                  \
    }                                                                                              \
    static void finish_##bits_(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        echo_finish(&echo_sizes_##bits_, compress_##bits_, chain, rest, rest_bytes, total_bytes,   \
                    digest);                                                                       \
    }                                                                                              \
    static const jm_block_hash hash_##bits_ = {                                                    \
        .chain_bytes = sizeof(echo_chain),                                                         \
        .block_bytes = (ECHO_STATE_BYTES) - (bits_) / 4,                                           \
        .init = init_##bits_,                                                                      \
        .absorb = absorb_##bits_,                                                                  \
        .finish = finish_##bits_,                                                                  \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(echo_##bits_, "echo-" #bits_, variant_, features_, JM_TARGET_ANY,         \
                         constant_time_, note_, (ECHO_STATE_BYTES) - (bits_) / 4, (bits_) / 8,     \
                         hash_##bits_)

#define JM_ECHO_VARIANT(variant_, features_, constant_time_, note_)                                \
    ECHO_HASH(256, variant_, features_, constant_time_, note_)                                     \
    ECHO_HASH(512, variant_, features_, constant_time_, note_)

extern const jm_implementation jm_echo_256_portable, jm_echo_512_portable;
extern const jm_implementation jm_echo_256_aesni, jm_echo_512_aesni;
extern const jm_implementation jm_echo_256_vaes_gfni, jm_echo_512_vaes_gfni;

#endif
