/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of eight 32-bit words in one AVX2 register, word i belonging to lane i. See
 * v32_avx512.h. */
#ifndef JM_VEC_H
#define JM_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "common/secret.h"

#define VEC_LANES 8u

typedef uint32_t vec_word;
typedef __m256i vec;
enum { VEC_CHUNK_WORDS = 64 / sizeof(vec_word) };

/* `at` is aligned to 32 bytes. */
JM_INLINE vec vec_load(const vec_word *at) {
    return _mm256_load_si256((const __m256i *)at);
}
JM_INLINE void vec_store(vec_word *at, vec x) {
    _mm256_store_si256((__m256i *)at, x);
}
JM_INLINE vec vec_set1(vec_word word) {
    return _mm256_set1_epi32((int)word);
}
JM_INLINE vec vec_add(vec x, vec y) {
    return _mm256_add_epi32(x, y);
}
/* The low halves of products. */
JM_INLINE vec vec_multiply(vec x, vec y) {
    return _mm256_mullo_epi32(x, y);
}
JM_INLINE void vec_add_to(vec_word *at, vec x) {
    vec_store(at, vec_add(vec_load(at), x));
}
/* Returns x; no sum is regrouped across it. GCC regroups none anyway (CMakeLists.txt). */
JM_INLINE vec vec_pin(vec x) {
#if defined(__clang__)
    JM_PIN("x", x);
#endif
    return x;
}
JM_INLINE vec vec_xor(vec x, vec y) {
    return _mm256_xor_si256(x, y);
}
JM_INLINE vec vec_xor3(vec x, vec y, vec z) {
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}
/* (x & y) ^ (~x & z) */
JM_INLINE vec vec_choose(vec x, vec y, vec z) {
    return _mm256_xor_si256(_mm256_and_si256(x, _mm256_xor_si256(y, z)), z);
}
/* (x & y) ^ (x & z) ^ (y & z) */
JM_INLINE vec vec_majority(vec x, vec y, vec z) {
    return _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y)));
}
/* y ^ (x | ~z): the I of RFC 1321 */
JM_INLINE vec vec_md5_i(vec x, vec y, vec z) {
    const vec not_z = _mm256_xor_si256(z, _mm256_set1_epi32(-1));
    return _mm256_xor_si256(y, _mm256_or_si256(x, not_z));
}
#define vec_rotr(x, count)                                                                         \
    _mm256_or_si256(_mm256_srli_epi32(x, count), _mm256_slli_epi32(x, 32 - (count)))
#define vec_rotl(x, count) vec_rotr(x, 32 - (count))
#define vec_shr(x, count) _mm256_srli_epi32(x, count)
#define vec_shl(x, count) _mm256_slli_epi32(x, count)
/* Each word rotated left by the low five bits of its count. */
JM_INLINE vec vec_rotl_by(vec x, vec count) {
    const vec left = _mm256_and_si256(count, _mm256_set1_epi32(31));
    const vec right = _mm256_sub_epi32(_mm256_set1_epi32(32), left);
    return _mm256_or_si256(_mm256_sllv_epi32(x, left), _mm256_srlv_epi32(x, right));
}
/* x in the lanes of `mask`, y in the others. */
JM_INLINE vec vec_select(uint32_t mask, vec x, vec y) {
    const vec bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const vec here = _mm256_and_si256(_mm256_set1_epi32((int)mask), bit);
    return _mm256_blendv_epi8(y, x, _mm256_cmpeq_epi32(here, bit));
}

/* Swaps the bytes of every word. */
JM_INLINE vec vec_swap_bytes(vec x) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order));
}

/* The 8 x 8 matrix of words: word j of w[i] becomes word i of w[j]. */
JM_INLINE void vec_transpose(vec w[8]) {
    vec t[8];
    for (int i = 0; i < 8; i += 4) {
        const vec low01 = _mm256_unpacklo_epi32(w[i], w[i + 1]);
        const vec high01 = _mm256_unpackhi_epi32(w[i], w[i + 1]);
        const vec low23 = _mm256_unpacklo_epi32(w[i + 2], w[i + 3]);
        const vec high23 = _mm256_unpackhi_epi32(w[i + 2], w[i + 3]);
        t[i] = _mm256_unpacklo_epi64(low01, low23);
        t[i + 1] = _mm256_unpackhi_epi64(low01, low23);
        t[i + 2] = _mm256_unpacklo_epi64(high01, high23);
        t[i + 3] = _mm256_unpackhi_epi64(high01, high23);
    }
    for (int i = 0; i < 4; i++) {
        w[i] = _mm256_permute2x128_si256(t[i], t[4 + i], 0x20);
        w[4 + i] = _mm256_permute2x128_si256(t[i], t[4 + i], 0x31);
    }
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
JM_INLINE void vec_load_chunk(const uint8_t *const *from, size_t offset, vec w[16]) {
    for (int half = 0; half < 2; half++) {
        for (int lane = 0; lane < 8; lane++)
            w[8 * half + lane] =
                _mm256_loadu_si256((const __m256i *)(from[lane] + offset + 32 * half));
        vec_transpose(w + 8 * half);
    }
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. */
JM_INLINE void vec_load_rows(const uint8_t *const *from, vec w[8]) {
    for (int lane = 0; lane < 8; lane++) w[lane] = _mm256_loadu_si256((const __m256i *)from[lane]);
    vec_transpose(w);
}

/* Stores the eight words of every lane at to[8 * lane]; `to` is aligned to 32 bytes. */
JM_INLINE void vec_store_rows(vec_word *to, const vec w[8]) {
    vec row[8];
    for (int i = 0; i < 8; i++) row[i] = w[i];
    vec_transpose(row);
    for (int lane = 0; lane < 8; lane++) vec_store(to + 8 * lane, row[lane]);
}

#endif
