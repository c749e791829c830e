/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3 with AVX-512.
 *
 * Technique: sixteen chunks of a message, or parents of its tree, in the lanes of 512-bit vectors;
 *   fewer chunks in the lanes of blake3_avx2.c; single blocks in four 128-bit registers, where one
 *   VPERMD puts the words of the block in the order of a round (as in blake2s_avx512.c).
 * CPU: AVX-512 F, BW, DQ, VL; AVX2; BMI2.
 * Constant time: additions, rotations and logic only. Its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message of any length.
 */
#if defined(__x86_64__)
#include "lanes/v32_avx512.h"

#include "blake3/blake3_keyed.h"
#include "blake3/blake3_lanes.h"

typedef struct {
    __m128i a, b, c, d;
} rows;

JM_INLINE void mix(rows *v, __m128i x, __m128i y) {
    v->a = _mm_add_epi32(_mm_add_epi32(v->a, x), v->b);
    v->d = _mm_ror_epi32(_mm_xor_si128(v->d, v->a), 16);
    v->c = _mm_add_epi32(v->c, v->d);
    v->b = _mm_ror_epi32(_mm_xor_si128(v->b, v->c), 12);
    v->a = _mm_add_epi32(_mm_add_epi32(v->a, y), v->b);
    v->d = _mm_ror_epi32(_mm_xor_si128(v->d, v->a), 8);
    v->c = _mm_add_epi32(v->c, v->d);
    v->b = _mm_ror_epi32(_mm_xor_si128(v->b, v->c), 7);
}

/* Columns, then diagonals in the order of their words b, which are computed last. */
JM_INLINE void one_round(rows *v, __m512i block, const uint8_t s[16]) {
    const __m512i places = _mm512_setr_epi32(s[0], s[2], s[4], s[6], s[1], s[3], s[5], s[7], s[14],
                                             s[8], s[10], s[12], s[15], s[9], s[11], s[13]);
    const __m512i words = _mm512_permutexvar_epi32(places, block);
    mix(v, _mm512_castsi512_si128(words), _mm512_extracti32x4_epi32(words, 1));
    v->a = _mm_shuffle_epi32(v->a, 0x93);
    v->c = _mm_shuffle_epi32(v->c, 0x39);
    v->d = _mm_shuffle_epi32(v->d, 0x4e);
    mix(v, _mm512_extracti32x4_epi32(words, 2), _mm512_extracti32x4_epi32(words, 3));
    v->a = _mm_shuffle_epi32(v->a, 0x39);
    v->c = _mm_shuffle_epi32(v->c, 0x93);
    v->d = _mm_shuffle_epi32(v->d, 0x4e);
}

static void compress(uint32_t chain[8], const uint8_t *block, uint64_t counter, uint32_t bytes,
                     uint32_t flags) {
    const __m512i words = _mm512_loadu_si512(block);
    __m128i *const low = (__m128i *)(void *)chain, *const high = low + 1;
    rows v = {_mm_loadu_si128(low), _mm_loadu_si128(high),
              _mm_loadu_si128((const __m128i *)(const void *)blake3_initial),
              _mm_set_epi64x((long long)((uint64_t)flags << 32 | bytes), (long long)counter)};
#pragma GCC unroll 7
    for (size_t i = 0; i < BLAKE3_ROUNDS; i++) one_round(&v, words, blake3_order[i]);
    _mm_storeu_si128(low, _mm_xor_si128(v.a, v.c));
    _mm_storeu_si128(high, _mm_xor_si128(v.b, v.d));
}

static void chunks(const blake3_mode *mode, uint32_t (*chains)[8], const uint8_t *message,
                   size_t count, uint64_t first) {
    if (count > VEC_LANES / 2)
        lanes_chunks(mode, chains, message, count, first);
    else
        jm_blake3_chunks_avx2(mode, chains, message, count, first);
}

JM_BLAKE3_VARIANT(avx512, JM_CPU_AVX512 | JM_CPU_AVX2 | JM_CPU_BMI2, chunks, lanes_parents,
                  VEC_LANES, true, "sixteen chunks at once in AVX-512 lanes")
JM_BLAKE3_KEYED(avx512, JM_CPU_AVX512 | JM_CPU_AVX2 | JM_CPU_BMI2, true,
                "sixteen chunks at once in AVX-512 lanes")
#endif
