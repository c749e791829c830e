/* SPDX-License-Identifier: Apache-2.0
 *
 * Blue Midnight Wish (Gligoroski, Klima, Knapskog, El-Hadedy, Amundsen, Mjolsnes: "Cryptographic
 * Hash Function Blue Midnight Wish", second round of the SHA-3 competition, 2009): constants,
 * padding, and the table of its functions, which a variant makes from two compression functions. */
#ifndef JM_BMW_H
#define JM_BMW_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { BMW_WORDS = 16 };

/* Table 1.1: the bytes of the initial values count up, from 0x40 and from 0x80. */
#define BMW_INITIAL_32(i_) (UINT32_C(0x40414243) + UINT32_C(0x04040404) * (uint32_t)(i_))
#define BMW_INITIAL_64(i_)                                                                         \
    (UINT64_C(0x8081828384858687) + UINT64_C(0x0808080808080808) * (uint64_t)(i_))
/* Section 1.7: the chaining value of the last compression, whose message block is the chaining
 * value before it. */
#define BMW_FINAL_32(i_) (UINT32_C(0xaaaaaaa0) + (uint32_t)(i_))
#define BMW_FINAL_64(i_) (UINT64_C(0xaaaaaaaaaaaaaaa0) + (uint64_t)(i_))

/* A variant supplies, for words of 32 and of 64 bits:
 *
 *     static void compress_32(uint32_t h[16], const uint8_t *blocks, size_t count);
 *
 * absorbs `count` >= 1 blocks of 16 words. */

/* The message's length takes eight bytes of the padding for both widths. */
#define BMW_HASH_(name_, bits_)                                                                    \
    static void name_##_init(void *chain) {                                                        \
        uint##bits_##_t *h = chain;                                                                \
        for (size_t i = 0; i < BMW_WORDS; i++) h[i] = BMW_INITIAL_##bits_(i);                      \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        compress_##bits_(chain, blocks, count);                                                    \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        enum { BLOCK_BYTES = 2 * (bits_) };                                                        \
        _Alignas(JM_STATE_ALIGN) uint8_t block[BLOCK_BYTES];                                       \
        _Alignas(JM_STATE_ALIGN) uint##bits_##_t last[BMW_WORDS];                                  \
        uint##bits_##_t *h = chain;                                                                \
        jm_pad_block(block, BLOCK_BYTES, rest, rest_bytes, 0x80);                                  \
        if (rest_bytes >= BLOCK_BYTES - 8) {                                                       \
            compress_##bits_(h, block, 1);                                                         \
            jm_clear_block(block, BLOCK_BYTES);                                                    \
        }                                                                                          \
        store_le64(block + BLOCK_BYTES - 8, total_bytes << 3);                                     \
        compress_##bits_(h, block, 1);                                                             \
        for (size_t i = 0; i < BMW_WORDS; i++) {                                                   \
            store_le##bits_(block + i * (bits_) / 8, h[i]);                                        \
            last[i] = BMW_FINAL_##bits_(i);                                                        \
        }                                                                                          \
        compress_##bits_(last, block, 1);                                                          \
        for (size_t i = 0; i < BMW_WORDS / 2; i++)                                                 \
            store_le##bits_(digest + i * (bits_) / 8, last[BMW_WORDS / 2 + i]);                    \
        jm_wipe(block, BLOCK_BYTES);                                                               \
        jm_wipe(last, sizeof last);                                                                \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = 2 * (bits_),                                                                \
        .block_bytes = 2 * (bits_),                                                                \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };

/* The last line of a variant's file: defines both functions. */
#define JM_BMW_VARIANT(variant_, features_, constant_time_, note_)                                 \
    BMW_HASH_(bmw_256, 32)                                                                         \
    BMW_HASH_(bmw_512, 64)                                                                         \
    JM_BLOCK_HASH_DEFINE(bmw_256, "bmw-256", variant_, features_, JM_TARGET_ANY, constant_time_,   \
                         note_, 64, 32, bmw_256_hash)                                              \
    JM_BLOCK_HASH_DEFINE(bmw_512, "bmw-512", variant_, features_, JM_TARGET_ANY, constant_time_,   \
                         note_, 128, 64, bmw_512_hash)

extern const jm_implementation jm_bmw_256_portable, jm_bmw_512_portable;
#if defined(__x86_64__)
extern const jm_implementation jm_bmw_256_avx512, jm_bmw_512_avx512;
#endif

#endif
