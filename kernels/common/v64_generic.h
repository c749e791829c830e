/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of V64_LANES 64-bit words (8 unless defined before) in plain C, for any CPU; see
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
#define V64_LANES 8u
#endif

typedef struct {
    uint64_t word[V64_LANES];
} v64;

#define V64_EACH(expression)                                                                       \
    v64 result;                                                                                    \
    for (size_t i = 0; i < V64_LANES; i++) result.word[i] = (expression);                          \
    return result

V64_INLINE v64 v64_load(const uint64_t *at) {
    V64_EACH(at[i]);
}
V64_INLINE void v64_store(uint64_t *at, v64 x) {
    memcpy(at, x.word, sizeof x.word);
}
V64_INLINE v64 v64_set1(uint64_t word) {
    V64_EACH(word);
}
V64_INLINE v64 v64_add(v64 x, v64 y) {
    V64_EACH(x.word[i] + y.word[i]);
}
/* x; see v64_avx512.h. */
V64_INLINE v64 v64_pin(v64 x) {
    return x;
}
V64_INLINE v64 v64_xor3(v64 x, v64 y, v64 z) {
    V64_EACH(x.word[i] ^ y.word[i] ^ z.word[i]);
}
/* (x & y) ^ (~x & z) */
V64_INLINE v64 v64_choose(v64 x, v64 y, v64 z) {
    V64_EACH((x.word[i] & y.word[i]) ^ (~x.word[i] & z.word[i]));
}
/* (x & y) ^ (x & z) ^ (y & z) */
V64_INLINE v64 v64_majority(v64 x, v64 y, v64 z) {
    V64_EACH((x.word[i] & y.word[i]) ^ (x.word[i] & z.word[i]) ^ (y.word[i] & z.word[i]));
}
V64_INLINE v64 v64_rotr(v64 x, unsigned count) {
    V64_EACH(rotr64(x.word[i], count));
}
V64_INLINE v64 v64_shr(v64 x, unsigned count) {
    V64_EACH(x.word[i] >> count);
}

/* Swaps the bytes of every word. */
V64_INLINE v64 v64_swap_bytes(v64 x) {
    V64_EACH(__builtin_bswap64(x.word[i]));
}

/* Loads eight words at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V64_INLINE void v64_load_rows(const uint8_t *const *from, size_t offset, v64 w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < V64_LANES; lane++)
            w[i].word[lane] = load_le64(from[lane] + offset + 8 * i);
}

/* The way back: the eight words of every lane at to[8 * lane]. */
V64_INLINE void v64_store_rows(uint64_t *to, const v64 w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < V64_LANES; lane++) to[8 * lane + i] = w[i].word[lane];
}

#endif
