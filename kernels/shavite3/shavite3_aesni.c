/* SPDX-License-Identifier: Apache-2.0
 *
 * SHAvite-3-256 and SHAvite-3-512 (second round of the SHA-3 competition) with AES-NI.
 * Technique: four words are a 128-bit register, a round of AES an instruction. Subkeys are made
 *   where they are used, so that the CPU computes them while it waits for the rounds. The last AES
 *   round of a Feistel round adds the other half, and with it the next round's first subkey. State:
 *   the specification's words; subkeys are in registers, and those that the compiler spills cannot
 *   be wiped by name.
 * CPU: AES-NI, SSSE3, for which SSE4.1 is required. Constant time: no table and no branch on data;
 *   checked by tests/native/constant_time.c. Best for: all messages. */
#if defined(__x86_64__)
#include <tmmintrin.h>
#include <wmmintrin.h>

#include "shavite3/shavite3.h"

enum { KEYS_256 = 36, KEYS_512 = 112 };

JM_INLINE __m128i load(const void *from) {
    return _mm_loadu_si128(from);
}
JM_INLINE __m128i add(__m128i a, __m128i b) {
    return _mm_xor_si128(a, b);
}
JM_INLINE __m128i words(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return _mm_setr_epi32((int)a, (int)b, (int)c, (int)d);
}

/* A round of AES on a subkey's words, rotated by one word, plus the subkey before. */
JM_INLINE __m128i nonlinear_step(__m128i from, __m128i before) {
    return _mm_aesenc_si128(_mm_shuffle_epi32(from, 0x39), before);
}

/* Subkey `i`, with the counter's words in four orders. */
JM_INLINE __m128i subkey_256(const __m128i *key, unsigned i, const uint8_t *block,
                             const __m128i counter[4]) {
    if (i < 4) return load(block + 16 * i);
    if (i / 4 % 2 == 0) { /* each word adds the word 3 before, the last word the new first */
        const __m128i sum = add(key[i - 4], _mm_srli_si128(key[i - 1], 4));
        return add(sum, _mm_slli_si128(sum, 12));
    }
    const __m128i made = nonlinear_step(key[i - 4], key[i - 1]);
    if (i == 4) return add(made, counter[0]);
    if (i == 14) return add(made, counter[1]);
    if (i == 21) return add(made, counter[2]);
    if (i == 31) return add(made, counter[3]);
    return made;
}

static void compress_256(uint32_t *value, const uint8_t *block, const uint64_t bits[2]) {
    const uint32_t low = (uint32_t)bits[0], high = (uint32_t)(bits[0] >> 32);
    const __m128i counter[4] = {words(low, ~high, 0, 0), words(0, high, ~low, 0),
                                words(0, 0, high, ~low), words(low, 0, 0, ~high)};
    const __m128i left = load(value), right = load(value + 4);
    __m128i key[KEYS_256 + 1];
    key[0] = load(block);
    key[KEYS_256] = _mm_setzero_si128();
    /* The half that enters the round function already has the round's first subkey added. */
    __m128i other = left, keyed = add(right, key[0]);
#pragma GCC unroll 12
    for (unsigned round = 0; round < 12; round++) {
        const unsigned first = 3 * round;
#pragma GCC unroll 3
        for (unsigned i = first + 1; i <= first + 3; i++)
            if (i < KEYS_256) key[i] = subkey_256(key, i, block, counter);
        const __m128i half = add(keyed, key[first]);
        keyed = _mm_aesenc_si128(keyed, key[first + 1]);
        keyed = _mm_aesenc_si128(keyed, key[first + 2]);
        keyed = _mm_aesenc_si128(keyed, add(other, key[first + 3]));
        other = half;
    }
    _mm_storeu_si128((void *)value, add(left, other));
    _mm_storeu_si128((void *)(value + 4), add(right, keyed));
}

JM_INLINE __m128i subkey_512(const __m128i *key, unsigned i, const uint8_t *block,
                             const __m128i counter[4]) {
    if (i < 8) return load(block + 16 * i);
    if (i / 8 % 2 == 0) /* each word adds the word 7 before */
        return add(key[i - 8], _mm_alignr_epi8(key[i - 1], key[i - 2], 4));
    const __m128i made = nonlinear_step(key[i - 8], key[i - 1]);
    if (i == 8) return add(made, counter[0]);
    if (i == 41) return add(made, counter[1]);
    if (i == 79) return add(made, counter[2]);
    if (i == 110) return add(made, counter[3]);
    return made;
}

/* Adds the result of four rounds of AES on `right` to `left`. */
JM_INLINE __m128i feistel(__m128i left, __m128i right, const __m128i key[4]) {
    __m128i x = add(right, key[0]);
    x = _mm_aesenc_si128(x, key[1]);
    x = _mm_aesenc_si128(x, key[2]);
    x = _mm_aesenc_si128(x, key[3]);
    return _mm_aesenc_si128(x, left);
}

static void compress_512(uint32_t *value, const uint8_t *block, const uint64_t bits[2]) {
    const uint32_t a = (uint32_t)bits[0], b = (uint32_t)(bits[0] >> 32);
    const uint32_t c = (uint32_t)bits[1], d = (uint32_t)(bits[1] >> 32);
    const __m128i counter[4] = {words(a, b, c, ~d), words(d, c, b, ~a), words(c, d, a, ~b),
                                words(b, a, d, ~c)};
    __m128i key[KEYS_512], quarter[4];
    for (unsigned i = 0; i < 4; i++) quarter[i] = load(value + 4 * i);
#pragma GCC unroll 14
    for (unsigned round = 0; round < 14; round++) {
        const unsigned first = 8 * round;
#pragma GCC unroll 8
        for (unsigned i = first; i < first + 8; i++) key[i] = subkey_512(key, i, block, counter);
        const __m128i new_b = feistel(quarter[0], quarter[1], key + first);
        const __m128i new_d = feistel(quarter[2], quarter[3], key + first + 4);
        quarter[0] = quarter[3];
        quarter[2] = quarter[1];
        quarter[1] = new_b;
        quarter[3] = new_d;
    }
    for (unsigned i = 0; i < 4; i++)
        _mm_storeu_si128((void *)(value + 4 * i), add(load(value + 4 * i), quarter[i]));
}

JM_SHAVITE3_VARIANT(aesni, JM_CPU_AESNI | JM_CPU_SSE41, true, "subkeys made where they are used")

#endif
