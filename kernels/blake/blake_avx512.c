/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE ("SHA-3 proposal BLAKE", version 1.3, sections 2.1 and 2.2) with a row of the state in each
 * vector, by AVX-512's rotations and permutations.
 *
 * Technique: four G at once. Rows a, c and d are rotated so that diagonals become columns, and
 *   back; row b, which is computed last, stays. The sixteen words of a round are permuted as one
 *   vector of 32-bit words or two of 64-bit words, which does not wait for the state; the words go
 *   through memory, because moves between vectors would compete with rotations. One message.
 * State: four vectors of four words.
 * CPU: AVX-512 F and VL.
 * Constant time: no branch and no address depends on the message; its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message at a time, on CPUs that add vectors in one cycle, as Zen 4 does.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "blake/blake.h"

/* In the diagonals lane j computes G number 4 + (j + 3) % 4, whose word of row b is in lane j. Each
 * row here is in the order of the lanes: the first words of the columns, their second words, then
 * the same of the diagonals. */
#define ORDER(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)                \
    {s0, s2, s4, s6, s1, s3, s5, s7, s14, s8, s10, s12, s15, s9, s11, s13},
static const _Alignas(64) uint32_t order_32[BLAKE_ROUNDS_MAX][16] = {BLAKE_PERMUTATIONS(ORDER)};
static const _Alignas(64) uint64_t order_64[BLAKE_ROUNDS_MAX][16] = {BLAKE_PERMUTATIONS(ORDER)};

/* Words of 32 bits ------------------------------------------------------------------------ */

/* In each pair of a G, the first word is XORed with the second word's constant, and the second with
 * the first's. */
JM_INLINE __m512i round_words_32(__m512i m, size_t round) {
    const __m512i order = _mm512_load_si512(order_32[round]);
    const __m512i constants = _mm512_permutexvar_epi32(order, _mm512_loadu_si512(blake_pi_32));
    return _mm512_xor_si512(_mm512_permutexvar_epi32(order, m),
                            _mm512_shuffle_i64x2(constants, constants, 0xb1));
}

JM_INLINE void mix_32(__m128i v[4], __m128i first, __m128i second) {
    v[0] = _mm_add_epi32(_mm_add_epi32(v[0], first), v[1]);
    v[3] = _mm_ror_epi32(_mm_xor_si128(v[3], v[0]), 16);
    v[2] = _mm_add_epi32(v[2], v[3]);
    v[1] = _mm_ror_epi32(_mm_xor_si128(v[1], v[2]), 12);
    v[0] = _mm_add_epi32(_mm_add_epi32(v[0], second), v[1]);
    v[3] = _mm_ror_epi32(_mm_xor_si128(v[3], v[0]), 8);
    v[2] = _mm_add_epi32(v[2], v[3]);
    v[1] = _mm_ror_epi32(_mm_xor_si128(v[1], v[2]), 7);
}

JM_INLINE void one_round_32(__m128i v[4], const __m128i words[4]) {
    mix_32(v, words[0], words[1]);
    v[0] = _mm_shuffle_epi32(v[0], 0x93);
    v[3] = _mm_shuffle_epi32(v[3], 0x4e);
    v[2] = _mm_shuffle_epi32(v[2], 0x39);
    mix_32(v, words[2], words[3]);
    v[0] = _mm_shuffle_epi32(v[0], 0x39);
    v[3] = _mm_shuffle_epi32(v[3], 0x4e);
    v[2] = _mm_shuffle_epi32(v[2], 0x93);
}

JM_INLINE __m512i load_words_32(const uint8_t *block) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm512_shuffle_epi8(_mm512_loadu_si512(block), _mm512_broadcast_i32x4(swap));
}

JM_INLINE void compress_32(uint32_t h[8], const uint8_t *blocks, size_t count,
                           uint64_t counted_bytes, unsigned rounds) {
    const __m128i *pi = (const __m128i *)blake_pi_32;
    _Alignas(64) __m128i words[BLAKE_ROUNDS_MAX][4];
    __m128i low = _mm_loadu_si128((const __m128i *)h);
    __m128i high = _mm_loadu_si128((const __m128i *)h + 1);
    for (; count; count--) {
        const __m512i m = load_words_32(blocks);
        const __m128i counter = _mm_cvtsi64_si128((long long)(counted_bytes << 3));
        __m128i v[4] = {low, high, _mm_loadu_si128(pi),
                        _mm_xor_si128(_mm_loadu_si128(pi + 1), _mm_shuffle_epi32(counter, 0x50))};
        JM_UNROLL(16)
        for (size_t i = 0; i < rounds; i++) _mm512_store_si512(words[i], round_words_32(m, i));
        JM_SYNC_MEMORY();
        JM_UNROLL(16)
        for (size_t i = 0; i < rounds; i++) one_round_32(v, words[i]);
        low = _mm_ternarylogic_epi32(low, v[0], v[2], 0x96);
        high = _mm_ternarylogic_epi32(high, v[1], v[3], 0x96);
        blocks += 64;
        counted_bytes += 64;
    }
    _mm_storeu_si128((__m128i *)h, low);
    _mm_storeu_si128((__m128i *)h + 1, high);
}

/* Words of 64 bits ------------------------------------------------------------------------ */

JM_INLINE __m512i round_words_64(const __m512i m[2], size_t round, size_t half) {
    const __m512i order = _mm512_load_si512(order_64[round] + 8 * half);
    const __m512i constants = _mm512_permutex2var_epi64(_mm512_loadu_si512(blake_pi_64), order,
                                                        _mm512_loadu_si512(blake_pi_64 + 8));
    return _mm512_xor_si512(_mm512_permutex2var_epi64(m[0], order, m[1]),
                            _mm512_shuffle_i64x2(constants, constants, 0x4e));
}

/* Words are put in order this many rounds ahead of their use. */
enum { AHEAD = 2 };
JM_INLINE void order_words_64(__m256i words[4], const __m512i m[2], size_t round) {
    _mm512_store_si512(words, round_words_64(m, round, 0));
    _mm512_store_si512(words + 2, round_words_64(m, round, 1));
}

JM_INLINE void mix_64(__m256i v[4], __m256i first, __m256i second) {
    v[0] = _mm256_add_epi64(_mm256_add_epi64(v[0], first), v[1]);
    v[3] = _mm256_shuffle_epi32(_mm256_xor_si256(v[3], v[0]), _MM_SHUFFLE(2, 3, 0, 1));
    v[2] = _mm256_add_epi64(v[2], v[3]);
    v[1] = _mm256_ror_epi64(_mm256_xor_si256(v[1], v[2]), 25);
    v[0] = _mm256_add_epi64(_mm256_add_epi64(v[0], second), v[1]);
    v[3] = _mm256_ror_epi64(_mm256_xor_si256(v[3], v[0]), 16);
    v[2] = _mm256_add_epi64(v[2], v[3]);
    v[1] = _mm256_ror_epi64(_mm256_xor_si256(v[1], v[2]), 11);
}

JM_INLINE void one_round_64(__m256i v[4], const __m256i words[4]) {
    mix_64(v, words[0], words[1]);
    v[0] = _mm256_permute4x64_epi64(v[0], 0x93);
    v[3] = _mm256_permute4x64_epi64(v[3], 0x4e);
    v[2] = _mm256_permute4x64_epi64(v[2], 0x39);
    mix_64(v, words[2], words[3]);
    v[0] = _mm256_permute4x64_epi64(v[0], 0x39);
    v[3] = _mm256_permute4x64_epi64(v[3], 0x4e);
    v[2] = _mm256_permute4x64_epi64(v[2], 0x93);
}

JM_INLINE __m512i load_words_64(const uint8_t *block) {
    const __m128i swap = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm512_shuffle_epi8(_mm512_loadu_si512(block), _mm512_broadcast_i32x4(swap));
}

JM_INLINE void compress_64(uint64_t h[8], const uint8_t *blocks, size_t count,
                           uint64_t counted_bytes, unsigned rounds) {
    const __m256i *pi = (const __m256i *)blake_pi_64;
    _Alignas(64) __m256i words[BLAKE_ROUNDS_MAX][4];
    __m256i low = _mm256_loadu_si256((const __m256i *)h);
    __m256i high = _mm256_loadu_si256((const __m256i *)h + 1);
    for (; count; count--) {
        const __m512i m[2] = {load_words_64(blocks), load_words_64(blocks + 64)};
        const long long few = (long long)(counted_bytes << 3),
                        many = (long long)(counted_bytes >> 61);
        __m256i v[4] = {
            low, high, _mm256_loadu_si256(pi),
            _mm256_xor_si256(_mm256_loadu_si256(pi + 1), _mm256_set_epi64x(many, many, few, few))};
        JM_UNROLL(16)
        for (size_t i = 0; i < AHEAD; i++) order_words_64(words[i], m, i);
        JM_UNROLL(16)
        for (size_t i = 0; i < rounds; i++) {
            if (i + AHEAD < rounds) order_words_64(words[i + AHEAD], m, i + AHEAD);
            JM_SYNC_MEMORY();
            one_round_64(v, words[i]);
        }
        low = _mm256_ternarylogic_epi64(low, v[0], v[2], 0x96);
        high = _mm256_ternarylogic_epi64(high, v[1], v[3], 0x96);
        blocks += 128;
        counted_bytes += 128;
    }
    _mm256_storeu_si256((__m256i *)h, low);
    _mm256_storeu_si256((__m256i *)h + 1, high);
}

JM_BLAKE_VARIANT(avx512, JM_CPU_AVX512, true, "four words in a vector, with AVX-512 rotations")

#endif
