/* SPDX-License-Identifier: Apache-2.0
 *
 * absorb_lanes of hmac_lanes.h for a hash that computes one group of lanes, or two interleaved, by
 *     void absorb_groups(lane_word *state, lane_word *words, unsigned groups);
 * an inline function of the including file. Each is compiled by itself, so that one group does not
 * pay for the registers of two. */
#ifndef JM_LANES_TWO_GROUPS_H
#define JM_LANES_TWO_GROUPS_H

_Static_assert(LANES == GROUP_LANES || LANES == 2 * GROUP_LANES, "one or two groups");

static __attribute__((noinline)) void absorb_two(lane_word *state, lane_word *words) {
    absorb_groups(state, words, 2);
}
static __attribute__((noinline)) void absorb_one(lane_word *state, lane_word *words) {
    absorb_groups(state, words, 1);
}

static inline void absorb_lanes(lane_word *state, lane_word *words, size_t groups) {
    if (LANES > GROUP_LANES && groups == 2)
        absorb_two(state, words);
    else
        absorb_one(state, words);
}

#endif
