/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of four 64-bit words in one AVX2 register, word i belonging to lane i. See
 * v32_avx512.h. In a file that may use AVX-512VL, logic of three operands and rotations are single
 * instructions.
 */
#ifndef JM_VEC_H
#define JM_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "common/secret.h"

#define VEC_LANES 4u

typedef uint64_t vec_word;
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
    return _mm256_set1_epi64x((long long)word);
}
JM_INLINE vec vec_add(vec x, vec y) {
    return _mm256_add_epi64(x, y);
}
JM_INLINE void vec_add_to(vec_word *at, vec x) {
    vec_store(at, vec_add(vec_load(at), x));
}
/* Returns x; no sum is regrouped across it. */
JM_INLINE vec vec_pin(vec x) {
    JM_PIN("x", x);
    return x;
}
JM_INLINE vec vec_xor(vec x, vec y) {
    return _mm256_xor_si256(x, y);
}
/* (x & y) ^ (~x & z) */
JM_INLINE vec vec_choose(vec x, vec y, vec z) {
    return _mm256_xor_si256(_mm256_and_si256(x, _mm256_xor_si256(y, z)), z);
}
/* (x & y) ^ (x & z) ^ (y & z) */
JM_INLINE vec vec_majority(vec x, vec y, vec z) {
    return _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y)));
}
#if defined(__AVX512VL__)
JM_INLINE vec vec_xor3(vec x, vec y, vec z) {
    return _mm256_ternarylogic_epi64(x, y, z, 0x96);
}
/* x ^ (~y & z) */
JM_INLINE vec vec_xor_andnot(vec x, vec y, vec z) {
    return _mm256_ternarylogic_epi64(x, y, z, 0xd2);
}
#define vec_rotr(x, count) _mm256_ror_epi64(x, count)
#else
JM_INLINE vec vec_xor3(vec x, vec y, vec z) {
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}
/* x ^ (~y & z) */
JM_INLINE vec vec_xor_andnot(vec x, vec y, vec z) {
    return _mm256_xor_si256(x, _mm256_andnot_si256(y, z));
}
/* Pinned, or gcc moves the shifts of several rotations together and spills their results. */
#define vec_rotr(x, count)                                                                         \
    vec_pin(_mm256_or_si256(_mm256_srli_epi64(x, count), _mm256_slli_epi64(x, 64 - (count))))
#endif
#define vec_rotl(x, count) vec_rotr(x, 64 - (count))
#define vec_shr(x, count) _mm256_srli_epi64(x, count)

/* Swaps the bytes of every word. */
JM_INLINE vec vec_swap_bytes(vec x) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order));
}

/* The 4 x 4 matrix of words: word j of w[i] becomes word i of w[j]. */
JM_INLINE void vec_transpose(vec w[4]) {
    const vec low01 = _mm256_unpacklo_epi64(w[0], w[1]);
    const vec high01 = _mm256_unpackhi_epi64(w[0], w[1]);
    const vec low23 = _mm256_unpacklo_epi64(w[2], w[3]);
    const vec high23 = _mm256_unpackhi_epi64(w[2], w[3]);
    w[0] = _mm256_permute2x128_si256(low01, low23, 0x20);
    w[1] = _mm256_permute2x128_si256(high01, high23, 0x20);
    w[2] = _mm256_permute2x128_si256(low01, low23, 0x31);
    w[3] = _mm256_permute2x128_si256(high01, high23, 0x31);
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
JM_INLINE void vec_load_chunk(const uint8_t *const *from, size_t offset, vec w[8]) {
    for (int half = 0; half < 8; half += 4) {
        for (int lane = 0; lane < 4; lane++)
            w[half + lane] = _mm256_loadu_si256((const __m256i *)(from[lane] + offset + 8 * half));
        vec_transpose(w + half);
    }
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. */
JM_INLINE void vec_load_rows(const uint8_t *const *from, vec w[8]) {
    vec_load_chunk(from, 0, w);
}

/* Stores the eight words of every lane at to[8 * lane]; `to` is aligned to 32 bytes. */
JM_INLINE void vec_store_rows(vec_word *to, const vec w[8]) {
    for (int half = 0; half < 8; half += 4) {
        vec row[4];
        for (int i = 0; i < 4; i++) row[i] = w[half + i];
        vec_transpose(row);
        for (int lane = 0; lane < 4; lane++) vec_store(to + 8 * lane + half, row[lane]);
    }
}

#endif
