/* SPDX-License-Identifier: Apache-2.0
 *
 * SHAvite-3-256 and SHAvite-3-512 (E. Biham and O. Dunkelman, "The SHAvite-3 Hash Function", second
 * round of the SHA-3 competition, 2009), without salt: the part that all variants share. AES is
 * used as the specification says: 32-bit words are little-endian, and a block of four words is an
 * AES state. (The submission's reference code and its known answers have AES with the bytes of
 * words reversed.)
 *
 * The compression function is a block cipher in Davies-Meyer mode: the chaining value is encrypted
 * under the block as its key, and added to the result. The cipher is a Feistel network whose round
 * function is three or four rounds of AES; subkeys are made by rounds of AES and by linear steps in
 * turn, and the counter of bits is added to some. */
#ifndef JM_SHAVITE3_H
#define JM_SHAVITE3_H

#include "common/block_hash.h"

enum { SHAVITE3_BLOCK_BYTES_MAX = 128, SHAVITE3_CHAIN_BYTES_MAX = 64 };

/* One function of the family. Its chaining value is as long as the digest, its block twice as
 * long. */
typedef struct {
    uint8_t digest_bytes;
    uint8_t length_bytes; /* bytes of the counter, and of the message's length in the padding */
    const uint32_t *initial;
} shavite3_kind;

/* tests/native/shavite3_initial.c derives both: a block of zeros is compressed into a chaining
 * value of zeros, and the digest's length in bits, as a block with the counter 0, into the
 * result. */
static const uint32_t shavite3_initial_256[8] = {
    0x49bb3e47, 0x2674860d, 0xa8b392ac, 0x021ac4e6, 0x409283cf, 0x620e5d86, 0x6d929dcb, 0x96cc2a8b,
};
static const uint32_t shavite3_initial_512[16] = {
    0x72fccdd8, 0x79ca4727, 0x128a077b, 0x40d55aec, 0xd1901a06, 0x430ae307, 0xb29f5cd1, 0xdf07fbfc,
    0x8e45d73d, 0x681ab538, 0xbde86578, 0xdd577e47, 0xe275eade, 0x502d9fcd, 0xb9357178, 0x022a4b9a,
};

static const shavite3_kind shavite3_kind_256 = {32, 8, shavite3_initial_256};
static const shavite3_kind shavite3_kind_512 = {64, 16, shavite3_initial_512};

/* `bits` counts the bits of the message that have been compressed. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint32_t value[SHAVITE3_CHAIN_BYTES_MAX / 4];
    uint64_t bits[2]; /* low and high half */
} shavite3_chain;

/* The function of a variant: compresses one block. `counter` is the number of the message's bits up
 * to the end of the block, or 0 for a block without any: low half, and high half, which is 0 for
 * SHAvite-3-256. */
typedef void shavite3_compress(uint32_t *value, const uint8_t *block, const uint64_t counter[2]);

JM_INLINE void shavite3_init(const shavite3_kind *kind, shavite3_chain *chain) {
    memcpy(chain->value, kind->initial, kind->digest_bytes);
    chain->bits[0] = chain->bits[1] = 0;
}

JM_INLINE void shavite3_absorb(const shavite3_kind *kind, shavite3_compress *compress,
                               shavite3_chain *chain, const uint8_t *blocks, size_t count) {
    const size_t block_bytes = 2u * kind->digest_bytes;
    for (; count; count--, blocks += block_bytes) {
        chain->bits[0] += 8 * block_bytes;
        chain->bits[1] += chain->bits[0] < 8 * block_bytes && kind->length_bytes == 16;
        compress(chain->value, blocks, chain->bits);
    }
}

/* The padding: a bit 1, zeros, the message's length, the digest's length in two bytes. */
JM_INLINE void shavite3_finish(const shavite3_kind *kind, shavite3_compress *compress,
                               shavite3_chain *chain, const uint8_t *rest, size_t rest_bytes,
                               uint64_t total_bytes, uint8_t *digest) {
    const size_t block_bytes = 2u * kind->digest_bytes;
    const size_t lengths_bytes = kind->length_bytes + 2u;
    const uint64_t none[2] = {0, 0};
    const uint64_t bits[2] = {total_bytes << 3, kind->length_bytes == 16 ? total_bytes >> 61 : 0};
    uint8_t block[SHAVITE3_BLOCK_BYTES_MAX];
    memset(block, 0, block_bytes);
    memcpy(block, rest, rest_bytes);
    block[rest_bytes] = 0x80;
    const uint64_t *counter = rest_bytes ? bits : none;
    if (rest_bytes + 1 + lengths_bytes > block_bytes) {
        compress(chain->value, block, counter);
        memset(block, 0, block_bytes);
        counter = none;
    }
    uint8_t *lengths = block + block_bytes - lengths_bytes;
    store_le64(lengths, bits[0]);
    if (kind->length_bytes == 16) store_le64(lengths + 8, bits[1]);
    lengths[kind->length_bytes + 1u] = kind->digest_bytes / 32; /* bits, in two bytes */
    compress(chain->value, block, counter);
    for (size_t i = 0; i < kind->digest_bytes / 4u; i++)
        store_le32(digest + 4 * i, chain->value[i]);
    jm_wipe(block, sizeof block);
}

/* The last lines of a variant's file, which has defined `compress_<bits>`: the implementation
 * jm_shavite3_<bits>_<variant>. */
#define SHAVITE3_HASH(bits_, variant_, features_, constant_time_, note_)                           \
    static void init_##bits_(void *chain) {                                                        \
        shavite3_init(&shavite3_kind_##bits_, chain);                                              \
    }                                                                                              \
    static void absorb_##bits_(void *chain, const uint8_t *blocks, size_t count) {                 \
        shavite3_absorb(&shavite3_kind_##bits_, compress_##bits_, chain, blocks, count);           \
    }                                                                                              \
    static void finish_##bits_(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        shavite3_finish(&shavite3_kind_##bits_, compress_##bits_, chain, rest, rest_bytes,         \
                        total_bytes, digest);                                                      \
    }                                                                                              \
    static const jm_block_hash hash_##bits_ = {                                                    \
        .chain_bytes = sizeof(shavite3_chain),                                                     \
        .block_bytes = (bits_) / 4,                                                                \
        .init = init_##bits_,                                                                      \
        .absorb = absorb_##bits_,                                                                  \
        .finish = finish_##bits_,                                                                  \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(shavite3_##bits_, "shavite3-" #bits_, variant_, features_, JM_TARGET_ANY, \
                         constant_time_, note_, (bits_) / 4, (bits_) / 8, hash_##bits_)

#define JM_SHAVITE3_VARIANT(variant_, features_, constant_time_, note_)                            \
    SHAVITE3_HASH(256, variant_, features_, constant_time_, note_)                                 \
    SHAVITE3_HASH(512, variant_, features_, constant_time_, note_)

extern const jm_implementation jm_shavite3_256_portable, jm_shavite3_512_portable;
extern const jm_implementation jm_shavite3_256_aesni, jm_shavite3_512_aesni;

#endif
