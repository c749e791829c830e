/* SPDX-License-Identifier: Apache-2.0
 *
 * SIMD-256 and SIMD-512 ("SIMD is a Message Digest", version 1.1) in vectors, with AVX-512's
 * rotations, choices and permutations.
 *
 * Technique: a block fills the lower half of the transform's inputs. So the outputs of even and of
 *   odd index are two transforms of half the size, of the inputs and of the inputs times powers;
 *   they lie in the two halves of each vector. Each is computed as rows and columns: over the rows
 *   by sums of vectors with roots that are powers of two; then products with powers and a
 *   transposition; then over the rows again. Residues are signed words of 16 bits, whose bounds
 *   stand at each function. The steps are one vector per row of the state. The expansion does not
 *   wait for the state. One message.
 * State: the specification's A, B, C and D.
 * CPU: AVX-512 F, BW and VL.
 * Constant time: no branch and no address depends on the message; its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message at a time.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "simd/simd.h"
#include "simd/simd_powers.h"

enum { ROWS = 8 };

/* A number with the residue of x, for |x| <= 32767: at most 128 + |x| / 256 in magnitude. */
JM_INLINE __m256i reduced(__m256i x) {
    const __m256i quotient = _mm256_mulhrs_epi16(x, _mm256_set1_epi16(128));
    return _mm256_sub_epi16(x, _mm256_mullo_epi16(quotient, _mm256_set1_epi16(257)));
}

JM_INLINE __m256i times_powers(__m256i x, const int16_t power[16]) {
    return _mm256_mullo_epi16(x, _mm256_load_si256((const __m256i *)power));
}

/* Transforms over four rows with the root 16. The second and the fourth output contain (x1 - x3) *
 * 16; x1 - x3 is at most 510 in magnitude, or is reduced first if `large`. */
JM_INLINE void transform_4(__m256i *to0, __m256i *to1, __m256i *to2, __m256i *to3,
                           const __m256i x[4], bool large) {
    const __m256i sum = _mm256_add_epi16(x[0], x[2]), other = _mm256_add_epi16(x[1], x[3]);
    const __m256i rest = _mm256_sub_epi16(x[0], x[2]);
    __m256i turned = _mm256_sub_epi16(x[1], x[3]);
    if (large) turned = reduced(turned);
    turned = _mm256_slli_epi16(turned, 4);
    *to0 = _mm256_add_epi16(sum, other);
    *to1 = _mm256_add_epi16(rest, turned);
    *to2 = _mm256_sub_epi16(sum, other);
    *to3 = _mm256_sub_epi16(rest, turned);
}

/* A transform over eight rows with the root 4. Inputs of at most 129 give outputs of at most 21930;
 * inputs of transform_16's odd half, of at most 137 to 193, give outputs of at most 27779 (all in
 * magnitude). */
JM_INLINE void transform_8(__m256i to[ROWS], size_t stride, const __m256i x[ROWS]) {
    __m256i even[4], odd[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        even[i] = _mm256_add_epi16(x[i], x[i + 4]);
        odd[i] = _mm256_slli_epi16(_mm256_sub_epi16(x[i], x[i + 4]), 2 * i);
    }
    transform_4(to, to + 2 * stride, to + 4 * stride, to + 6 * stride, even, false);
    transform_4(to + stride, to + 3 * stride, to + 5 * stride, to + 7 * stride, odd, true);
}

/* A transform over sixteen rows with the root 2; inputs of at most 129 in magnitude. */
JM_INLINE void transform_16(__m256i x[2 * ROWS]) {
    __m256i even[ROWS], odd[ROWS];
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++) {
        __m256i difference = _mm256_sub_epi16(x[i], x[i + ROWS]);
        if (i == ROWS - 1) difference = reduced(difference);
        even[i] = reduced(_mm256_add_epi16(x[i], x[i + ROWS]));
        odd[i] = reduced(_mm256_slli_epi16(difference, i));
    }
    transform_8(x, 2, even);
    transform_8(x + 1, 2, odd);
}

/* Transposes the matrix in each half. */
JM_INLINE void transpose(__m256i x[ROWS]) {
    __m256i a[ROWS], b[ROWS];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        a[2 * i] = _mm256_unpacklo_epi16(x[2 * i], x[2 * i + 1]);
        a[2 * i + 1] = _mm256_unpackhi_epi16(x[2 * i], x[2 * i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi32(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi32(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi32(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi32(a[i + 1], a[i + 3]);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        x[2 * i] = _mm256_unpacklo_epi64(b[i], b[i + 4]);
        x[2 * i + 1] = _mm256_unpackhi_epi64(b[i], b[i + 4]);
    }
}

/* Eight bytes of the block as words in both halves, times powers; at most 129 in magnitude. */
JM_INLINE __m256i input_row(const uint8_t *bytes, const int16_t power[16]) {
    const __m256i twice = _mm256_set1_epi64x((long long)load_le64(bytes));
    const __m256i words = _mm256_unpacklo_epi8(twice, _mm256_setzero_si256());
    return reduced(reduced(times_powers(words, power)));
}

/* The second half of a transform: takes rows after the first half, of at most 27779 in magnitude,
 * to residues from -128 to 128. */
JM_INLINE void finish_transform(__m256i x[ROWS], const int16_t power[ROWS][16]) {
    const __m256i most = _mm256_set1_epi16(128), least = _mm256_set1_epi16(-128);
    const __m256i modulus = _mm256_set1_epi16(257);
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++)
        x[i] = reduced(reduced(times_powers(reduced(x[i]), power[i])));
    transpose(x);
    __m256i y[ROWS];
    transform_8(y, 1, x);
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++) {
        __m256i values = reduced(y[i]); /* at most 214 */
        const __mmask16 above = _mm256_cmpgt_epi16_mask(values, most);
        const __mmask16 below = _mm256_cmplt_epi16_mask(values, least);
        values = _mm256_mask_sub_epi16(values, above, values, modulus);
        x[i] = _mm256_mask_add_epi16(values, below, values, modulus);
    }
}

/* Pairs of neighbouring outputs, from eight outputs of even index followed by eight of odd
 * index. */
JM_INLINE __m256i neighbours(__m256i y) {
    const __m256i order = _mm256_set_epi16(15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0);
    return _mm256_permutexvar_epi16(order, _mm256_mullo_epi16(y, _mm256_set1_epi16(SIMD_FACTOR_1)));
}

/* Four lanes ------------------------------------------------------------------------------ */

JM_INLINE void expand_4(__m128i w[SIMD_EXPANDED], const uint8_t *block, bool last) {
    const __m256i factor = _mm256_set1_epi16(SIMD_FACTOR_2);
    __m256i x[ROWS], y[ROWS];
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++) x[i] = input_row(block + 8 * i, simd_twist_256[i]);
    x[7] = reduced(
        _mm256_add_epi16(x[7], _mm256_load_si256((const __m256i *)simd_ones_256[last ? 1 : 0])));
    transform_8(y, 1, x);
    finish_transform(y, simd_twiddle_256);
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++) _mm256_storeu_si256((__m256i *)(w + 2 * i), neighbours(y[i]));
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        const __m256i near = _mm256_mullo_epi16(y[i], factor);
        const __m256i far = _mm256_mullo_epi16(y[i + 4], factor);
        const __m256i first = _mm256_unpacklo_epi16(near, far);
        const __m256i second = _mm256_unpackhi_epi16(near, far);
        w[16 + 2 * i] = _mm256_castsi256_si128(first);
        w[17 + 2 * i] = _mm256_castsi256_si128(second);
        w[24 + 2 * i] = _mm256_extracti128_si256(first, 1);
        w[25 + 2 * i] = _mm256_extracti128_si256(second, 1);
    }
}

JM_INLINE __m128i exchanged_4(__m128i turned, size_t exchange) {
    if (exchange == 1) return _mm_shuffle_epi32(turned, 0xb1);
    if (exchange == 2) return _mm_shuffle_epi32(turned, 0x4e);
    return _mm_shuffle_epi32(turned, 0x1b);
}

#define LANES 4
#define VECTOR(name_) _mm_##name_
#define VECTOR_TYPE __m128i
#define BITS 128
#include "simd/simd_steps.h"

/* Eight lanes ----------------------------------------------------------------------------- */

JM_INLINE void expand_8(__m256i w[SIMD_EXPANDED], const uint8_t *block, bool last) {
    const __m256i factor = _mm256_set1_epi16(SIMD_FACTOR_2);
    __m256i x[2 * ROWS];
#pragma GCC unroll 16
    for (size_t i = 0; i < 2 * ROWS; i++) x[i] = input_row(block + 8 * i, simd_twist_512[i]);
    x[15] = reduced(
        _mm256_add_epi16(x[15], _mm256_load_si256((const __m256i *)simd_ones_512[last ? 1 : 0])));
    transform_16(x);
    finish_transform(x, simd_twiddle_512);
    finish_transform(x + ROWS, simd_twiddle_512 + ROWS);
    /* Outputs from 16 i on of each half are in x[i] and x[8 + i]. */
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++) {
        w[2 * i] = neighbours(x[i]);
        w[2 * i + 1] = neighbours(x[i + ROWS]);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++) {
        const size_t at = i / 2 + (i % 2) * ROWS;
        const __m256i near = _mm256_mullo_epi16(x[at], factor);
        const __m256i far = _mm256_mullo_epi16(x[at + 4], factor);
        const __m256i first = _mm256_unpacklo_epi16(near, far);
        const __m256i second = _mm256_unpackhi_epi16(near, far);
        w[16 + i] = _mm256_permute2x128_si256(first, second, 0x20);
        w[24 + i] = _mm256_permute2x128_si256(first, second, 0x31);
    }
}

JM_INLINE __m256i exchanged_8(__m256i turned, size_t exchange) {
    if (exchange == 1) return _mm256_shuffle_epi32(turned, 0xb1);
    if (exchange == 2) return _mm256_shuffle_epi32(turned, 0x4e);
    if (exchange == 3) return _mm256_shuffle_epi32(turned, 0x1b);
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_permutevar8x32_epi32(turned,
                                       _mm256_xor_si256(lanes, _mm256_set1_epi32((int)exchange)));
}

#define LANES 8
#define VECTOR(name_) _mm256_##name_
#define VECTOR_TYPE __m256i
#define BITS 256
#include "simd/simd_steps.h"

JM_SIMD_VARIANT(avx512, JM_CPU_AVX512, true, "lanes in a vector, the transform in 16-bit words")

#endif
