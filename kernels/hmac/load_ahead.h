/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading the next block of every lane beside the compression of this one, for hashes in lanes
 * (lanes_groups.h tells why). The including file has defined lane_word, and may define LOADS_AHEAD,
 * a macro, if its vectors can load a block in parts. Then it defines GROUP_PARTS, an enum constant,
 * of how many parts a group of lanes has, and the functions declared here. */
#ifndef JM_LOAD_AHEAD_H
#define JM_LOAD_AHEAD_H

#include "joulemark/kernel.h"

typedef struct {
    const uint8_t *const *from; /* of each lane, its block is at from[lane] + offset */
    size_t offset;
    lane_word *parts; /* as many words as the block has in all lanes */
} next_block;

#ifdef LOADS_AHEAD
/* The first half of load_lane_blocks, for one part: those of group g begin at g * GROUP_PARTS. */
static inline __attribute__((always_inline)) void load_part(const next_block *next, size_t part);
/* The second half, for all. */
static inline __attribute__((always_inline)) void join_parts(lane_word *words,
                                                             const lane_word *parts, size_t groups);
#endif

/* Two lines further are asked for by name: a CPU follows fewer sequential reads by itself than
 * there are lanes, and each part would then wait for memory in turn. */
enum { FETCH_AHEAD_BYTES = 128 };

/* Begins to fetch what is FETCH_AHEAD_BYTES behind `address`, of this message or not: a prefetch
 * cannot fault. */
static inline void jm_fetch_ahead(uintptr_t address) {
    __builtin_prefetch((const void *)(address + FETCH_AHEAD_BYTES), 0, 3);
}

/* Loads the parts whose turn it is in step `step` of `steps`, a power of two up to 16. Nothing if
 * `next` is NULL. */
static inline __attribute__((always_inline)) void load_ahead(const next_block *next, size_t step,
                                                             size_t steps, size_t groups) {
    if (next == NULL) return;
#ifdef LOADS_AHEAD
    const size_t parts = groups * GROUP_PARTS;
    if (parts < steps) {
        const size_t apart = steps / parts;
        if (step % apart == 0) load_part(next, step / apart);
        return;
    }
    for (size_t i = 0; i < parts / steps; i++) load_part(next, step * (parts / steps) + i);
#else
    (void)step, (void)steps, (void)groups;
#endif
}

#endif
