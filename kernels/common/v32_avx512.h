/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of sixteen 32-bit words in one AVX-512 register (F and BW), word i belonging to lane i.
 * v32_avx2.h and v32_generic.h offer the same names for other widths, so that an algorithm is
 * written once; the file that includes one of them chooses the technique. */
#ifndef JM_V32_H
#define JM_V32_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define V32_INLINE static inline __attribute__((always_inline))
#define V32_LANES 16u

typedef __m512i v32;

/* `at` is aligned to 64 bytes. */
V32_INLINE v32 v32_load(const uint32_t *at) {
    return _mm512_load_si512(at);
}
V32_INLINE void v32_store(uint32_t *at, v32 x) {
    _mm512_store_si512(at, x);
}
V32_INLINE v32 v32_set1(uint32_t word) {
    return _mm512_set1_epi32((int)word);
}
V32_INLINE v32 v32_add(v32 x, v32 y) {
    return _mm512_add_epi32(x, y);
}
V32_INLINE v32 v32_xor3(v32 x, v32 y, v32 z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0x96);
}
/* (x & y) ^ (~x & z) */
V32_INLINE v32 v32_choose(v32 x, v32 y, v32 z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0xca);
}
/* (x & y) ^ (x & z) ^ (y & z) */
V32_INLINE v32 v32_majority(v32 x, v32 y, v32 z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0xe8);
}
/* y ^ (x | ~z): the I of RFC 1321 */
V32_INLINE v32 v32_md5_i(v32 x, v32 y, v32 z) {
    return _mm512_ternarylogic_epi32(x, y, z, 0x39);
}
/* Macros, because the instructions take their counts as constants. */
#define v32_rotr(x, count) _mm512_ror_epi32(x, count)
#define v32_rotl(x, count) _mm512_rol_epi32(x, count)
#define v32_shr(x, count) _mm512_srli_epi32(x, count)

/* Swaps the bytes of every word. */
V32_INLINE v32 v32_swap_bytes(v32 x) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

/* The 16 x 16 matrix of words: word j of w[i] becomes word i of w[j]. Four rounds: words and pairs
 * within a quarter register, then the quarters. */
V32_INLINE void v32_transpose(v32 w[16]) {
    v32 t[16];
    for (int i = 0; i < 16; i += 4) {
        const v32 low01 = _mm512_unpacklo_epi32(w[i], w[i + 1]);
        const v32 high01 = _mm512_unpackhi_epi32(w[i], w[i + 1]);
        const v32 low23 = _mm512_unpacklo_epi32(w[i + 2], w[i + 3]);
        const v32 high23 = _mm512_unpackhi_epi32(w[i + 2], w[i + 3]);
        t[i] = _mm512_unpacklo_epi64(low01, low23);
        t[i + 1] = _mm512_unpackhi_epi64(low01, low23);
        t[i + 2] = _mm512_unpacklo_epi64(high01, high23);
        t[i + 3] = _mm512_unpackhi_epi64(high01, high23);
    }
    for (int i = 0; i < 4; i++) {
        const v32 even0 = _mm512_shuffle_i32x4(t[i], t[4 + i], 0x88);
        const v32 odd0 = _mm512_shuffle_i32x4(t[i], t[4 + i], 0xdd);
        const v32 even1 = _mm512_shuffle_i32x4(t[8 + i], t[12 + i], 0x88);
        const v32 odd1 = _mm512_shuffle_i32x4(t[8 + i], t[12 + i], 0xdd);
        w[i] = _mm512_shuffle_i32x4(even0, even1, 0x88);
        w[4 + i] = _mm512_shuffle_i32x4(odd0, odd1, 0x88);
        w[8 + i] = _mm512_shuffle_i32x4(even0, even1, 0xdd);
        w[12 + i] = _mm512_shuffle_i32x4(odd0, odd1, 0xdd);
    }
}

/* Loads 64 bytes at from[lane] + offset for each lane: w[i] receives word i of every lane, in
 * little-endian order. */
V32_INLINE void v32_load_blocks(const uint8_t *const *from, size_t offset, v32 w[16]) {
    for (int lane = 0; lane < 16; lane++) w[lane] = _mm512_loadu_si512(from[lane] + offset);
    v32_transpose(w);
}

#endif
