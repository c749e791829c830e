/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to words in lanes and back, over the vectors of lanes/v32_*.h, v64_*.h or vec_generic.h,
 * for hmac_lanes.h, whose parameters it shares. Word i of lane l is at [i * LANES + l]. A block is
 * one or two chunks of 64 bytes. */
#ifndef JM_LANE_WORDS_H
#define JM_LANE_WORDS_H

#include "hmac/load_ahead.h"

enum {
    HASH_ROW_WORDS = 8, /* the longest digest's */
    HASH_BLOCK_WORDS = 16,
    HASH_WORD_BYTES = sizeof(vec_word),
    HASH_BLOCK_BYTES = HASH_BLOCK_WORDS * HASH_WORD_BYTES,
};
static const uint8_t hash_digest_order[HASH_DIGEST_WORDS] = {HASH_DIGEST_ORDER};

/* Without the pin, Clang merges the swap with the transposition before it, and takes three shuffles
 * for two. */
JM_INLINE vec hash_byte_order(vec words) {
    return HASH_BIG_ENDIAN ? vec_swap_bytes(VEC_PIN_IN_CLANG(words)) : words;
}

/* The block at from[lane] + offset of every lane. */
JM_INLINE void hash_load_blocks(vec_word *words, const uint8_t *const *from, size_t offset,
                                size_t vectors) {
    for (size_t lane = 0; lane < vectors * VEC_LANES; lane += VEC_LANES)
        for (size_t word = 0; word < HASH_BLOCK_WORDS; word += VEC_CHUNK_WORDS) {
            vec w[VEC_CHUNK_WORDS];
            vec_load_chunk(from + lane, offset + word * HASH_WORD_BYTES, w);
            for (size_t i = 0; i < VEC_CHUNK_WORDS; i++)
                vec_store(words + (word + i) * LANES + lane, hash_byte_order(w[i]));
        }
}

/* The chaining value at from[lane], a part of a key state, of every lane. Rows are read whole: a
 * key state has room for chaining values of eight words. */
JM_INLINE void hash_load_chains(vec_word *state, const uint8_t *const *from, size_t vectors) {
    for (size_t lane = 0; lane < vectors * VEC_LANES; lane += VEC_LANES) {
        vec w[HASH_ROW_WORDS];
        vec_load_rows(from + lane, w);
        for (size_t i = 0; i < HASH_CHAIN_WORDS; i++) vec_store(state + i * LANES + lane, w[i]);
    }
}

/* The chaining value at `from`, in every lane. */
JM_INLINE void hash_repeat_chain(vec_word *state, const uint8_t *from, size_t vectors) {
    for (size_t i = 0; i < HASH_CHAIN_WORDS; i++) {
        vec_word word;
        memcpy(&word, from + i * HASH_WORD_BYTES, HASH_WORD_BYTES);
        for (size_t lane = 0; lane < vectors * VEC_LANES; lane += VEC_LANES)
            vec_store(state + i * LANES + lane, vec_set1(word));
    }
}

/* The digest of every lane, in bytes as published, at rows + HASH_ROW_WORDS * lane. */
JM_INLINE void hash_store_digests(const vec_word *state, vec_word *rows, size_t vectors) {
    for (size_t lane = 0; lane < vectors * VEC_LANES; lane += VEC_LANES) {
        vec w[HASH_ROW_WORDS];
        for (size_t i = 0; i < HASH_DIGEST_WORDS; i++)
            w[i] = hash_byte_order(vec_load(state + hash_digest_order[i] * LANES + lane));
        for (size_t i = HASH_DIGEST_WORDS; i < HASH_ROW_WORDS; i++) w[i] = vec_set1(0);
        vec_store_rows(rows + HASH_ROW_WORDS * lane, w);
    }
}

#endif
