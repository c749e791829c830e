/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of V32_LANES 32-bit words (16 unless defined before) in plain C, for any CPU; see
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
#define V32_LANES 16u
#endif

typedef struct {
    uint32_t word[V32_LANES];
} v32;

#define V32_EACH(expression)                                                                       \
    v32 result;                                                                                    \
    for (size_t i = 0; i < V32_LANES; i++) result.word[i] = (expression);                          \
    return result

V32_INLINE v32 v32_load(const uint32_t *at) {
    V32_EACH(at[i]);
}
V32_INLINE void v32_store(uint32_t *at, v32 x) {
    memcpy(at, x.word, sizeof x.word);
}
V32_INLINE v32 v32_set1(uint32_t word) {
    V32_EACH(word);
}
V32_INLINE v32 v32_add(v32 x, v32 y) {
    V32_EACH(x.word[i] + y.word[i]);
}
V32_INLINE v32 v32_xor(v32 x, v32 y) {
    V32_EACH(x.word[i] ^ y.word[i]);
}
V32_INLINE v32 v32_xor3(v32 x, v32 y, v32 z) {
    V32_EACH(x.word[i] ^ y.word[i] ^ z.word[i]);
}
/* (x & y) ^ (~x & z) */
V32_INLINE v32 v32_choose(v32 x, v32 y, v32 z) {
    V32_EACH((x.word[i] & y.word[i]) ^ (~x.word[i] & z.word[i]));
}
/* (x & y) ^ (x & z) ^ (y & z) */
V32_INLINE v32 v32_majority(v32 x, v32 y, v32 z) {
    V32_EACH((x.word[i] & y.word[i]) ^ (x.word[i] & z.word[i]) ^ (y.word[i] & z.word[i]));
}
/* y ^ (x | ~z): the I of RFC 1321 */
V32_INLINE v32 v32_md5_i(v32 x, v32 y, v32 z) {
    V32_EACH(y.word[i] ^ (x.word[i] | ~z.word[i]));
}
V32_INLINE v32 v32_rotr(v32 x, unsigned count) {
    V32_EACH(rotr32(x.word[i], count));
}
V32_INLINE v32 v32_rotl(v32 x, unsigned count) {
    V32_EACH(rotl32(x.word[i], count));
}
V32_INLINE v32 v32_shr(v32 x, unsigned count) {
    V32_EACH(x.word[i] >> count);
}

/* Swaps the bytes of every word. */
V32_INLINE v32 v32_swap_bytes(v32 x) {
    V32_EACH(__builtin_bswap32(x.word[i]));
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V32_INLINE void v32_load_blocks(const uint8_t *const *from, size_t offset, v32 w[16]) {
    for (size_t i = 0; i < 16; i++)
        for (size_t lane = 0; lane < V32_LANES; lane++)
            w[i].word[lane] = load_le32(from[lane] + offset + 4 * i);
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. */
V32_INLINE void v32_load_rows(const uint8_t *const *from, v32 w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < V32_LANES; lane++)
            memcpy(&w[i].word[lane], from[lane] + 4 * i, 4);
}

/* The way back: the eight words of every lane at to[8 * lane]. */
V32_INLINE void v32_store_rows(uint32_t *to, const v32 w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < V32_LANES; lane++) to[8 * lane + i] = w[i].word[lane];
}

#endif
