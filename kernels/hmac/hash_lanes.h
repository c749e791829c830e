/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash on LANES messages at once: words in lanes, and runs of blocks, for hmac_lanes.h.
 *
 * The includer defines, above:
 *
 *   LANES              messages at once, 2 to 64: one, two or four times VEC_LANES
 *   a vector           the header of lanes/ that it includes (v32_*.h, v64_*.h, vec_generic.h)
 *   HASH_CHAIN_WORDS   words of a chaining value, as a key state holds it
 *   HASH_DIGEST_WORDS  words of a digest, at most 8
 *   HASH_DIGEST_ORDER  which word of the chaining value is word i of the digest: a list
 *   HASH_LENGTH_BYTES, HASH_BIG_ENDIAN   as in jm_compression
 *   HASH_CODE_BYTES    at least the size of the longest function made here
 *   HASH_AHEAD_BYTES   length of the shortest run that loads ahead: the code for that
 *                      leaves less of the first-level cache to the rest (Zen 5). Only
 *                      tests define another value than the one below.
 *
 * and below:
 *
 *   hash_compress      a function, whose declaration here says what it does
 *
 * Nothing here knows the vectors' kind. Word i of lane l is at [i * LANES + l] of each array of
 * words. A block is one or two chunks of 64 bytes. */
#ifndef JM_HASH_LANES_H
#define JM_HASH_LANES_H

#if !defined(LANES) || !defined(VEC_LANES)
#error "a variant's file defines LANES and includes a vector header"
#endif
#if !defined(HASH_CHAIN_WORDS) || !defined(HASH_DIGEST_WORDS) || !defined(HASH_DIGEST_ORDER) ||    \
    !defined(HASH_LENGTH_BYTES) || !defined(HASH_BIG_ENDIAN) || !defined(HASH_CODE_BYTES)
#error "a parameter of hmac/hash_lanes.h is missing"
#endif
#ifndef HASH_AHEAD_BYTES
#define HASH_AHEAD_BYTES 2048
#endif
_Static_assert(LANES >= 2 && LANES <= 64, "a set of lanes is a word of 64 bits");
_Static_assert(HASH_DIGEST_WORDS <= HASH_CHAIN_WORDS && HASH_CHAIN_WORDS <= 8, "a row has 8 words");

#include "common/secret.h"
#include "joulemark/kernel.h"

/* ---- the compression, which the includer defines, and which loads the next block ---- */

typedef struct {
    const uint8_t *const *from; /* of each lane, its block is at from[lane] + offset */
    size_t offset;
    vec_word *parts; /* as many words as the block has in all lanes */
} hash_next_block;

/* Loads the parts of the next block that belong to step `step` of `steps`, a power of two up to 16.
 * Does nothing if `next` is NULL. */
JM_INLINE void hash_load_ahead(const hash_next_block *next, size_t step, size_t steps,
                               size_t vectors);

/* The compression of one block of 16 words in each lane of the first 1, 2 or 4 vectors. `words` is
 * used up; it and `state` are aligned to 64 bytes. The function divides its work into steps, in
 * each of which it calls hash_load_ahead(next, step, steps, vectors). */
JM_INLINE void hash_compress(vec_word *state, vec_word *words, unsigned vectors,
                             const hash_next_block *next);

/* ---- sets of lanes ---- */

typedef uint64_t lane_set; /* bit l: lane l */
#define LANES_ALL ((lane_set)(~UINT64_C(0) >> (64 - LANES)))
static inline size_t lane_count(lane_set lanes) {
    return (size_t)__builtin_popcountll(lanes);
}
static inline unsigned lowest_lane(lane_set lanes) {
    return (unsigned)__builtin_ctzll(lanes);
}
static inline unsigned highest_lane(lane_set lanes) {
    return 63u - (unsigned)__builtin_clzll(lanes);
}

/* The number of vectors that hold `lanes` lanes. */
static inline size_t hash_vectors(size_t lanes) {
    return (lanes + VEC_LANES - 1) / VEC_LANES;
}

/* ---- bytes to words in lanes and back ---- */

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

/* ---- last blocks ---- */

/* The byte 0x80 at the beginning of a word. */
#define HASH_MARK (HASH_BIG_ENDIAN ? (vec_word)1 << (8 * HASH_WORD_BYTES - 1) : (vec_word)0x80)

/* Rows `from` to 15 of a last block, the same in every lane: the word `first`, zeros, and the
 * length of `hashed_bytes`, all bytes that the hash has absorbed except padding. */
JM_INLINE void hash_fill_rows(vec_word *words, size_t from, vec_word first, uint64_t hashed_bytes) {
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

/* ---- runs of blocks in the one, two or four vectors that hold the lanes ----
 *
 * Each number of vectors is compiled by itself, so that few vectors do not pay for the registers of
 * many. The next block of every lane is fetched and half transposed between the rounds of this one.
 * The CPU then waits for memory while it works, and lanes may crowd a set of its first-level cache:
 * the load that fetches a line uses it up. */

enum {
    HASH_VECTORS_MOST = LANES / VEC_LANES,
    HASH_AHEAD_BLOCKS = HASH_AHEAD_BYTES / HASH_BLOCK_BYTES,
    HASH_REFETCH_BLOCKS = 64, /* between two refetches, which take under 1 % of the time */
    /* Each load prefetches the data two lines further: a CPU follows fewer sequential reads by
     * itself than there are lanes, and each part would otherwise wait for memory in turn. */
    HASH_FETCH_BYTES = 128,
};
_Static_assert(HASH_VECTORS_MOST *VEC_LANES == LANES &&
                   (HASH_VECTORS_MOST == 1 || HASH_VECTORS_MOST == 2 || HASH_VECTORS_MOST == 4),
               "one, two or four vectors");

/* ---- a block in parts of a few lanes and 64 bytes, those of its first 64 bytes first ---- */

#ifdef VEC_PART_LANES
enum {
    HASH_BLOCK_CHUNKS = HASH_BLOCK_WORDS / VEC_CHUNK_WORDS,
    HASH_CHUNK_PARTS = VEC_LANES / VEC_PART_LANES,
    HASH_VECTOR_PARTS = HASH_BLOCK_CHUNKS * HASH_CHUNK_PARTS,
    HASH_PART_VECTORS = VEC_PART_LANES * VEC_CHUNK_WORDS / VEC_LANES,
};

/* The first half of hash_load_blocks, for one part. */
JM_INLINE void hash_load_part(const hash_next_block *next, size_t part) {
    const size_t offset = next->offset + 64 * (part % HASH_VECTOR_PARTS / HASH_CHUNK_PARTS);
    const uint8_t *const *const from = next->from + part / HASH_VECTOR_PARTS * VEC_LANES +
                                       part % HASH_CHUNK_PARTS * VEC_PART_LANES;
    vec w[HASH_PART_VECTORS];
    vec_load_part(from, offset, w);
    /* The address may lie beyond the message: a prefetch cannot fault. */
    for (size_t lane = 0; lane < VEC_PART_LANES; lane++)
        __builtin_prefetch((const void *)((uintptr_t)from[lane] + offset + HASH_FETCH_BYTES), 0, 3);
    for (size_t i = 0; i < HASH_PART_VECTORS; i++)
        vec_store(next->parts + (part * HASH_PART_VECTORS + i) * VEC_LANES, hash_byte_order(w[i]));
}

/* The second half, for all parts. */
JM_INLINE void hash_join_parts(vec_word *words, const vec_word *parts, size_t vectors) {
    for (size_t v = 0; v < vectors; v++)
        for (size_t word = 0; word < HASH_BLOCK_WORDS; word += VEC_CHUNK_WORDS) {
            vec t[VEC_CHUNK_WORDS], w[VEC_CHUNK_WORDS];
            for (size_t i = 0; i < VEC_CHUNK_WORDS; i++)
                t[i] = vec_load(parts + (v * HASH_BLOCK_WORDS + word + i) * VEC_LANES);
            vec_join_parts(t, w);
            for (size_t i = 0; i < VEC_CHUNK_WORDS; i++)
                vec_store(words + (word + i) * LANES + v * VEC_LANES, w[i]);
        }
}
#endif

JM_INLINE void hash_load_ahead(const hash_next_block *next, size_t step, size_t steps,
                               size_t vectors) {
    if (next == NULL) return;
#ifdef VEC_PART_LANES
    const size_t parts = vectors * HASH_VECTOR_PARTS;
    if (parts < steps) {
        const size_t apart = steps / parts;
        if (step % apart == 0) hash_load_part(next, step / apart);
        return;
    }
    for (size_t i = 0; i < parts / steps; i++) hash_load_part(next, step * (parts / steps) + i);
#else
    (void)step, (void)steps, (void)vectors;
#endif
}

/* ---- one block or many, in each number of vectors ---- */

/* Keeps a loop's code in the caches while it reads much data.
 *
 * In CPUs whose second-level cache includes the first (AMD's Zen), a line that the second level
 * evicts leaves the first as well. The second level does not see the reads that the first answers:
 * code that runs from the first level for long counts as old, and a stream of data through the
 * second level evicts it from both, over and over. Reading the code as data now and then makes it
 * young again. For SHA-1 in 32 lanes, with 15 KiB of code, on messages larger than the second level
 * this saves a quarter of the time (Zen 5).
 *
 * A prefetch cannot fault, whatever the `bytes` bytes at `code` are, even where code may not be
 * read. */
static inline void jm_refetch_code(uintptr_t code, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const void *)(code + at), 0, 3);
}

#ifdef VEC_PART_LANES
#define HASH_ABSORB_AHEAD(count)                                                                   \
    JM_ONCE void hash_ahead_##count(vec_word *state, vec_word *words, vec_word *parts,             \
                                    const uint8_t *const *from, uint64_t blocks) {                 \
        hash_load_blocks(words, from, 0, count);                                                   \
        for (uint64_t i = 1; i < blocks; i++) {                                                    \
            const hash_next_block next = {from, i * HASH_BLOCK_BYTES, parts};                      \
            hash_compress(state, words, count, &next);                                             \
            hash_join_parts(words, parts, count);                                                  \
            if (i % HASH_REFETCH_BLOCKS == 0)                                                      \
                jm_refetch_code((uintptr_t)hash_ahead_##count, HASH_CODE_BYTES);                   \
        }                                                                                          \
        hash_absorb_##count(state, words);                                                         \
    }
#else
#define HASH_ABSORB_AHEAD(count)
#endif

#define HASH_ABSORB_VECTORS(count)                                                                 \
    JM_ONCE void hash_absorb_##count(vec_word *state, vec_word *words) {                           \
        hash_compress(state, words, count, NULL);                                                  \
    }                                                                                              \
    HASH_ABSORB_AHEAD(count)

HASH_ABSORB_VECTORS(1)
#if LANES > VEC_LANES
HASH_ABSORB_VECTORS(2)
#endif
#if LANES > 2 * VEC_LANES
HASH_ABSORB_VECTORS(4)
#endif

/* Calls the function for this number of vectors; three vectors cost as much as four. */
#if LANES > 2 * VEC_LANES
#define HASH_FOR_VECTORS(vectors, function, ...)                                                   \
    ((vectors) > 2   ? function##_4(__VA_ARGS__)                                                   \
     : (vectors) > 1 ? function##_2(__VA_ARGS__)                                                   \
                     : function##_1(__VA_ARGS__))
#elif LANES > VEC_LANES
#define HASH_FOR_VECTORS(vectors, function, ...)                                                   \
    ((vectors) > 1 ? function##_2(__VA_ARGS__) : function##_1(__VA_ARGS__))
#else
#define HASH_FOR_VECTORS(vectors, function, ...) ((void)(vectors), function##_1(__VA_ARGS__))
#endif

/* The compression of one block in every lane; `words` is used up. */
static inline void hash_absorb_block(vec_word *state, vec_word *words, size_t vectors) {
    HASH_FOR_VECTORS(vectors, hash_absorb, state, words);
}

/* The compression of `blocks` >= 1 blocks in every lane, the first at from[lane]; `words` and
 * `parts`, which is as large, are used up. Returns whether `parts` was used. */
static inline bool hash_absorb_run(vec_word *state, vec_word *words, vec_word *parts,
                                   const uint8_t *const *from, uint64_t blocks, size_t vectors) {
#ifdef VEC_PART_LANES
    if (blocks >= HASH_AHEAD_BLOCKS) {
        HASH_FOR_VECTORS(vectors, hash_ahead, state, words, parts, from, blocks);
        return true;
    }
#else
    (void)parts;
#endif
    for (uint64_t i = 0; i < blocks; i++) {
        hash_load_blocks(words, from, i * HASH_BLOCK_BYTES, vectors);
        hash_absorb_block(state, words, vectors);
    }
    return false;
}

#endif
