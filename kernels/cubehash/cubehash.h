/* SPDX-License-Identifier: Apache-2.0
 *
 * CubeHash16/32 (Bernstein: "CubeHash specification (2.B.1)", second round of the SHA-3
 * competition, 2009): 16 rounds for each 32 bytes. The second round has 160 initial and 160 final
 * rounds; its designer later recommended 16 and 32, with a digest of 512 bits. */
#ifndef JM_CUBEHASH_H
#define JM_CUBEHASH_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { CUBEHASH_WORDS = 32, CUBEHASH_BLOCK_BYTES = 32, CUBEHASH_ROUNDS = 16 };
enum { CUBEHASH_FINAL_ROUNDS = 10 * CUBEHASH_ROUNDS, CUBEHASH_16_FINAL_ROUNDS = 32 };

/* The state after the initial rounds, which the reference in Python computes. */
#define CUBEHASH_INITIAL_256                                                                       \
    {                                                                                              \
        0xea2bd4b4, 0xccd6f29f, 0x63117e71, 0x35481eae, 0x22512d5b, 0xe5d94e63, 0x7e624131,        \
        0xf4cc12be, 0xc2d0b696, 0x42af2070, 0xd0720c35, 0x3361da8c, 0x28cceca4, 0x8ef8ad83,        \
        0x4680ac00, 0x40e5fbab, 0xd89041c3, 0x6107fbd5, 0x6c859d41, 0xf0b26679, 0x09392549,        \
        0x5fa25603, 0x65c892fd, 0x93cb6285, 0x2af2b5ae, 0x9e4b4e60, 0x774abfdd, 0x85254725,        \
        0x15815aeb, 0x4ab6aad6, 0x9cdaf8af, 0xd6032c0a}
#define CUBEHASH_INITIAL_512                                                                       \
    {                                                                                              \
        0x2aea2a61, 0x50f494d4, 0x2d538b8b, 0x4167d83e, 0x3fee2313, 0xc701cf8c, 0xcc39968e,        \
        0x50ac5695, 0x4d42c787, 0xa647a8b3, 0x97cf0bef, 0x825b4537, 0xeef864d2, 0xf22090c4,        \
        0xd0e5cd33, 0xa23911ae, 0xfcd398d9, 0x148fe485, 0x1b017bef, 0xb6444532, 0x6a536159,        \
        0x2ff5781c, 0x91fa7934, 0x0dbadea9, 0xd65c8a2b, 0xa5a70e75, 0xb1c62456, 0xbc796576,        \
        0x1921c8f7, 0xe7989af1, 0x7795d246, 0xd43e3b44}
#define CUBEHASH_16_INITIAL_512                                                                    \
    {                                                                                              \
        0x781f814f, 0x18f45926, 0x992b7520, 0xc8237df7, 0xe4e3ba88, 0x7b0075ff, 0x51916982,        \
        0x947c6147, 0x9dc06f0a, 0x4d197eb5, 0xb6e17224, 0x912e1aca, 0x5270f5e1, 0xd9efd0ec,        \
        0xf0fcf7c8, 0x20d4074f, 0x15547fee, 0xf4839313, 0x017c189c, 0xaf1c332a, 0xde4d7c8c,        \
        0x84997eec, 0x5bd87a43, 0xb6d3d055, 0x3ae247b0, 0x2b8cb0a6, 0xd9d6ca35, 0x4bf12b94,        \
        0x97f33a51, 0x62fb84ad, 0x7e70e613, 0x520c709b}

/* A variant supplies:
 *
 *     static void absorb(void *chain, const uint8_t *blocks, size_t count);
 *     static void last_rounds(void *chain, size_t count);
 *
 * `absorb` adds `count` >= 1 blocks, each before its rounds; `last_rounds` computes `count` final
 * rounds, an even number. `chain` is the 32 words in the specification's order. */

#define CUBEHASH_HASH_(name_, digest_bytes_, initial_, final_rounds_)                              \
    static void name_##_init(void *chain) {                                                        \
        static const uint32_t initial[CUBEHASH_WORDS] = initial_;                                  \
        memcpy(chain, initial, sizeof initial);                                                    \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        (void)total_bytes;                                                                         \
        cubehash_finish(chain, rest, rest_bytes, final_rounds_, digest, digest_bytes_);            \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = 4 * CUBEHASH_WORDS,                                                         \
        .block_bytes = CUBEHASH_BLOCK_BYTES,                                                       \
        .init = name_##_init,                                                                      \
        .absorb = absorb,                                                                          \
        .finish = name_##_finish,                                                                  \
    };

/* The last line of a variant's file: defines the three functions. */
#define JM_CUBEHASH_VARIANT(variant_, features_, constant_time_, note_)                            \
    static void cubehash_finish(uint32_t *x, const uint8_t *rest, size_t rest_bytes,               \
                                size_t final_rounds, uint8_t *digest, size_t digest_bytes) {       \
        uint8_t block[CUBEHASH_BLOCK_BYTES];                                                       \
        jm_pad_block(block, sizeof block, rest, rest_bytes, 0x80);                                 \
        absorb(x, block, 1);                                                                       \
        x[CUBEHASH_WORDS - 1] ^= 1;                                                                \
        last_rounds(x, final_rounds);                                                              \
        for (size_t i = 0; i < digest_bytes / 4; i++) store_le32(digest + 4 * i, x[i]);            \
        jm_wipe(block, sizeof block);                                                              \
    }                                                                                              \
    CUBEHASH_HASH_(cubehash_256, 32, CUBEHASH_INITIAL_256, CUBEHASH_FINAL_ROUNDS)                  \
    CUBEHASH_HASH_(cubehash_512, 64, CUBEHASH_INITIAL_512, CUBEHASH_FINAL_ROUNDS)                  \
    CUBEHASH_HASH_(cubehash_16_512, 64, CUBEHASH_16_INITIAL_512, CUBEHASH_16_FINAL_ROUNDS)         \
    JM_BLOCK_HASH_DEFINE(cubehash_256, "cubehash-256", variant_, features_, JM_TARGET_ANY,         \
                         constant_time_, note_, CUBEHASH_BLOCK_BYTES, 32, cubehash_256_hash)       \
    JM_BLOCK_HASH_DEFINE(cubehash_512, "cubehash-512", variant_, features_, JM_TARGET_ANY,         \
                         constant_time_, note_, CUBEHASH_BLOCK_BYTES, 64, cubehash_512_hash)       \
    JM_BLOCK_HASH_DEFINE(cubehash_16_512, "cubehash-16-512", variant_, features_, JM_TARGET_ANY,   \
                         constant_time_, note_, CUBEHASH_BLOCK_BYTES, 64, cubehash_16_512_hash)

extern const jm_implementation jm_cubehash_256_portable, jm_cubehash_512_portable,
    jm_cubehash_16_512_portable;
#if defined(__x86_64__)
extern const jm_implementation jm_cubehash_256_avx512, jm_cubehash_512_avx512,
    jm_cubehash_16_512_avx512;
#endif

#endif
