/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of four 64-bit words in one AVX2 register, word i belonging to lane i. See
 * v64_avx512.h. */
#ifndef JM_V64_H
#define JM_V64_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define V64_INLINE static inline __attribute__((always_inline))
#define V64_LANES 4u

typedef __m256i v64;

/* `at` is aligned to 32 bytes. */
V64_INLINE v64 v64_load(const uint64_t *at) {
    return _mm256_load_si256((const __m256i *)at);
}
V64_INLINE void v64_store(uint64_t *at, v64 x) {
    _mm256_store_si256((__m256i *)at, x);
}
V64_INLINE v64 v64_set1(uint64_t word) {
    return _mm256_set1_epi64x((long long)word);
}
V64_INLINE v64 v64_add(v64 x, v64 y) {
    return _mm256_add_epi64(x, y);
}
/* x, as a value of which the compiler knows nothing: it does not regroup sums across it. */
V64_INLINE v64 v64_pin(v64 x) {
    __asm__("" : "+x"(x));
    return x;
}
V64_INLINE v64 v64_xor3(v64 x, v64 y, v64 z) {
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}
/* (x & y) ^ (~x & z) */
V64_INLINE v64 v64_choose(v64 x, v64 y, v64 z) {
    return _mm256_xor_si256(_mm256_and_si256(x, _mm256_xor_si256(y, z)), z);
}
/* (x & y) ^ (x & z) ^ (y & z) */
V64_INLINE v64 v64_majority(v64 x, v64 y, v64 z) {
    return _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y)));
}
/* Pinned, or gcc moves the shifts of several rotations together and spills their results. */
#define v64_rotr(x, count)                                                                         \
    v64_pin(_mm256_or_si256(_mm256_srli_epi64(x, count), _mm256_slli_epi64(x, 64 - (count))))
#define v64_shr(x, count) _mm256_srli_epi64(x, count)

/* Swaps the bytes of every word. */
V64_INLINE v64 v64_swap_bytes(v64 x) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order));
}

/* The 4 x 4 matrix of words: word j of w[i] becomes word i of w[j]. */
V64_INLINE void v64_transpose(v64 w[4]) {
    const v64 low01 = _mm256_unpacklo_epi64(w[0], w[1]);
    const v64 high01 = _mm256_unpackhi_epi64(w[0], w[1]);
    const v64 low23 = _mm256_unpacklo_epi64(w[2], w[3]);
    const v64 high23 = _mm256_unpackhi_epi64(w[2], w[3]);
    w[0] = _mm256_permute2x128_si256(low01, low23, 0x20);
    w[1] = _mm256_permute2x128_si256(high01, high23, 0x20);
    w[2] = _mm256_permute2x128_si256(low01, low23, 0x31);
    w[3] = _mm256_permute2x128_si256(high01, high23, 0x31);
}

/* Loads eight words at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V64_INLINE void v64_load_rows(const uint8_t *const *from, size_t offset, v64 w[8]) {
    for (int half = 0; half < 8; half += 4) {
        for (int lane = 0; lane < 4; lane++)
            w[half + lane] = _mm256_loadu_si256((const __m256i *)(from[lane] + offset + 8 * half));
        v64_transpose(w + half);
    }
}

/* The way back: the eight words of every lane at to[8 * lane]; `to` is aligned to 32 bytes. */
V64_INLINE void v64_store_rows(uint64_t *to, const v64 w[8]) {
    for (int half = 0; half < 8; half += 4) {
        v64 row[4];
        for (int i = 0; i < 4; i++) row[i] = w[half + i];
        v64_transpose(row);
        for (int lane = 0; lane < 4; lane++) v64_store(to + 8 * lane + half, row[lane]);
    }
}

#endif
