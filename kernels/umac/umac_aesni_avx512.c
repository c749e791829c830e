/* SPDX-License-Identifier: Apache-2.0
 *
 * UMAC over AES-128 (RFC 4418) in 512-bit registers, with AES-NI.
 * Technique: as in umac_aesni_avx2.c with four chunks. The last, incomplete four are loaded with a
 * mask.
 * State layout: as in umac_aesni_avx2.c. CPU features: AVX-512, BMI2, AES-NI, SSE4.1. Constant
 * time: no branch or address depends on anything but lengths; its source is checked by
 * tests/native/constant_time_instructions.c. Best for: everything else. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "umac/umac.h"

enum { CHUNKS = 4, STRIDE_BYTES = CHUNKS * UMAC_CHUNK_BYTES };

/* A register of NH's key. Each four chunks have iterations + 1: iteration n takes registers n and n
 * + 1. */
typedef __m512i umac_nh_key;
#define UMAC_NH_KEYS(iterations) (JM_UMAC_BLOCK_BYTES / STRIDE_BYTES * ((iterations) + 1))

/* The first halves of four chunks, and the second halves. */
#define UMAC_FIRST_HALVES(low, high) _mm512_shuffle_i64x2(low, high, 0x88)
#define UMAC_SECOND_HALVES(low, high) _mm512_shuffle_i64x2(low, high, 0xdd)

JM_INLINE void umac_nh_place(umac_nh_key *to, size_t index, const uint32_t words[4],
                             size_t iterations) {
    umac_nh_place_wide((uint8_t *)to, index, words, CHUNKS, iterations);
}

JM_INLINE void umac_nh_chunks(__m512i *sum, const umac_nh_key *key, __m512i low, __m512i high,
                              __mmask16 there, size_t iterations) {
    JM_HIDE("r", key); /* else it is loaded ahead for all blocks, and spilled */
    const __m512i first = UMAC_FIRST_HALVES(low, high), second = UMAC_SECOND_HALVES(low, high);
    for (size_t n = 0; n < iterations; n++) {
        const __m512i a = _mm512_maskz_add_epi32(there, first, key[n]);
        const __m512i b = _mm512_add_epi32(second, key[n + 1]);
        sum[n] = _mm512_add_epi64(sum[n], _mm512_mul_epu32(a, b));
        sum[n] = _mm512_add_epi64(
            sum[n], _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)));
    }
}

/* A mask of the first `bytes` bytes, 0 to 64. */
JM_INLINE __mmask64 umac_first_bytes(size_t bytes) {
    return _bzhi_u64(UINT64_MAX, (unsigned)bytes);
}

/* _mm512_reduce_add_epi64 adds signed numbers, which must not wrap. */
JM_INLINE uint64_t umac_sum(__m512i x) {
    const __m256i half =
        _mm256_add_epi64(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    const __m128i pair =
        _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair)));
}

JM_INLINE void umac_nh(uint64_t *sums, const umac_nh_key *key, const uint8_t *in, size_t bytes,
                       size_t iterations) {
    __m512i sum[UMAC_ITERATIONS_MAX];
    for (size_t n = 0; n < iterations; n++) sum[n] = _mm512_setzero_si512();
#pragma GCC unroll 1 /* else sums of eight strides are spilled */
    for (; bytes >= STRIDE_BYTES; bytes -= STRIDE_BYTES, in += STRIDE_BYTES, key += iterations + 1)
        umac_nh_chunks(sum, key, _mm512_loadu_si512(in), _mm512_loadu_si512(in + 64), UINT16_MAX,
                       iterations);
    if (bytes) {
        const size_t chunks = (bytes + UMAC_CHUNK_BYTES - 1) / UMAC_CHUNK_BYTES;
        const __m512i low = _mm512_maskz_loadu_epi8(umac_first_bytes(bytes), in);
        __m512i high = _mm512_setzero_si512();
        if (bytes > 64) high = _mm512_maskz_loadu_epi8(umac_first_bytes(bytes - 64), in + 64);
        umac_nh_chunks(sum, key, low, high, (__mmask16)((1u << 4 * chunks) - 1), iterations);
    }
    for (size_t n = 0; n < iterations; n++) sums[n] = umac_sum(sum[n]);
}

#include "umac/umac_mac.h"

enum { STACK_BYTES = 1408 };

JM_UMACS(aesni_avx512, JM_CPU_AVX512 | JM_CPU_BMI2 | JM_CPU_AESNI | JM_CPU_SSE41, true, STACK_BYTES,
         "32-bit products in 512-bit registers, AES instructions for the pad.")
#else
typedef int jm_umac_aesni_avx512_needs_x86_64;
#endif
