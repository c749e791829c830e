/* SPDX-License-Identifier: Apache-2.0
 *
 * JH (Wu, "The Hash Function JH"): the function of the final round of the SHA-3 competition
 * (submission of 2011-01-16), of 42 rounds, and the function of the second round (2009-09-15), of
 * 35 rounds and a layer of S-boxes. All variants share this header.
 *
 * The state is 1024 bits. The specification groups them into 256 elements of 4 bits, applies rounds
 * of S-boxes, of a linear map of pairs of elements and of a permutation, and ungroups. Here bits
 * are not grouped: word w of 128 bits, w = 0 to 7, is a slice. Words 0, 2, 4, 6 have bits 0 to 3 (0
 * is the highest) of the even elements, words 1, 3, 5, 7 those of the odd elements. The permutation
 * moves the odd elements alone: in round r, element i of 128 goes to place i ^ 2^(r mod 7), a swap
 * of bits in words 1, 3, 5, 7 (section 6, "bit-slice implementation"). After 7 rounds all elements
 * are where they began. */
#ifndef JM_JH_H
#define JM_JH_H

#include "common/block_hash.h"
#include "common/secret.h"
#include "joulemark/kernel.h"

enum {
    JH_BLOCK_BYTES = 64,
    JH_STATE_BYTES = 128,
    JH_ROUNDS = 42,
    JH_ROUNDS_R2 = 35, /* and a layer of S-boxes with the next constant */
    JH_SWAPS = 7,
};

/* Each function: name in C, catalogue id, digest in bytes, whether it is a function of the second
 * round. */
#define JH_HASHES(HASH)                                                                            \
    HASH(jh_256, "jh-256", 32, false)                                                              \
    HASH(jh_512, "jh-512", 64, false)                                                              \
    HASH(jh_r2_256, "jh-r2-256", 32, true)                                                         \
    HASH(jh_r2_512, "jh-r2-512", 64, true)

/* Writes the padding of a message of total_bytes, whose last block has rest_bytes < 64 bytes, after
 * those bytes: a bit 1, zeros, and the message's length in bits as a number of 128 bits, which
 * always takes another block (section 5.1). Returns the number of blocks, 1 or 2. */
JM_INLINE size_t jh_pad(uint8_t blocks[2 * JH_BLOCK_BYTES], const uint8_t *rest, size_t rest_bytes,
                        uint64_t total_bytes) {
    const size_t count = rest_bytes ? 2 : 1;
    memset(blocks, 0, 2 * JH_BLOCK_BYTES);
    memcpy(blocks, rest, rest_bytes);
    blocks[rest_bytes] = 0x80;
    store_be64(blocks + JH_BLOCK_BYTES * count - 16, total_bytes >> 61);
    store_be64(blocks + JH_BLOCK_BYTES * count - 8, total_bytes << 3);
    return count;
}

/* The hashes of one variant, made from its static inline functions on a state of JH_STATE_BYTES
 * bytes: start_<hash>(chain), absorb(chain, blocks, count, second_round), output(chain, digest,
 * bytes). */
#define JH_HASH(name_, id_, digest_bytes_, r2_)                                                    \
    static void name_##_init(void *chain) {                                                        \
        start(chain, name_##_start);                                                               \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        absorb(chain, blocks, count, r2_);                                                         \
    }                                                                                              \
    static void name_##_finish(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        uint8_t blocks[2 * JH_BLOCK_BYTES];                                                        \
        absorb(chain, blocks, jh_pad(blocks, rest, rest_bytes, total_bytes), r2_);                 \
        output(chain, digest, digest_bytes_);                                                      \
        jm_wipe(blocks, sizeof blocks);                                                            \
    }                                                                                              \
    static const jm_block_hash name_##_hash = {                                                    \
        .chain_bytes = JH_STATE_BYTES,                                                             \
        .block_bytes = JH_BLOCK_BYTES,                                                             \
        .init = name_##_init,                                                                      \
        .absorb = name_##_absorb,                                                                  \
        .finish = name_##_finish,                                                                  \
    };

#define JH_DECLARE(name_, id_, digest_bytes_, r2_)                                                 \
    extern const jm_implementation jm_##name_##_portable, jm_##name_##_ssse3, jm_##name_##_gfni;
JH_HASHES(JH_DECLARE)

#endif
