/* SPDX-License-Identifier: Apache-2.0
 *
 * Working memory of HMAC in lanes, and the outer hashes, for hmac_lanes.h, whose parameters it
 * shares.
 */
#ifndef JM_HMAC_CLOSE_LANES_H
#define JM_HMAC_CLOSE_LANES_H

#include "common/padding.h"
#include "hmac/absorb_vectors.h"
#include "hmac/hmac.h"

/* The secret part: word-sliced values, and the ends of messages. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) vec_word state[HASH_CHAIN_WORDS * LANES]; /* inner hashes at work */
    _Alignas(JM_STATE_ALIGN) vec_word words[HASH_BLOCK_WORDS * LANES];
    _Alignas(
        JM_STATE_ALIGN) vec_word closing[HASH_CHAIN_WORDS * LANES]; /* inner hashes that ended */
    _Alignas(JM_STATE_ALIGN) uint8_t padding[LANES][2 * HASH_BLOCK_BYTES];
    _Alignas(JM_STATE_ALIGN) vec_word parts[HASH_BLOCK_WORDS * LANES];
    bool parts_used, closing_used, padding_used;
} hmac_secret;

/* The number of vectors that hold `lanes` lanes. */
static inline size_t hmac_vectors(size_t lanes) {
    return (lanes + VEC_LANES - 1) / VEC_LANES;
}

/* The message in each lane, and the address of its next block. Public. */
typedef struct {
    const jm_mac_message *message[LANES];
    const uint8_t *next[LANES];
} hmac_turn;

static const jm_compression hmac_shape = {.length_bytes = HASH_LENGTH_BYTES,
                                          .length_big_endian = HASH_BIG_ENDIAN};

static const jm_hmac_key *hmac_key_of(const jm_mac_message *message) {
    return jm_hmac_key_of(message->key_state, HASH_BLOCK_BYTES);
}

JM_INLINE bool hmac_all_live(const jm_mac_message *messages, size_t count, uint64_t live) {
    return jm_all_live(messages, count, JM_HMAC_LIVE_AT(HASH_BLOCK_BYTES), live);
}

/* Four places close lanes. Clang's code of all four, beside the rounds, overfills the first-level
 * cache. For SHA-512, which has digests of two lengths, each place must know the length of a tag,
 * or copies of tags become calls. */
#if defined(__clang__) && HASH_LENGTH_BYTES == 8
#define HMAC_CLOSE_LANES JM_ONCE
#else
#define HMAC_CLOSE_LANES JM_INLINE
#endif

/* The byte 0x80 at the beginning of a word. */
#define HMAC_MARK (HASH_BIG_ENDIAN ? (vec_word)1 << (8 * HASH_WORD_BYTES - 1) : (vec_word)0x80)

/* Rows `from` to 15 of a last block, the same in every lane: the word `first`, zeros, and the
 * length of `hashed_bytes`, all bytes that the hash has absorbed except padding. */
JM_INLINE void hmac_fill_rows(vec_word *words, size_t from, vec_word first, uint64_t hashed_bytes) {
    const uint64_t bits = 8 * hashed_bytes;
    const size_t low_at = HASH_BIG_ENDIAN ? HASH_BLOCK_WORDS - 1
                                          : HASH_BLOCK_WORDS - HASH_LENGTH_BYTES / HASH_WORD_BYTES;
    const size_t high_at = HASH_BIG_ENDIAN ? low_at - 1 : low_at + 1;
    const vec_word high = (vec_word)(HASH_WORD_BYTES == 8 ? hashed_bytes >> 61 : bits >> 16 >> 16);
    for (size_t i = from; i < HASH_BLOCK_WORDS; i++) {
        const vec_word constant = i == from      ? first
                                  : i == low_at  ? (vec_word)bits
                                  : i == high_at ? high
                                                 : 0;
        for (size_t lane = 0; lane < LANES; lane++) words[i * LANES + lane] = constant;
        JM_KEEP_LOOP(); /* or Clang scatters over the rows, instead of filling each */
    }
}

/* The outer hashes of the `count` >= 1 inner hashes in lanes 0 to count - 1 of `chains`, which is
 * used up. */
HMAC_CLOSE_LANES void hmac_close_lanes(hmac_secret *w, vec_word *chains,
                                       const jm_mac_message *const *messages, size_t count,
                                       bool one_key, size_t digest_bytes) {
    const size_t vectors = hmac_vectors(count), digest_words = digest_bytes / HASH_WORD_BYTES;
    for (size_t i = 0; i < digest_words; i++)
        memcpy(w->words + i * LANES, chains + hash_digest_order[i] * LANES,
               LANES * HASH_WORD_BYTES);
    hmac_fill_rows(w->words, digest_words, HMAC_MARK, HASH_BLOCK_BYTES + digest_bytes);
    if (one_key) {
        hash_repeat_chain(chains, hmac_key_of(messages[0])->outer, vectors);
    } else {
        const uint8_t *outer[LANES];
        for (size_t lane = 0; lane < LANES; lane++) {
            outer[lane] = hmac_key_of(messages[lane < count ? lane : 0])->outer;
            JM_KEEP_LOOP(); /* or Clang gathers, which takes longer than single loads */
        }
        hash_load_chains(chains, outer, vectors);
    }
    hash_absorb_block(chains, w->words, vectors);
    hash_store_digests(chains, w->words, vectors);
    for (size_t lane = 0; lane < count; lane++)
        memcpy(messages[lane]->tag, w->words + HASH_ROW_WORDS * lane, digest_bytes);
}

#endif
