/* SPDX-License-Identifier: Apache-2.0
 *
 * What hmac_lanes.h asks of a hash beside its compression, for hashes with words of 32 bits: bytes
 * to words in lanes and back, over the vectors of common/v32_*.h. The including file has defined
 * LANES and the sizes that hmac_lanes.h lists, and DIGEST_WORDS, at most 8. */
#ifndef JM_LANES_V32_H
#define JM_LANES_V32_H

enum { V32_ROW_WORDS = 8 };

V32_INLINE v32 v32_to_order_of_hash(v32 words) {
    return LENGTH_BIG_ENDIAN ? v32_swap_bytes(words) : words;
}

#ifdef V32_PART_LANES
#define LOADS_AHEAD
enum {
    GROUP_PARTS = V32_LANES / V32_PART_LANES,
    PART_VECTORS = V32_PART_LANES * BLOCK_WORDS / V32_LANES,
};
#endif
#include "hmac/load_ahead.h"

V32_INLINE void load_lane_blocks(lane_word *words, const uint8_t *const *from, size_t offset,
                                 size_t groups) {
    for (size_t lane = 0; lane < groups * V32_LANES; lane += V32_LANES) {
        v32 w[BLOCK_WORDS];
        v32_load_blocks(from + lane, offset, w);
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            v32_store(words + i * LANES + lane, v32_to_order_of_hash(w[i]));
    }
}

#ifdef LOADS_AHEAD
V32_INLINE void load_part(const next_block *next, size_t part) {
    const uint8_t *const *const from = next->from + part * V32_PART_LANES;
    v32 w[PART_VECTORS];
    v32_load_part(from, next->offset, w);
    for (size_t lane = 0; lane < V32_PART_LANES; lane++)
        jm_fetch_ahead((uintptr_t)from[lane] + next->offset);
    for (size_t i = 0; i < PART_VECTORS; i++)
        v32_store(next->parts + (part * PART_VECTORS + i) * V32_LANES, v32_to_order_of_hash(w[i]));
}

V32_INLINE void join_parts(lane_word *words, const lane_word *parts, size_t groups) {
    for (size_t group = 0; group < groups; group++) {
        v32 t[BLOCK_WORDS], w[BLOCK_WORDS];
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            t[i] = v32_load(parts + (group * BLOCK_WORDS + i) * V32_LANES);
        v32_join_parts(t, w);
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            v32_store(words + i * LANES + group * V32_LANES, w[i]);
    }
}
#endif

/* Rows are read whole: a key state has room for chaining values of eight words and more. */
V32_INLINE void load_lane_chains(lane_word *state, const uint8_t *const *from, size_t groups) {
    for (size_t lane = 0; lane < groups * V32_LANES; lane += V32_LANES) {
        v32 w[V32_ROW_WORDS];
        v32_load_rows(from + lane, w);
        for (size_t i = 0; i < CHAIN_WORDS; i++) v32_store(state + i * LANES + lane, w[i]);
    }
}

V32_INLINE void store_lane_digests(const lane_word *state, lane_word *rows, size_t groups) {
    for (size_t lane = 0; lane < groups * V32_LANES; lane += V32_LANES) {
        v32 w[V32_ROW_WORDS];
        for (size_t i = 0; i < DIGEST_WORDS; i++)
            w[i] = v32_to_order_of_hash(v32_load(state + digest_order[i] * LANES + lane));
        for (size_t i = DIGEST_WORDS; i < V32_ROW_WORDS; i++) w[i] = v32_set1(0);
        v32_store_rows(rows + V32_ROW_WORDS * lane, w);
    }
}

#endif
