/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of eight 64-bit words in one AVX-512 register (F and BW), word i belonging to lane i.
 * v64_avx2.h and v64_generic.h offer the same names for other widths, so that an algorithm is
 * written once; the file that includes one of them chooses the technique. */
#ifndef JM_V64_H
#define JM_V64_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define V64_INLINE static inline __attribute__((always_inline))
#define V64_LANES 8u

typedef __m512i v64;

/* `at` is aligned to 64 bytes. */
V64_INLINE v64 v64_load(const uint64_t *at) {
    return _mm512_load_si512(at);
}
V64_INLINE void v64_store(uint64_t *at, v64 x) {
    _mm512_store_si512(at, x);
}
V64_INLINE v64 v64_set1(uint64_t word) {
    return _mm512_set1_epi64((long long)word);
}
V64_INLINE v64 v64_add(v64 x, v64 y) {
    return _mm512_add_epi64(x, y);
}
/* x, as a value of which the compiler knows nothing: it does not regroup sums across it. */
V64_INLINE v64 v64_pin(v64 x) {
    __asm__("" : "+v"(x));
    return x;
}
V64_INLINE v64 v64_xor3(v64 x, v64 y, v64 z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
}
/* (x & y) ^ (~x & z) */
V64_INLINE v64 v64_choose(v64 x, v64 y, v64 z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0xca);
}
/* (x & y) ^ (x & z) ^ (y & z) */
V64_INLINE v64 v64_majority(v64 x, v64 y, v64 z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0xe8);
}
/* Macros, because the instructions take their counts as constants. */
#define v64_rotr(x, count) _mm512_ror_epi64(x, count)
#define v64_shr(x, count) _mm512_srli_epi64(x, count)

/* Swaps the bytes of every word. */
V64_INLINE v64 v64_swap_bytes(v64 x) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

/* The 2 x 2 matrices of words in each quarter of two registers. */
V64_INLINE void v64_transpose_quarters(v64 row[2]) {
    const v64 low = _mm512_unpacklo_epi64(row[0], row[1]);
    row[1] = _mm512_unpackhi_epi64(row[0], row[1]);
    row[0] = low;
}

/* Rows can be loaded in parts of so many lanes. */
#define V64_PART_LANES 2u

/* The first half of v64_load_rows, for two lanes. */
V64_INLINE void v64_load_part(const uint8_t *const *from, size_t offset, v64 part[2]) {
    for (int lane = 0; lane < 2; lane++) part[lane] = _mm512_loadu_si512(from[lane] + offset);
    v64_transpose_quarters(part);
}

/* The second half, for the four parts of all lanes: quarter j of parts 2i and 2i + 1 goes into
 * quarter i of w[2j] and w[2j + 1]. */
V64_INLINE void v64_join_parts(const v64 t[8], v64 w[8]) {
    for (int i = 0; i < 2; i++) {
        const v64 even0 = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
        const v64 odd0 = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
        const v64 even1 = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
        const v64 odd1 = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
        w[i] = _mm512_shuffle_i64x2(even0, even1, 0x88);
        w[i + 2] = _mm512_shuffle_i64x2(odd0, odd1, 0x88);
        w[i + 4] = _mm512_shuffle_i64x2(even0, even1, 0xdd);
        w[i + 6] = _mm512_shuffle_i64x2(odd0, odd1, 0xdd);
    }
}

/* Loads eight words at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V64_INLINE void v64_load_rows(const uint8_t *const *from, size_t offset, v64 w[8]) {
    v64 t[8];
    for (int lane = 0; lane < 8; lane += 2) v64_load_part(from + lane, offset, t + lane);
    v64_join_parts(t, w);
}

/* The way back: the eight words of every lane at to[8 * lane]; `to` is aligned to 64 bytes. */
V64_INLINE void v64_store_rows(uint64_t *to, const v64 w[8]) {
    v64 t[8], row[8];
    for (int i = 0; i < 8; i++) t[i] = w[i];
    for (int i = 0; i < 8; i += 2) v64_transpose_quarters(t + i);
    v64_join_parts(t, row);
    for (int lane = 0; lane < 8; lane++) v64_store(to + 8 * lane, row[lane]);
}

#endif
