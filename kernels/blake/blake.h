/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE (Aumasson, Henzen, Meier, Phan: "SHA-3 proposal BLAKE", versions 1.2 and 1.3): constants,
 * and the table of its functions, which a variant makes from two compression functions.
 *
 * The versions differ in the number of rounds alone: BLAKE-32 and BLAKE-64 of the first two rounds
 * of the competition have 10 and 14, BLAKE-256 and BLAKE-512 of the final have 14 and 16. */
#ifndef JM_BLAKE_H
#define JM_BLAKE_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { BLAKE_ROUNDS_MAX = 16 };

/* Section 2.2.1: the fractional part of pi; the constants of BLAKE-32 are the halves of its first
 * eight words. */
static const uint64_t blake_pi_64[16] = {
    UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d0),
    UINT64_C(0x082efa98ec4e6c89), UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c),
    UINT64_C(0xc0ac29b7c97c50dd), UINT64_C(0x3f84d5b5b5470917), UINT64_C(0x9216d5d98979fb1b),
    UINT64_C(0xd1310ba698dfb5ac), UINT64_C(0x2ffd72dbd01adfb7), UINT64_C(0xb8e1afed6a267e96),
    UINT64_C(0xba7c9045f12c7f99), UINT64_C(0x24a19947b3916cf7), UINT64_C(0x0801f2e2858efc16),
    UINT64_C(0x636920d871574e69),
};
static const uint32_t blake_pi_32[16] = {
    0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
    0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
};

/* Section 2.1.1: the initial values of SHA-256 and SHA-512. */
static const uint32_t blake_initial_32[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint64_t blake_initial_64[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
    UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

/* Section 2.1.2, table 2: one permutation of the words per round. The macro ROW, with sixteen
 * arguments, gives the rows their form. */
#define BLAKE_PERMUTATIONS_0_TO_5(ROW)                                                             \
    ROW(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)                                      \
    ROW(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)                                      \
    ROW(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)                                      \
    ROW(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)                                      \
    ROW(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)                                      \
    ROW(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
#define BLAKE_PERMUTATIONS_6_TO_9(ROW)                                                             \
    ROW(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)                                      \
    ROW(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)                                      \
    ROW(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)                                      \
    ROW(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)
/* The permutations of all 16 rounds: after ten they repeat. */
#define BLAKE_PERMUTATIONS(ROW)                                                                    \
    BLAKE_PERMUTATIONS_0_TO_5(ROW) BLAKE_PERMUTATIONS_6_TO_9(ROW) BLAKE_PERMUTATIONS_0_TO_5(ROW)

/* The chaining value, and the bytes of the message that it has absorbed, from which the counter
 * follows. */
typedef struct {
    uint32_t h[8];
    uint64_t absorbed_bytes;
} blake_chain_32;
typedef struct {
    uint64_t h[8];
    uint64_t absorbed_bytes;
} blake_chain_64;

/* A variant supplies, for words of 32 and of 64 bits:
 *
 *     static void compress_32(uint32_t h[8], const uint8_t *blocks, size_t count,
 *                             uint64_t counted_bytes, unsigned rounds);
 *
 * absorbs `count` >= 1 blocks; the counter of the first of them is `counted_bytes`, and each
 * further block adds its length. compress_64 likewise. */

/* init, absorb and finish of one function (section 2.1.3). `bits_` is the word's width, 32 or 64;
 * the message's length takes two words of the padding, and the bit before the length is set. */
#define BLAKE_HASH_(name_, bits_, rounds_)                                                         \
    JM_ONCE void name_##_compress(uint##bits_##_t h[8], const uint8_t *blocks, size_t count,       \
                                  uint64_t counted_bytes) {                                        \
        compress_##bits_(h, blocks, count, counted_bytes, rounds_);                                \
    }                                                                                              \
    static void name_##_init(void *chain) {                                                        \
        blake_chain_##bits_ *state = chain;                                                        \
        for (size_t i = 0; i < 8; i++) state->h[i] = blake_initial_##bits_[i];                     \
        state->absorbed_bytes = 0;                                                                 \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        blake_chain_##bits_ *state = chain;                                                        \
        name_##_compress(state->h, blocks, count, state->absorbed_bytes + 2 * (bits_));            \
        state->absorbed_bytes += count * (2 * (bits_));                                            \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        enum { BLOCK_BYTES = 2 * (bits_), LENGTH_AT = BLOCK_BYTES - (bits_) / 4 };                 \
        blake_chain_##bits_ *state = chain;                                                        \
        _Alignas(JM_STATE_ALIGN) uint8_t block[BLOCK_BYTES];                                       \
        uint64_t counted_bytes = rest_bytes ? total_bytes : 0;                                     \
        jm_pad_block(block, BLOCK_BYTES, rest, rest_bytes, 0x80);                                  \
        if (rest_bytes >= LENGTH_AT) {                                                             \
            name_##_compress(state->h, block, 1, counted_bytes);                                   \
            jm_clear_block(block, BLOCK_BYTES);                                                    \
            counted_bytes = 0; /* the block has no bit of the message */                           \
        }                                                                                          \
        block[LENGTH_AT - 1] |= 0x01;                                                              \
        if ((bits_) == 64) store_be64(block + LENGTH_AT, total_bytes >> 61);                       \
        store_be64(block + BLOCK_BYTES - 8, total_bytes << 3);                                     \
        name_##_compress(state->h, block, 1, counted_bytes);                                       \
        for (size_t i = 0; i < 8; i++) store_be##bits_(digest + i * (bits_) / 8, state->h[i]);     \
        jm_wipe(block, BLOCK_BYTES);                                                               \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = sizeof(blake_chain_##bits_),                                                \
        .block_bytes = 2 * (bits_),                                                                \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };

/* The last line of a variant's file: defines all four functions. */
#define JM_BLAKE_VARIANT(variant_, features_, constant_time_, note_)                               \
    BLAKE_HASH_(blake_r2_256, 32, 10)                                                              \
    BLAKE_HASH_(blake_r2_512, 64, 14)                                                              \
    BLAKE_HASH_(blake_256, 32, 14)                                                                 \
    BLAKE_HASH_(blake_512, 64, 16)                                                                 \
    JM_BLOCK_HASH_DEFINE(blake_r2_256, "blake-r2-256", variant_, features_, JM_TARGET_ANY,         \
                         constant_time_, note_, 64, 32, blake_r2_256_hash)                         \
    JM_BLOCK_HASH_DEFINE(blake_r2_512, "blake-r2-512", variant_, features_, JM_TARGET_ANY,         \
                         constant_time_, note_, 128, 64, blake_r2_512_hash)                        \
    JM_BLOCK_HASH_DEFINE(blake_256, "blake-256", variant_, features_, JM_TARGET_ANY,               \
                         constant_time_, note_, 64, 32, blake_256_hash)                            \
    JM_BLOCK_HASH_DEFINE(blake_512, "blake-512", variant_, features_, JM_TARGET_ANY,               \
                         constant_time_, note_, 128, 64, blake_512_hash)

#define BLAKE_DECLARE(variant_)                                                                    \
    extern const jm_implementation jm_blake_r2_256_##variant_, jm_blake_r2_512_##variant_,         \
        jm_blake_256_##variant_, jm_blake_512_##variant_;
BLAKE_DECLARE(portable)
#if defined(__x86_64__)
BLAKE_DECLARE(avx512)
#endif

#endif
