/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether lanes that read messages in step crowd the first-level cache. A page of 4096 bytes
 * covers its 64 sets of 64 bytes once, on all x86 CPUs with AVX2 or AVX-512; a set has 8 to 12
 * ways. Messages at distances of 4096 bytes have their blocks in one set, which cannot hold the
 * blocks of 16 lanes. */
#ifndef JM_CACHE_SETS_H
#define JM_CACHE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The set of an address, as a bit. */
static inline uint64_t jm_cache_set(uintptr_t address) {
    return UINT64_C(1) << (address / 64 % 64);
}

/* `sets` has a bit for each set in which the next block of one of `lanes` lanes begins. */
static inline bool jm_crowded(uint64_t sets, size_t lanes) {
    return lanes > 16 * (size_t)__builtin_popcountll(sets);
}

#endif
