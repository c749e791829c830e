/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa (De Canniere, Sato and Watanabe, "Hash Function Luffa", specification version 2.0 of
 * 2009-09-15): the function of the second round of the SHA-3 competition. All variants share this
 * header.
 *
 * The state is `width` blocks of eight words of 32 bits, 3 for Luffa-256 and 5 for Luffa-512. Each
 * block of a message, 8 big-endian words, is injected into all blocks of the state by a linear map,
 * and each block of the state goes through another permutation. Sections are those of the
 * specification. */
#ifndef JM_LUFFA_H
#define JM_LUFFA_H

#include "common/block_hash.h"
#include "common/secret.h"
#include "joulemark/kernel.h"

enum { LUFFA_BLOCK_BYTES = 32, LUFFA_WORDS = 8, LUFFA_STEPS = 8, LUFFA_WIDTH_MAX = 5 };

/* Writes a message's last block over zeros: its rest, a bit 1, and zeros (section 3.1). */
JM_INLINE void luffa_pad(uint8_t block[LUFFA_BLOCK_BYTES], const uint8_t *rest, size_t rest_bytes) {
    for (size_t i = 0; i < rest_bytes; i++) block[i] = rest[i];
    block[rest_bytes] = 0x80;
}

/* The hash `name_` of one variant, made from its static functions:
 *   name_##_init(chain), name_##_absorb(chain, blocks, count),
 *   name_##_sum(chain, words), which gives the sum of the state's blocks.
 * A round on zeros precedes each 32 bytes of the digest (section 3.3). */
#define LUFFA_HASH(name_, id_, variant_, features_, constant_time_, note_, chain_bytes_,           \
                   digest_bytes_)                                                                  \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        uint8_t last[2 * LUFFA_BLOCK_BYTES] = {0};                                                 \
        uint32_t words[LUFFA_WORDS];                                                               \
        (void)total_bytes;                                                                         \
        luffa_pad(last, rest, rest_bytes);                                                         \
        name_##_absorb(chain, last, 2);                                                            \
        for (size_t at = 0; at < (digest_bytes_); at += LUFFA_BLOCK_BYTES) {                       \
            if (at) name_##_absorb(chain, last + LUFFA_BLOCK_BYTES, 1);                            \
            name_##_sum(chain, words);                                                             \
            for (size_t i = 0; i < LUFFA_WORDS; i++) store_be32(digest + at + 4 * i, words[i]);    \
        }                                                                                          \
        jm_wipe(last, sizeof last);                                                                \
        jm_wipe(words, sizeof words);                                                              \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = (chain_bytes_),                                                             \
        .block_bytes = LUFFA_BLOCK_BYTES,                                                          \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(name_, id_, variant_, features_, JM_TARGET_ANY, constant_time_, note_,    \
                         LUFFA_BLOCK_BYTES, digest_bytes_, name_##_hash)

extern const jm_implementation jm_luffa_256_portable, jm_luffa_256_ssse3, jm_luffa_256_avx512;
extern const jm_implementation jm_luffa_512_portable, jm_luffa_512_avx2, jm_luffa_512_avx512;

#endif
