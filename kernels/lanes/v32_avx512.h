/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of sixteen 32-bit words in one AVX-512 register (F and BW), word i belonging to lane i.
 * v32_avx2.h and vec_generic.h offer the same names for other widths, so that an algorithm is
 * written once; its includer chooses the technique by including one of them. */
#ifndef JM_VEC_H
#define JM_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "common/secret.h"

#define VEC_LANES 16u

typedef uint32_t vec_word;
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
    return _mm512_set1_epi32((int)word);
}
JM_INLINE vec vec_add(vec x, vec y) {
    return _mm512_add_epi32(x, y);
}
/* The low halves of products. */
JM_INLINE vec vec_multiply(vec x, vec y) {
    return _mm512_mullo_epi32(x, y);
}
JM_INLINE void vec_add_to(vec_word *at, vec x) {
    vec_store(at, vec_add(vec_load(at), x));
}
/* Returns x; no sum is regrouped across it. GCC regroups none anyway (CMakeLists.txt). */
JM_INLINE vec vec_pin(vec x) {
#if defined(__clang__)
    JM_PIN("v", x);
#endif
    return x;
}
JM_INLINE vec vec_xor(vec x, vec y) {
    return _mm512_xor_si512(x, y);
}
JM_INLINE vec vec_xor3(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0x96);
}
/* (x & y) ^ (~x & z) */
JM_INLINE vec vec_choose(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0xca);
}
/* (x & y) ^ (x & z) ^ (y & z) */
JM_INLINE vec vec_majority(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0xe8);
}
/* y ^ (x | ~z): the I of RFC 1321 */
JM_INLINE vec vec_md5_i(vec x, vec y, vec z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0x39);
}
/* Macros, because the instructions take their counts as constants. */
#define vec_rotr(x, count) _mm512_ror_epi32(x, count)
#define vec_rotl(x, count) _mm512_rol_epi32(x, count)
#define vec_shr(x, count) _mm512_srli_epi32(x, count)
#define vec_shl(x, count) _mm512_slli_epi32(x, count)
/* Each word rotated left by the low five bits of its count. */
JM_INLINE vec vec_rotl_by(vec x, vec count) {
    return _mm512_rolv_epi32(x, count);
}
/* x in the lanes of `mask`, y in the others. */
JM_INLINE vec vec_select(uint32_t mask, vec x, vec y) {
    return _mm512_mask_mov_epi32(y, (__mmask16)mask, x);
}

/* Swaps the bytes of every word. */
JM_INLINE vec vec_swap_bytes(vec x) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

/* The 4 x 4 matrices of words in each quarter of four registers: word j of row[i] becomes word i of
 * row[j]. */
JM_INLINE void vec_transpose_quarters(vec row[4]) {
    const vec low01 = _mm512_unpacklo_epi32(row[0], row[1]);
    const vec high01 = _mm512_unpackhi_epi32(row[0], row[1]);
    const vec low23 = _mm512_unpacklo_epi32(row[2], row[3]);
    const vec high23 = _mm512_unpackhi_epi32(row[2], row[3]);
    row[0] = _mm512_unpacklo_epi64(low01, low23);
    row[1] = _mm512_unpackhi_epi64(low01, low23);
    row[2] = _mm512_unpacklo_epi64(high01, high23);
    row[3] = _mm512_unpackhi_epi64(high01, high23);
}

/* The lanes of a part, if 64 bytes of each lane are loaded in parts. */
#define VEC_PART_LANES 4u

/* The first half of vec_load_chunk, for four lanes. */
JM_INLINE void vec_load_part(const uint8_t *const *from, size_t offset, vec part[4]) {
    for (int lane = 0; lane < 4; lane++) part[lane] = _mm512_loadu_si512(from[lane] + offset);
    vec_transpose_quarters(part);
}

/* The second half, for the four parts of all lanes: quarter j of parts 4i to 4i + 3 goes into
 * quarter i of w[4j] to w[4j + 3]. */
JM_INLINE void vec_join_parts(const vec t[16], vec w[16]) {
    for (int i = 0; i < 4; i++) {
        const vec even0 = _mm512_shuffle_i32x4(t[i], t[4 + i], 0x88);
        const vec odd0 = _mm512_shuffle_i32x4(t[i], t[4 + i], 0xdd);
        const vec even1 = _mm512_shuffle_i32x4(t[8 + i], t[12 + i], 0x88);
        const vec odd1 = _mm512_shuffle_i32x4(t[8 + i], t[12 + i], 0xdd);
        w[i] = _mm512_shuffle_i32x4(even0, even1, 0x88);
        w[4 + i] = _mm512_shuffle_i32x4(odd0, odd1, 0x88);
        w[8 + i] = _mm512_shuffle_i32x4(even0, even1, 0xdd);
        w[12 + i] = _mm512_shuffle_i32x4(odd0, odd1, 0xdd);
    }
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
JM_INLINE void vec_load_chunk(const uint8_t *const *from, size_t offset, vec w[16]) {
    vec t[16];
    for (int lane = 0; lane < 16; lane += 4) vec_load_part(from + lane, offset, t + lane);
    vec_join_parts(t, w);
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. Lane pairs
 * (i, i + 4) share a register on the way, so that its quarters are 4 x 4 matrices. */
JM_INLINE void vec_load_rows(const uint8_t *const *from, vec w[8]) {
    vec row[8];
    for (int i = 0; i < 8; i++) {
        const int lane = i + (i & 4);
        const __m256i low = _mm256_loadu_si256((const __m256i *)from[lane]);
        const __m256i high = _mm256_loadu_si256((const __m256i *)from[lane + 4]);
        row[i] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    vec_transpose_quarters(row);
    vec_transpose_quarters(row + 4);
    for (int i = 0; i < 4; i++) {
        w[i] = _mm512_shuffle_i32x4(row[i], row[4 + i], 0x88);
        w[4 + i] = _mm512_shuffle_i32x4(row[i], row[4 + i], 0xdd);
    }
}

/* Stores the eight words of every lane at to[8 * lane]; `to` is aligned to 64 bytes. */
JM_INLINE void vec_store_rows(vec_word *to, const vec w[8]) {
    for (int half = 0; half < 2; half++) {
        vec row[4];
        for (int i = 0; i < 4; i++) {
            row[i] = half ? _mm512_shuffle_i32x4(w[i], w[4 + i], 0xee)
                          : _mm512_shuffle_i32x4(w[i], w[4 + i], 0x44);
        }
        vec_transpose_quarters(row);
        for (int i = 0; i < 4; i++) {
            /* Quarters: words 0-3 of lanes i and i + 4, then words 4-7 of both. */
            const vec lanes = _mm512_shuffle_i32x4(row[i], row[i], 0xd8);
            const int lane = 8 * half + i;
            _mm256_store_si256((__m256i *)(to + 8 * lane), _mm512_castsi512_si256(lanes));
            _mm256_store_si256((__m256i *)(to + 8 * (lane + 4)),
                               _mm512_extracti64x4_epi64(lanes, 1));
        }
    }
}

#endif
