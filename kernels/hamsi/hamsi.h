/* SPDX-License-Identifier: Apache-2.0
 *
 * Hamsi (Kucuk, "The Hash Function Hamsi", version for round 2 of 2009): the function of the second
 * round of the SHA-3 competition. All variants share this header.
 *
 * A block of 4 or 8 bytes expands to as many words as the chaining value has, by a linear code over
 * GF(4). Both fill a state of four rows of 4 words (Hamsi-256) or 8 words (Hamsi-512), which goes
 * through rounds; rows 0 and 2 are added to the chaining value. Sections are those of the
 * specification. */
#ifndef JM_HAMSI_H
#define JM_HAMSI_H

#include "common/block_hash.h"
#include "common/secret.h"
#include "joulemark/kernel.h"

enum {
    HAMSI_256_BLOCK_BYTES = 4,
    HAMSI_256_WORDS = 8, /* of the chaining value, and of an expanded block */
    HAMSI_256_ROUNDS = 3,
    HAMSI_256_LAST_ROUNDS = 6,
    HAMSI_512_BLOCK_BYTES = 8,
    HAMSI_512_WORDS = 16,
    HAMSI_512_ROUNDS = 6,
    HAMSI_512_LAST_ROUNDS = 12,
    HAMSI_PADDED_BYTES_MAX = 16,
};

/* Writes a message's rest, a bit 1, zeros to a block's end, and the message's length in bits as a
 * number of 64 bits (section 2.2.3). Returns the number of blocks. */
JM_INLINE size_t hamsi_pad(uint8_t blocks[HAMSI_PADDED_BYTES_MAX], const uint8_t *rest,
                           size_t rest_bytes, uint64_t total_bytes, size_t block_bytes) {
    memset(blocks, 0, HAMSI_PADDED_BYTES_MAX);
    /* Without its second half GCC 16 warns of rests longer than a block. */
    for (size_t i = 0; i < rest_bytes && i < block_bytes; i++) blocks[i] = rest[i];
    blocks[rest_bytes] = 0x80;
    store_be64(blocks + block_bytes, total_bytes << 3);
    return (block_bytes + 8) / block_bytes;
}

/* The hash hamsi_<bits> of one variant, whose chaining value is words in order. The variant has a
 * static function name_##_blocks(chain, blocks, count, last), which absorbs the blocks, the last
 * block by P_f if `last`. */
#define HAMSI_HASH(name_, id_, variant_, features_, constant_time_, note_, block_bytes_, words_,   \
                   digest_bytes_)                                                                  \
    static void name_##_init(void *chain) {                                                        \
        memcpy(chain, name_##_start, 4 * (words_));                                                \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        name_##_blocks(chain, blocks, count, false);                                               \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        uint8_t padded[HAMSI_PADDED_BYTES_MAX];                                                    \
        const uint32_t *const words = chain;                                                       \
        const size_t count = hamsi_pad(padded, rest, rest_bytes, total_bytes, block_bytes_);       \
        name_##_blocks(chain, padded, count, true);                                                \
        for (size_t i = 0; i < (words_); i++) store_be32(digest + 4 * i, words[i]);                \
        jm_wipe(padded, sizeof padded);                                                            \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = 4 * (words_),                                                               \
        .block_bytes = (block_bytes_),                                                             \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(name_, id_, variant_, features_, JM_TARGET_ANY, constant_time_, note_,    \
                         block_bytes_, digest_bytes_, name_##_hash)

extern const jm_implementation jm_hamsi_256_portable, jm_hamsi_256_ssse3, jm_hamsi_256_gfni;
extern const jm_implementation jm_hamsi_512_portable, jm_hamsi_512_gfni;

#endif
