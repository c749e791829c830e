/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of blocks in the one, two or four vectors that hold the lanes, for hmac_lanes.h, over the
 * hash's compression hash_compress. Each number of vectors is compiled by itself, so that few
 * vectors do not pay for the registers of many.
 *
 * Technique of a run: the next block of every lane is fetched and half transposed between the
 * rounds of this one. The CPU then waits for memory while it works, and lanes may crowd a set of
 * its first-level cache: the load that fetches a line uses it up. */
#ifndef JM_ABSORB_VECTORS_H
#define JM_ABSORB_VECTORS_H

#include "common/refetch_code.h"
#include "hmac/lane_words.h"

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
