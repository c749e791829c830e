/* SPDX-License-Identifier: Apache-2.0
 *
 * SIMD-256 and SIMD-512 (Leurent, Bouillaguet, Fouque: "SIMD is a Message Digest", version 1.1,
 * second round of the SHA-3 competition, 2009): constants, padding, and the table of its functions,
 * which a variant makes from two compression functions. */
#ifndef JM_SIMD_H
#define JM_SIMD_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

/* Four or eight lanes of a step; a block fills four vectors, and its expansion 32. */
enum { SIMD_ROWS = 4, SIMD_EXPANDED = 32, SIMD_STEPS = 36, SIMD_LANES_MAX = 8 };

/* Section 1.1.5: the initial values, which are the compressed names of the functions. */
#define SIMD_INITIAL_4                                                                             \
    {                                                                                              \
        0x4d567983, 0x07190ba9, 0x8474577b, 0x39d726e9, 0xaaf3d925, 0x3ee20b03,                    \
        0xafd5e751, 0xc96006d3, 0xc2c2ba14, 0x49b3bcb4, 0xf67caf46, 0x668626c9,                    \
        0xe2eaa8d2, 0x1ff47833, 0xd0c661a5, 0x55693de1}
#define SIMD_INITIAL_8                                                                             \
    {                                                                                              \
        0x0ba16b95, 0x72f999ad, 0x9fecc2ae, 0xba3264fc, 0x5e894929, 0x8e9f30e5, 0x2f1daa37,        \
        0xf0f2c558, 0xac506643, 0xa90635a5, 0xe25b878b, 0xaab7878f, 0x88817f7a, 0x0a02892b,        \
        0x559a7550, 0x598f657e, 0x7eef60a1, 0x6b70e3e8, 0x9c1714d1, 0xb958e2a8, 0xab02675e,        \
        0xed1c014f, 0xcd8d65bb, 0xfdb7a257, 0x09254899, 0xd699c7bc, 0x9019b6dc, 0x2b9022e4,        \
        0x8fa14956, 0x21bf9bd3, 0xb94d0943, 0x6ffddc22}

/* Section 1.2.3, table 1.2: the index of the vector of the transform's output that each step
 * takes. */
static const uint8_t simd_order[SIMD_EXPANDED] = {
    4,  6,  0,  2,  7,  5,  3,  1,  15, 11, 12, 8,  9,  13, 10, 14,
    17, 18, 23, 20, 22, 21, 16, 19, 30, 24, 25, 31, 27, 29, 28, 26,
};
enum { SIMD_FACTOR_1 = 185, SIMD_FACTOR_2 = 233 }; /* for the first and the last sixteen vectors */

/* Section 1.1.4: rotations of the four rounds; the last four steps have those of the fourth round.
 */
static const uint8_t simd_rotations[4][4] = {
    {3, 23, 17, 27}, {28, 19, 22, 7}, {29, 9, 15, 5}, {4, 13, 10, 25}};
/* In a step each lane adds the rotated A of another lane: its number XORed with one of these, which
 * the steps take in turn. */
static const uint8_t simd_exchange_4[3] = {1, 2, 3};
static const uint8_t simd_exchange_8[7] = {1, 6, 2, 3, 5, 7, 4};

/* A variant supplies, for four and for eight lanes:
 *
 *     static void compress_4(uint32_t h[16], const uint8_t *blocks, size_t count, bool last);
 *
 * absorbs `count` >= 1 blocks; the last block of a message, its length, is expanded in another
 * way. */

/* Zeros fill the last block of the message, and the length in bits has a block to itself. */
#define SIMD_HASH_(name_, lanes_)                                                                  \
    static void name_##_init(void *chain) {                                                        \
        static const uint32_t initial[SIMD_ROWS * (lanes_)] = SIMD_INITIAL_##lanes_;               \
        memcpy(chain, initial, sizeof initial);                                                    \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        compress_##lanes_(chain, blocks, count, false);                                            \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        enum { BLOCK_BYTES = 16 * (lanes_) };                                                      \
        _Alignas(JM_STATE_ALIGN) uint8_t block[BLOCK_BYTES];                                       \
        if (rest_bytes) {                                                                          \
            jm_pad_block(block, BLOCK_BYTES, rest, rest_bytes, 0);                                 \
            compress_##lanes_(chain, block, 1, false);                                             \
        }                                                                                          \
        jm_clear_block(block, BLOCK_BYTES);                                                        \
        store_le64(block, total_bytes << 3);                                                       \
        compress_##lanes_(chain, block, 1, true);                                                  \
        const uint32_t *h = chain;                                                                 \
        for (size_t i = 0; i < 2 * (lanes_); i++) store_le32(digest + 4 * i, h[i]);                \
        jm_wipe(block, BLOCK_BYTES);                                                               \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = 16 * (lanes_),                                                              \
        .block_bytes = 16 * (lanes_),                                                              \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };

/* The last line of a variant's file: defines both functions. */
#define JM_SIMD_VARIANT(variant_, features_, constant_time_, note_)                                \
    SIMD_HASH_(simd_256, 4)                                                                        \
    SIMD_HASH_(simd_512, 8)                                                                        \
    JM_BLOCK_HASH_DEFINE(simd_256, "simd-256", variant_, features_, JM_TARGET_ANY, constant_time_, \
                         note_, 64, 32, simd_256_hash)                                             \
    JM_BLOCK_HASH_DEFINE(simd_512, "simd-512", variant_, features_, JM_TARGET_ANY, constant_time_, \
                         note_, 128, 64, simd_512_hash)

extern const jm_implementation jm_simd_256_portable, jm_simd_512_portable;
#if defined(__x86_64__)
extern const jm_implementation jm_simd_256_avx512, jm_simd_512_avx512;
#endif

#endif
