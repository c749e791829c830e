/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of eight 64-bit words in one AVX-512 register (F and BW), word i belonging to lane i.
 * v64_avx2.h and vec_generic.h offer the same names for other widths, so that an algorithm is
 * written once; its includer chooses the technique by including one of them. */
#ifndef JM_VEC_H
#define JM_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "common/secret.h"

#define VEC_LANES 8u

typedef uint64_t vec_word;
typedef __m512i vec;
enum { VEC_CHUNK_WORDS = 64 / sizeof(vec_word) };

/* `at` is aligned to 64 bytes. */
JM_INLINE vec vec_load(const vec_word *at) {
    return _mm512_load_si512(at);
}
JM_INLINE void vec_store(vec_word *at, vec x) {
    _mm512_store_si512(at, x);
}
JM_INLINE vec vec_set1(vec_word word) {
    return _mm512_set1_epi64((long long)word);
}
JM_INLINE vec vec_add(vec x, vec y) {
    return _mm512_add_epi64(x, y);
}
JM_INLINE void vec_add_to(vec_word *at, vec x) {
    vec_store(at, vec_add(vec_load(at), x));
}
/* Returns x; no sum is regrouped across it. */
JM_INLINE vec vec_pin(vec x) {
    JM_PIN("v", x);
    return x;
}
JM_INLINE vec vec_xor3(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
}
/* (x & y) ^ (~x & z) */
JM_INLINE vec vec_choose(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0xca);
}
/* (x & y) ^ (x & z) ^ (y & z) */
JM_INLINE vec vec_majority(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0xe8);
}
JM_INLINE vec vec_xor(vec x, vec y) {
    return _mm512_xor_si512(x, y);
}
/* x ^ (~y & z) */
JM_INLINE vec vec_xor_andnot(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0xd2);
}
/* Macros, because the instructions take their counts as constants. */
#define vec_rotr(x, count) _mm512_ror_epi64(x, count)
#define vec_rotl(x, count) _mm512_rol_epi64(x, count)
#define vec_shr(x, count) _mm512_srli_epi64(x, count)

/* Swaps the bytes of every word. */
JM_INLINE vec vec_swap_bytes(vec x) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

/* The 2 x 2 matrices of words in each quarter of two registers. */
JM_INLINE void vec_transpose_quarters(vec row[2]) {
    const vec low = _mm512_unpacklo_epi64(row[0], row[1]);
    row[1] = _mm512_unpackhi_epi64(row[0], row[1]);
    row[0] = low;
}

/* The lanes of a part, if 64 bytes of each lane are loaded in parts. */
#define VEC_PART_LANES 2u

/* The first half of vec_load_chunk, for two lanes. */
JM_INLINE void vec_load_part(const uint8_t *const *from, size_t offset, vec part[2]) {
    for (int lane = 0; lane < 2; lane++) part[lane] = _mm512_loadu_si512(from[lane] + offset);
    vec_transpose_quarters(part);
}

/* The second half, for the four parts of all lanes: quarter j of parts 2i and 2i + 1 goes into
 * quarter i of w[2j] and w[2j + 1]. */
JM_INLINE void vec_join_parts(const vec t[8], vec w[8]) {
    for (int i = 0; i < 2; i++) {
        const vec even0 = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
        const vec odd0 = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
        const vec even1 = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
        const vec odd1 = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
        w[i] = _mm512_shuffle_i64x2(even0, even1, 0x88);
        w[i + 2] = _mm512_shuffle_i64x2(odd0, odd1, 0x88);
        w[i + 4] = _mm512_shuffle_i64x2(even0, even1, 0xdd);
        w[i + 6] = _mm512_shuffle_i64x2(odd0, odd1, 0xdd);
    }
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
JM_INLINE void vec_load_chunk(const uint8_t *const *from, size_t offset, vec w[8]) {
    vec t[8];
    for (int lane = 0; lane < 8; lane += 2) vec_load_part(from + lane, offset, t + lane);
    vec_join_parts(t, w);
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. */
JM_INLINE void vec_load_rows(const uint8_t *const *from, vec w[8]) {
    vec_load_chunk(from, 0, w);
}

/* Stores the eight words of every lane at to[8 * lane]; `to` is aligned to 64 bytes. */
JM_INLINE void vec_store_rows(vec_word *to, const vec w[8]) {
    vec t[8], row[8];
    for (int i = 0; i < 8; i++) t[i] = w[i];
    for (int i = 0; i < 8; i += 2) vec_transpose_quarters(t + i);
    vec_join_parts(t, row);
    for (int lane = 0; lane < 8; lane++) vec_store(to + 8 * lane, row[lane]);
}

#endif
