/* SPDX-License-Identifier: Apache-2.0
 *
 * ECHO-256 and ECHO-512 (second round of the SHA-3 competition) with AES-NI.
 * Technique: a word of the big state is a 128-bit register or a place in memory, a round of AES an
 *   instruction. Columns are computed one by one: the four words are read at the places before
 *   BIG.ShiftRows, go through both rounds of AES, and are mixed. State: the specification's. CPU:
 *   AES-NI, SSE4.1. Constant time: no table and no branch on data; checked by
 *   tests/native/constant_time.c. Best for: CPUs without VAES or GFNI. */
#if defined(__x86_64__)
#include <wmmintrin.h>

#include "echo/echo.h"

enum { WORDS = 16 };

JM_INLINE __m128i load(const uint8_t *from) {
    return _mm_loadu_si128((const void *)from);
}

/* Each byte times x in GF(2^8). */
JM_INLINE __m128i doubled(__m128i bytes) {
    const __m128i carried = _mm_cmpgt_epi8(_mm_setzero_si128(), bytes);
    return _mm_xor_si128(_mm_add_epi8(bytes, bytes), _mm_and_si128(carried, _mm_set1_epi8(0x1b)));
}

/* A round of ECHO; `to` and `from` differ. */
JM_INLINE void round_of_words(__m128i to[WORDS], const __m128i from[WORDS], uint64_t counter) {
    for (unsigned column = 0; column < 4; column++) {
        __m128i x[4];
        for (unsigned row = 0; row < 4; row++) {
            const unsigned at = (row + 4 * (column + row)) % WORDS;
            x[row] = _mm_aesenc_si128(from[at], _mm_cvtsi64_si128((long long)(counter + at)));
        }
        for (unsigned row = 0; row < 4; row++)
            x[row] = _mm_aesenc_si128(x[row], _mm_setzero_si128());
        const __m128i ab = _mm_xor_si128(x[0], x[1]), cd = _mm_xor_si128(x[2], x[3]);
        const __m128i bc = _mm_xor_si128(x[1], x[2]), sum = _mm_xor_si128(ab, cd);
        const __m128i two_ab = doubled(ab), two_bc = doubled(bc), two_cd = doubled(cd);
        const __m128i two_da = _mm_xor_si128(_mm_xor_si128(two_ab, two_bc), two_cd);
        to[4 * column] = _mm_xor_si128(_mm_xor_si128(x[0], sum), two_ab);
        to[4 * column + 1] = _mm_xor_si128(_mm_xor_si128(x[1], sum), two_bc);
        to[4 * column + 2] = _mm_xor_si128(_mm_xor_si128(x[2], sum), two_cd);
        to[4 * column + 3] = _mm_xor_si128(_mm_xor_si128(x[3], sum), two_da);
    }
}

JM_INLINE void compress(uint8_t *value, const uint8_t *blocks, size_t count, uint64_t counter,
                        uint64_t step, unsigned chain_words, unsigned rounds) {
    __m128i state[WORDS], between[WORDS];
    for (; count; count--, blocks += 16 * (WORDS - chain_words), counter += step) {
        for (unsigned i = 0; i < WORDS; i++)
            state[i] = load(i < chain_words ? value + 16 * i : blocks + 16 * (i - chain_words));
        for (unsigned round = 0; round < rounds; round += 2) {
            round_of_words(between, state, counter + WORDS * round);
            round_of_words(state, between, counter + WORDS * (round + 1));
        }
        for (unsigned i = 0; i < chain_words; i++) {
            __m128i sum = load(value + 16 * i);
            for (unsigned at = i; at < WORDS; at += chain_words)
                sum = _mm_xor_si128(sum, state[at]);
            for (unsigned at = i; at < WORDS - chain_words; at += chain_words)
                sum = _mm_xor_si128(sum, load(blocks + 16 * at));
            _mm_storeu_si128((void *)(value + 16 * i), sum);
        }
    }
    jm_wipe(state, sizeof state);
    jm_wipe(between, sizeof between);
}

static void compress_256(const echo_sizes *sizes, uint8_t *value, const uint8_t *blocks,
                         size_t count, uint64_t counter, uint64_t step) {
    (void)sizes;
    compress(value, blocks, count, counter, step, 4, 8);
}
static void compress_512(const echo_sizes *sizes, uint8_t *value, const uint8_t *blocks,
                         size_t count, uint64_t counter, uint64_t step) {
    (void)sizes;
    compress(value, blocks, count, counter, step, 8, 10);
}

JM_ECHO_VARIANT(aesni, JM_CPU_AESNI | JM_CPU_SSE41, true, "a word in a 128-bit register")

#endif
