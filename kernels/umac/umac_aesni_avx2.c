/* SPDX-License-Identifier: Apache-2.0
 *
 * UMAC over AES-128 (RFC 4418) in 256-bit registers, with AES-NI.
 * Technique: of two chunks one register holds the first halves, another the second halves. If the
 * last chunk is alone, the first half of the missing chunk is cleared, so that its product is 0.
 * State layout: as in umac_portable.c, with the schedule of AES-NI; NH's key is kept in the order
 * of these registers, which takes iterations + 1 registers for each two chunks. CPU features: AVX2,
 * BMI2, AES-NI, SSE4.1. Constant time: as in umac_portable.c. Best for: CPUs without AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "umac/umac.h"

enum { CHUNKS = 2, STRIDE_BYTES = CHUNKS * UMAC_CHUNK_BYTES };

/* A register of NH's key. Each two chunks have iterations + 1: iteration n takes registers n and n
 * + 1. */
typedef __m256i umac_nh_key;
#define UMAC_NH_KEYS(iterations) (JM_UMAC_BLOCK_BYTES / STRIDE_BYTES * ((iterations) + 1))

JM_INLINE __m256i umac_two(const void *low, const void *high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

JM_INLINE void umac_nh_place(umac_nh_key *to, size_t index, const uint32_t words[4],
                             size_t iterations) {
    umac_nh_place_wide((uint8_t *)to, index, words, CHUNKS, iterations);
}

JM_INLINE void umac_nh_chunks(__m256i *sum, const umac_nh_key *key, const uint8_t *in,
                              __m256i there, size_t iterations) {
    JM_HIDE("r", key); /* else it is loaded ahead for all blocks, and spilled */
    const __m256i first = umac_two(in, in + 32), second = umac_two(in + 16, in + 48);
    for (size_t n = 0; n < iterations; n++) {
        const __m256i a = _mm256_and_si256(_mm256_add_epi32(first, key[n]), there);
        const __m256i b = _mm256_add_epi32(second, key[n + 1]);
        sum[n] = _mm256_add_epi64(sum[n], _mm256_mul_epu32(a, b));
        sum[n] = _mm256_add_epi64(
            sum[n], _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)));
    }
}

JM_INLINE void umac_nh(uint64_t *sums, const umac_nh_key *key, const uint8_t *in, size_t bytes,
                       size_t iterations) {
    const __m256i all = _mm256_set1_epi64x(-1);
    __m256i sum[UMAC_ITERATIONS_MAX];
    for (size_t n = 0; n < iterations; n++) sum[n] = _mm256_setzero_si256();
    for (; bytes >= STRIDE_BYTES; bytes -= STRIDE_BYTES, in += STRIDE_BYTES, key += iterations + 1)
        umac_nh_chunks(sum, key, in, all, iterations);
    if (bytes) {
        _Alignas(32) uint8_t padded[STRIDE_BYTES];
        jm_pad_block(padded, sizeof padded, in, bytes, 0);
        const __m256i one = _mm256_set_epi64x(0, 0, -1, -1);
        umac_nh_chunks(sum, key, padded, bytes > UMAC_CHUNK_BYTES ? all : one, iterations);
    }
    for (size_t n = 0; n < iterations; n++) {
        const __m128i two =
            _mm_add_epi64(_mm256_castsi256_si128(sum[n]), _mm256_extracti128_si256(sum[n], 1));
        sums[n] = (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
    }
}

#include "umac/umac_mac.h"

enum { STACK_BYTES = 1280 };

JM_UMACS(aesni_avx2, JM_CPU_AVX2 | JM_CPU_BMI2 | JM_CPU_AESNI | JM_CPU_SSE41, true, STACK_BYTES,
         "32-bit products in 256-bit registers, AES instructions for the pad.")
#else
typedef int jm_umac_aesni_avx2_needs_x86_64;
#endif
