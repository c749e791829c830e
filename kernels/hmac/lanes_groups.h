/* SPDX-License-Identifier: Apache-2.0
 *
 * absorb_lanes and absorb_run of hmac_lanes.h for a hash that computes one group of lanes, or two
 * or four interleaved. Each number is compiled by itself, so that few groups do not pay for the
 * registers of many. The including file has defined what load_ahead.h asks for, load_lane_blocks,
 *
 *   GROUP_LANES  macro: LANES is one, two or four times it
 *   CODE_BYTES   enum constant: at least what the longest of the functions made here takes
 *   void absorb_groups(lane_word *state, lane_word *words, unsigned groups,
 *                      const next_block *next);
 *       Inline. The compression of one block; `words` is used up. It calls load_ahead(next, step,
 *       steps, groups) for each step of as many as it likes.
 *
 * Technique of a run: the next block of every lane is fetched and half transposed between the
 * rounds of this one. The CPU waits for memory beside its work then, and that lanes crowd a set of
 * its first cache does not matter: a line is used up by the load that fetches it. */
#ifndef JM_LANES_GROUPS_H
#define JM_LANES_GROUPS_H

#include "common/refetch_code.h"
#include "hmac/load_ahead.h"

_Static_assert(LANES == GROUP_LANES || LANES == 2 * GROUP_LANES || LANES == 4 * GROUP_LANES,
               "one, two or four groups");

/* From where on it pays that a run has code of its own: less of the first cache is left for the
 * rest (Zen 5). Tests set another. */
#ifndef AHEAD_BYTES
#define AHEAD_BYTES 2048
#endif
enum {
    AHEAD_BLOCKS = AHEAD_BYTES / (BLOCK_WORDS * sizeof(lane_word)),
    REFETCH_BLOCKS = 64, /* after so many, for under 1 % of their time */
};

#ifdef LOADS_AHEAD
#define ABSORB_AHEAD(count)                                                                        \
    static __attribute__((noinline)) void absorb_ahead_##count(                                    \
        lane_word *state, lane_word *words, lane_word *parts, const uint8_t *const *from,          \
        uint64_t blocks) {                                                                         \
        load_lane_blocks(words, from, 0, count);                                                   \
        for (uint64_t i = 1; i < blocks; i++) {                                                    \
            const next_block next = {from, i * BLOCK_WORDS * sizeof(lane_word), parts};            \
            absorb_groups(state, words, count, &next);                                             \
            join_parts(words, parts, count);                                                       \
            if (i % REFETCH_BLOCKS == 0)                                                           \
                jm_refetch_code((uintptr_t)absorb_ahead_##count, CODE_BYTES);                      \
        }                                                                                          \
        absorb_##count(state, words);                                                              \
    }
#else
#define ABSORB_AHEAD(count)
#endif

#define ABSORB_GROUPS(count)                                                                       \
    static __attribute__((noinline)) void absorb_##count(lane_word *state, lane_word *words) {     \
        absorb_groups(state, words, count, NULL);                                                  \
    }                                                                                              \
    ABSORB_AHEAD(count)

ABSORB_GROUPS(1)
#if LANES > GROUP_LANES
ABSORB_GROUPS(2)
#endif
#if LANES > 2 * GROUP_LANES
ABSORB_GROUPS(4)
#endif

/* Three groups cost what four do. */
static inline void absorb_lanes(lane_word *state, lane_word *words, size_t groups) {
#if LANES > 2 * GROUP_LANES
    if (groups > 2) {
        absorb_4(state, words);
        return;
    }
#endif
#if LANES > GROUP_LANES
    if (groups > 1) {
        absorb_2(state, words);
        return;
    }
#endif
    (void)groups;
    absorb_1(state, words);
}

#ifdef LOADS_AHEAD
static inline void absorb_ahead(lane_word *state, lane_word *words, lane_word *parts,
                                const uint8_t *const *from, uint64_t blocks, size_t groups) {
#if LANES > 2 * GROUP_LANES
    if (groups > 2) {
        absorb_ahead_4(state, words, parts, from, blocks);
        return;
    }
#endif
#if LANES > GROUP_LANES
    if (groups > 1) {
        absorb_ahead_2(state, words, parts, from, blocks);
        return;
    }
#endif
    (void)groups;
    absorb_ahead_1(state, words, parts, from, blocks);
}
#endif

/* Returns whether `parts` was used. */
static inline bool absorb_run(lane_word *state, lane_word *words, lane_word *parts,
                              const uint8_t *const *from, uint64_t blocks, size_t groups) {
#ifdef LOADS_AHEAD
    if (blocks >= AHEAD_BLOCKS) {
        absorb_ahead(state, words, parts, from, blocks, groups);
        return true;
    }
#else
    (void)parts;
#endif
    for (uint64_t i = 0; i < blocks; i++) {
        load_lane_blocks(words, from, i * BLOCK_WORDS * sizeof(lane_word), groups);
        absorb_lanes(state, words, groups);
    }
    return false;
}

#endif
