/* SPDX-License-Identifier: Apache-2.0
 *
 * Skein-512 (Ferguson and others: "The Skein Hash Function Family", versions 1.2 and 1.3) as a
 * simple hash: constants, and the table of its functions, which a variant makes from one
 * compression function.
 *
 * The versions differ in one constant of the key schedule: 1.2 is the version of the SHA-3
 * competition's second round, 1.3 that of its final. */
#ifndef JM_SKEIN_H
#define JM_SKEIN_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { SKEIN_WORDS = 8, SKEIN_BLOCK_BYTES = 64, SKEIN_SUBKEYS = 19, SKEIN_COUNTER_BYTES = 8 };

/* Section 3.3.2: the XOR of all nine key words. */
#define SKEIN_PARITY_1_2 UINT64_C(0x5555555555555555)
#define SKEIN_PARITY_1_3 UINT64_C(0x1bd11bdaa9fc1a22)

/* Table 4 of version 1.3, as version 1.2 has it. */
static const uint8_t skein_rotations[8][4] = {
    {46, 36, 19, 37}, {33, 27, 14, 42}, {17, 49, 36, 39}, {44, 9, 54, 56},
    {39, 30, 34, 24}, {13, 50, 10, 17}, {25, 29, 39, 43}, {8, 35, 56, 22},
};

/* The chaining value after the configuration block (section 3.5.2), which the reference in Python
 * computes. */
#define SKEIN_INITIAL_R2_256                                                                       \
    {UINT64_C(0x85a195b18b2264ec), UINT64_C(0x7a6dac64c047c2b0), UINT64_C(0xe1a21465ee3fe124),     \
     UINT64_C(0x1d2117356504425a), UINT64_C(0xc962dc0fc0046f2c), UINT64_C(0x8d5a3e904b1be9c8),     \
     UINT64_C(0xafb7174bbd8feee9), UINT64_C(0x7fe63d9bf94edeb8)}
#define SKEIN_INITIAL_R2_512                                                                       \
    {UINT64_C(0x1a9a721c8a265ca5), UINT64_C(0xc9abacf5aa853978), UINT64_C(0x4af6652ab80a2883),     \
     UINT64_C(0x66f5e8a809a773c7), UINT64_C(0x7fa984b781baaf5b), UINT64_C(0x0fe5d2d93233f397),     \
     UINT64_C(0x6e29f932dcb412d7), UINT64_C(0xd40cd9472f225c23)}
#define SKEIN_INITIAL_256                                                                          \
    {UINT64_C(0xccd044a12fdb3e13), UINT64_C(0xe83590301a79a9eb), UINT64_C(0x55aea0614f816e6f),     \
     UINT64_C(0x2a2767a4ae9b94db), UINT64_C(0xec06025e74dd7683), UINT64_C(0xe7a436cdc4746251),     \
     UINT64_C(0xc36fbaf9393ad185), UINT64_C(0x3eedba1833edfc13)}
#define SKEIN_INITIAL_512                                                                          \
    {UINT64_C(0x4903adff749c51ce), UINT64_C(0x0d95de399746df03), UINT64_C(0x8fd1934127c79bce),     \
     UINT64_C(0x9a255629ff352cb1), UINT64_C(0x5db62599df6ca7b0), UINT64_C(0xeabe394ca9d5c3f4),     \
     UINT64_C(0x991112c71a75b523), UINT64_C(0xae18a40b660fcc33)}

/* Section 3.4, table 5: the high word of the tweak. The low word is the position: the number of the
 * message's bytes up to the end of this block. */
#define SKEIN_FIRST (UINT64_C(1) << 62)
#define SKEIN_LAST (UINT64_C(1) << 63)
#define SKEIN_MESSAGE (UINT64_C(48) << 56)
#define SKEIN_OUTPUT (UINT64_C(63) << 56)

typedef struct {
    uint64_t h[SKEIN_WORDS];
    uint64_t absorbed_bytes;
} skein_chain;

/* A variant supplies:
 *
 *     static void compress(uint64_t h[8], const uint8_t *blocks, size_t count, uint64_t position,
 *                          uint64_t flags, uint64_t parity);
 *
 * absorbs `count` >= 1 blocks, the first with the given position and flags; the position of each
 * further block is 64 more, without SKEIN_FIRST. */

#define SKEIN_HASH_(name_, digest_bytes_, initial_, parity_)                                       \
    static void name_##_init(void *chain) {                                                        \
        static const uint64_t initial[SKEIN_WORDS] = initial_;                                     \
        skein_chain *state = chain;                                                                \
        for (size_t i = 0; i < SKEIN_WORDS; i++) state->h[i] = initial[i];                         \
        state->absorbed_bytes = 0;                                                                 \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        skein_absorb(chain, blocks, count, parity_);                                               \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        skein_finish(chain, rest, rest_bytes, total_bytes, digest, digest_bytes_, parity_);        \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = sizeof(skein_chain),                                                        \
        .block_bytes = SKEIN_BLOCK_BYTES,                                                          \
        .keeps_last = true,                                                                        \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };

#define SKEIN_DEFINE_(name_, id_, variant_, features_, constant_time_, note_, digest_bytes_)       \
    JM_BLOCK_HASH_DEFINE(name_, id_, variant_, features_, JM_TARGET_ANY, constant_time_, note_,    \
                         SKEIN_BLOCK_BYTES, digest_bytes_, name_##_hash)

/* The last line of a variant's file: defines all four functions. */
#define JM_SKEIN_VARIANT(variant_, features_, constant_time_, note_)                               \
    static void skein_absorb(skein_chain *state, const uint8_t *blocks, size_t count,              \
                             uint64_t parity) {                                                    \
        const uint64_t first = state->absorbed_bytes ? 0 : SKEIN_FIRST;                            \
        compress(state->h, blocks, count, state->absorbed_bytes + SKEIN_BLOCK_BYTES,               \
                 SKEIN_MESSAGE | first, parity);                                                   \
        state->absorbed_bytes += count * SKEIN_BLOCK_BYTES;                                        \
    }                                                                                              \
    /* The last block, then the output block: a counter of 0. */                                   \
    static void skein_finish(skein_chain *state, const uint8_t *rest, size_t rest_bytes,           \
                             uint64_t total_bytes, uint8_t *digest, size_t digest_bytes,           \
                             uint64_t parity) {                                                    \
        static const uint8_t counter[SKEIN_BLOCK_BYTES] = {0};                                     \
        const uint64_t first = state->absorbed_bytes ? 0 : SKEIN_FIRST;                            \
        uint8_t block[SKEIN_BLOCK_BYTES];                                                          \
        const bool whole = rest_bytes == SKEIN_BLOCK_BYTES;                                        \
        if (!whole) jm_pad_block(block, sizeof block, rest, rest_bytes, 0);                        \
        compress(state->h, whole ? rest : block, 1, total_bytes,                                   \
                 SKEIN_MESSAGE | first | SKEIN_LAST, parity);                                      \
        compress(state->h, counter, 1, SKEIN_COUNTER_BYTES,                                        \
                 SKEIN_OUTPUT | SKEIN_FIRST | SKEIN_LAST, parity);                                 \
        for (size_t i = 0; i < digest_bytes / 8; i++) store_le64(digest + 8 * i, state->h[i]);     \
        jm_wipe(block, sizeof block);                                                              \
    }                                                                                              \
    SKEIN_HASH_(skein_512_r2_256, 32, SKEIN_INITIAL_R2_256, SKEIN_PARITY_1_2)                      \
    SKEIN_HASH_(skein_512_r2_512, 64, SKEIN_INITIAL_R2_512, SKEIN_PARITY_1_2)                      \
    SKEIN_HASH_(skein_512_256, 32, SKEIN_INITIAL_256, SKEIN_PARITY_1_3)                            \
    SKEIN_HASH_(skein_512_512, 64, SKEIN_INITIAL_512, SKEIN_PARITY_1_3)                            \
    SKEIN_DEFINE_(skein_512_r2_256, "skein-512-r2-256", variant_, features_, constant_time_,       \
                  note_, 32)                                                                       \
    SKEIN_DEFINE_(skein_512_r2_512, "skein-512-r2-512", variant_, features_, constant_time_,       \
                  note_, 64)                                                                       \
    SKEIN_DEFINE_(skein_512_256, "skein-512-256", variant_, features_, constant_time_, note_, 32)  \
    SKEIN_DEFINE_(skein_512_512, "skein-512-512", variant_, features_, constant_time_, note_, 64)

#define SKEIN_DECLARE(variant_)                                                                    \
    extern const jm_implementation jm_skein_512_r2_256_##variant_, jm_skein_512_r2_512_##variant_, \
        jm_skein_512_256_##variant_, jm_skein_512_512_##variant_;
SKEIN_DECLARE(portable)

#endif
