/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of V64_LANES 64-bit words (2 unless defined before) in plain C, for any CPU; see
 * v64_avx512.h. The compiler makes of it what it can. It is what lets valgrind, which does not run
 * AVX-512, watch the algorithms of the AVX-512 kernels. */
#ifndef JM_V64_H
#define JM_V64_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/load_store.h"

#define V64_INLINE static inline __attribute__((always_inline))
#ifndef V64_LANES
#define V64_LANES 2u
#endif

/* The compilers' own vectors: an array in a struct takes them minutes in a loop of rounds. */
typedef uint64_t v64 __attribute__((vector_size(8 * V64_LANES)));

V64_INLINE v64 v64_load(const uint64_t *at) {
    v64 x;
    memcpy(&x, at, sizeof x);
    return x;
}
V64_INLINE void v64_store(uint64_t *at, v64 x) {
    memcpy(at, &x, sizeof x);
}
V64_INLINE v64 v64_set1(uint64_t word) {
    return (v64){0} + word;
}
V64_INLINE v64 v64_add(v64 x, v64 y) {
    return x + y;
}
/* x; see v64_avx512.h. */
V64_INLINE v64 v64_pin(v64 x) {
    return x;
}
V64_INLINE v64 v64_xor3(v64 x, v64 y, v64 z) {
    return x ^ y ^ z;
}
/* (x & y) ^ (~x & z) */
V64_INLINE v64 v64_choose(v64 x, v64 y, v64 z) {
    return (x & y) ^ (~x & z);
}
/* (x & y) ^ (x & z) ^ (y & z) */
V64_INLINE v64 v64_majority(v64 x, v64 y, v64 z) {
    return (x & y) ^ (x & z) ^ (y & z);
}
/* 0 < count < 64 */
V64_INLINE v64 v64_rotr(v64 x, unsigned count) {
    return x >> count | x << (64 - count);
}
V64_INLINE v64 v64_shr(v64 x, unsigned count) {
    return x >> count;
}

/* Swaps the bytes of every word. */
V64_INLINE v64 v64_swap_bytes(v64 x) {
    uint64_t words[V64_LANES];
    v64_store(words, x);
    for (size_t lane = 0; lane < V64_LANES; lane++) words[lane] = __builtin_bswap64(words[lane]);
    return v64_load(words);
}

/* Loads eight words at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V64_INLINE void v64_load_rows(const uint8_t *const *from, size_t offset, v64 w[8]) {
    for (size_t i = 0; i < 8; i++) {
        uint64_t words[V64_LANES];
        for (size_t lane = 0; lane < V64_LANES; lane++)
            words[lane] = load_le64(from[lane] + offset + 8 * i);
        w[i] = v64_load(words);
    }
}

/* Rows can be loaded in parts of so many lanes. */
#define V64_PART_LANES 1u

/* The first half of v64_load_rows, for one lane. */
V64_INLINE void v64_load_part(const uint8_t *const *from, size_t offset, v64 part[8 / V64_LANES]) {
    uint64_t words[8];
    for (size_t i = 0; i < 8; i++) words[i] = load_le64(from[0] + offset + 8 * i);
    memcpy(part, words, sizeof words);
}

/* The second half, for the parts of all lanes. */
V64_INLINE void v64_join_parts(const v64 t[8], v64 w[8]) {
    uint64_t rows[8 * V64_LANES];
    memcpy(rows, t, sizeof rows);
    for (size_t i = 0; i < 8; i++) {
        uint64_t words[V64_LANES];
        for (size_t lane = 0; lane < V64_LANES; lane++) words[lane] = rows[8 * lane + i];
        w[i] = v64_load(words);
    }
}

/* The way back: the eight words of every lane at to[8 * lane]. */
V64_INLINE void v64_store_rows(uint64_t *to, const v64 w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < V64_LANES; lane++) to[8 * lane + i] = w[i][lane];
}

#endif
