/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of V32_LANES 32-bit words (4 unless defined before) in plain C, for any CPU; see
 * v32_avx512.h. The compiler makes of it what it can. It is what lets valgrind, which does not run
 * AVX-512, watch the algorithms of the AVX-512 kernels. */
#ifndef JM_V32_H
#define JM_V32_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/load_store.h"

#define V32_INLINE static inline __attribute__((always_inline))
#ifndef V32_LANES
#define V32_LANES 4u
#endif

/* The compilers' own vectors: an array in a struct takes them minutes in a loop of rounds. */
typedef uint32_t v32 __attribute__((vector_size(4 * V32_LANES)));

V32_INLINE v32 v32_load(const uint32_t *at) {
    v32 x;
    memcpy(&x, at, sizeof x);
    return x;
}
V32_INLINE void v32_store(uint32_t *at, v32 x) {
    memcpy(at, &x, sizeof x);
}
V32_INLINE v32 v32_set1(uint32_t word) {
    return (v32){0} + word;
}
V32_INLINE v32 v32_add(v32 x, v32 y) {
    return x + y;
}
V32_INLINE v32 v32_xor(v32 x, v32 y) {
    return x ^ y;
}
V32_INLINE v32 v32_xor3(v32 x, v32 y, v32 z) {
    return x ^ y ^ z;
}
/* (x & y) ^ (~x & z) */
V32_INLINE v32 v32_choose(v32 x, v32 y, v32 z) {
    return (x & y) ^ (~x & z);
}
/* (x & y) ^ (x & z) ^ (y & z) */
V32_INLINE v32 v32_majority(v32 x, v32 y, v32 z) {
    return (x & y) ^ (x & z) ^ (y & z);
}
/* y ^ (x | ~z): the I of RFC 1321 */
V32_INLINE v32 v32_md5_i(v32 x, v32 y, v32 z) {
    return y ^ (x | ~z);
}
/* 0 < count < 32 */
V32_INLINE v32 v32_rotr(v32 x, unsigned count) {
    return x >> count | x << (32 - count);
}
V32_INLINE v32 v32_rotl(v32 x, unsigned count) {
    return x << count | x >> (32 - count);
}
V32_INLINE v32 v32_shr(v32 x, unsigned count) {
    return x >> count;
}

/* Swaps the bytes of every word. */
V32_INLINE v32 v32_swap_bytes(v32 x) {
    const v32 pairs = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return pairs << 16 | pairs >> 16;
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V32_INLINE void v32_load_blocks(const uint8_t *const *from, size_t offset, v32 w[16]) {
    for (size_t i = 0; i < 16; i++) {
        uint32_t words[V32_LANES];
        for (size_t lane = 0; lane < V32_LANES; lane++)
            words[lane] = load_le32(from[lane] + offset + 4 * i);
        w[i] = v32_load(words);
    }
}

/* A block of 64 bytes in each lane can be loaded in parts of so many lanes. */
#define V32_PART_LANES 1u

/* The first half of v32_load_blocks, for one lane. */
V32_INLINE void v32_load_part(const uint8_t *const *from, size_t offset, v32 part[16 / V32_LANES]) {
    uint32_t words[16];
    for (size_t i = 0; i < 16; i++) words[i] = load_le32(from[0] + offset + 4 * i);
    memcpy(part, words, sizeof words);
}

/* The second half, for the parts of all lanes. */
V32_INLINE void v32_join_parts(const v32 t[16], v32 w[16]) {
    uint32_t rows[16 * V32_LANES];
    memcpy(rows, t, sizeof rows);
    for (size_t i = 0; i < 16; i++) {
        uint32_t words[V32_LANES];
        for (size_t lane = 0; lane < V32_LANES; lane++) words[lane] = rows[16 * lane + i];
        w[i] = v32_load(words);
    }
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. */
V32_INLINE void v32_load_rows(const uint8_t *const *from, v32 w[8]) {
    for (size_t i = 0; i < 8; i++) {
        uint32_t words[V32_LANES];
        for (size_t lane = 0; lane < V32_LANES; lane++)
            memcpy(&words[lane], from[lane] + 4 * i, sizeof *words);
        w[i] = v32_load(words);
    }
}

/* The way back: the eight words of every lane at to[8 * lane]. */
V32_INLINE void v32_store_rows(uint32_t *to, const v32 w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < V32_LANES; lane++) to[8 * lane + i] = w[i][lane];
}

#endif
