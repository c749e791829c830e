/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of eight 32-bit words in one AVX2 register, word i belonging to lane i. See
 * v32_avx512.h. */
#ifndef JM_V32_H
#define JM_V32_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define V32_INLINE static inline __attribute__((always_inline))
#define V32_LANES 8u

typedef __m256i v32;

/* `at` is aligned to 32 bytes. */
V32_INLINE v32 v32_load(const uint32_t *at) {
    return _mm256_load_si256((const __m256i *)at);
}
V32_INLINE void v32_store(uint32_t *at, v32 x) {
    _mm256_store_si256((__m256i *)at, x);
}
V32_INLINE v32 v32_set1(uint32_t word) {
    return _mm256_set1_epi32((int)word);
}
V32_INLINE v32 v32_add(v32 x, v32 y) {
    return _mm256_add_epi32(x, y);
}
V32_INLINE v32 v32_xor(v32 x, v32 y) {
    return _mm256_xor_si256(x, y);
}
V32_INLINE v32 v32_xor3(v32 x, v32 y, v32 z) {
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}
/* (x & y) ^ (~x & z) */
V32_INLINE v32 v32_choose(v32 x, v32 y, v32 z) {
    return _mm256_xor_si256(_mm256_and_si256(x, _mm256_xor_si256(y, z)), z);
}
/* (x & y) ^ (x & z) ^ (y & z) */
V32_INLINE v32 v32_majority(v32 x, v32 y, v32 z) {
    return _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y)));
}
/* y ^ (x | ~z): the I of RFC 1321 */
V32_INLINE v32 v32_md5_i(v32 x, v32 y, v32 z) {
    const v32 not_z = _mm256_xor_si256(z, _mm256_set1_epi32(-1));
    return _mm256_xor_si256(y, _mm256_or_si256(x, not_z));
}
#define v32_rotr(x, count)                                                                         \
    _mm256_or_si256(_mm256_srli_epi32(x, count), _mm256_slli_epi32(x, 32 - (count)))
#define v32_rotl(x, count) v32_rotr(x, 32 - (count))
#define v32_shr(x, count) _mm256_srli_epi32(x, count)

/* Swaps the bytes of every word. */
V32_INLINE v32 v32_swap_bytes(v32 x) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order));
}

/* The 8 x 8 matrix of words: word j of w[i] becomes word i of w[j]. */
V32_INLINE void v32_transpose(v32 w[8]) {
    v32 t[8];
    for (int i = 0; i < 8; i += 4) {
        const v32 low01 = _mm256_unpacklo_epi32(w[i], w[i + 1]);
        const v32 high01 = _mm256_unpackhi_epi32(w[i], w[i + 1]);
        const v32 low23 = _mm256_unpacklo_epi32(w[i + 2], w[i + 3]);
        const v32 high23 = _mm256_unpackhi_epi32(w[i + 2], w[i + 3]);
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
V32_INLINE void v32_load_blocks(const uint8_t *const *from, size_t offset, v32 w[16]) {
    for (int half = 0; half < 2; half++) {
        for (int lane = 0; lane < 8; lane++)
            w[8 * half + lane] =
                _mm256_loadu_si256((const __m256i *)(from[lane] + offset + 32 * half));
        v32_transpose(w + 8 * half);
    }
}

/* Loads eight words at from[lane] for each lane: w[i] receives word i of every lane. */
V32_INLINE void v32_load_rows(const uint8_t *const *from, v32 w[8]) {
    for (int lane = 0; lane < 8; lane++) w[lane] = _mm256_loadu_si256((const __m256i *)from[lane]);
    v32_transpose(w);
}

/* The way back: the eight words of every lane at to[8 * lane]; `to` is aligned to 32 bytes. */
V32_INLINE void v32_store_rows(uint32_t *to, const v32 w[8]) {
    v32 row[8];
    for (int i = 0; i < 8; i++) row[i] = w[i];
    v32_transpose(row);
    for (int lane = 0; lane < 8; lane++) v32_store(to + 8 * lane, row[lane]);
}

#endif
