/* SPDX-License-Identifier: Apache-2.0
 *
 * CubeHash16/32 ("CubeHash specification (2.B.1)", 2009) in vectors of four words, with AVX-512's
 * rotations.
 *
 * Technique: swaps of words eight and four apart only rename vectors; swaps two and one apart are
 *   shuffles within vectors. Wider vectors would need shuffles between their lanes, which take four
 *   cycles; all other operations take one or two. One message.
 * State: the specification's 32 words in eight vectors.
 * CPU: AVX-512 F and VL.
 * Constant time: no branch and no address depends on the message; its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message at a time.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "cubehash/cubehash.h"

enum { VECTORS = 4, SWAP_TWO = 0x4e, SWAP_ONE = 0xb1 };

JM_INLINE void one_round(__m128i low[VECTORS], __m128i high[VECTORS]) {
    __m128i turned[VECTORS], again[VECTORS];
#pragma GCC unroll 4
    for (size_t i = 0; i < VECTORS; i++) {
        high[i] = _mm_add_epi32(high[i], low[i]);
        turned[i] = _mm_rol_epi32(low[i], 7);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < VECTORS; i++) {
        low[i] = _mm_xor_si128(turned[i ^ 2], high[i]);
        high[i] = _mm_add_epi32(_mm_shuffle_epi32(high[i], SWAP_TWO), low[i]);
        again[i] = _mm_rol_epi32(low[i], 11);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < VECTORS; i++) {
        low[i] = _mm_xor_si128(again[i ^ 1], high[i]);
        high[i] = _mm_shuffle_epi32(high[i], SWAP_ONE);
    }
}

JM_INLINE void rounds(__m128i low[VECTORS], __m128i high[VECTORS], size_t count) {
#pragma GCC unroll 1
    for (; count; count -= 2) {
        one_round(low, high);
        one_round(low, high);
    }
}

JM_INLINE void load(__m128i to[VECTORS], const __m128i *from) {
#pragma GCC unroll 4
    for (size_t i = 0; i < VECTORS; i++) to[i] = _mm_loadu_si128(from + i);
}
JM_INLINE void store(__m128i *to, const __m128i from[VECTORS]) {
#pragma GCC unroll 4
    for (size_t i = 0; i < VECTORS; i++) _mm_storeu_si128(to + i, from[i]);
}

static void absorb(void *chain, const uint8_t *blocks, size_t count) {
    __m128i low[VECTORS], high[VECTORS];
    load(low, chain);
    load(high, (const __m128i *)chain + VECTORS);
    for (; count; count--) {
        const __m128i *block = (const __m128i *)blocks;
        low[0] = _mm_xor_si128(low[0], _mm_loadu_si128(block));
        low[1] = _mm_xor_si128(low[1], _mm_loadu_si128(block + 1));
        rounds(low, high, CUBEHASH_ROUNDS);
        blocks += CUBEHASH_BLOCK_BYTES;
    }
    store(chain, low);
    store((__m128i *)chain + VECTORS, high);
}

static void last_rounds(void *chain, size_t count) {
    __m128i low[VECTORS], high[VECTORS];
    load(low, chain);
    load(high, (const __m128i *)chain + VECTORS);
    rounds(low, high, count);
    store(chain, low);
    store((__m128i *)chain + VECTORS, high);
}

JM_CUBEHASH_VARIANT(avx512, JM_CPU_AVX512, true, "four words in a vector, with AVX-512 rotations")

#endif
