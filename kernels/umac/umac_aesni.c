/* SPDX-License-Identifier: Apache-2.0
 *
 * UMAC over AES-128 (RFC 4418) in 128-bit registers, with AES-NI.
 * Technique: PMULUDQ multiplies two words of four, and two more after a shift.
 * State layout: as in umac_portable.c, with the schedule of AES-NI. CPU features: AES-NI, SSE4.1.
 * Constant time: as in umac_portable.c. Best for: CPUs without AVX2. */
#if defined(__x86_64__)
#include <emmintrin.h>

#include "umac/umac.h"

typedef __m128i umac_nh_key;
#define UMAC_NH_KEYS UMAC_NH_BLOCKS

JM_INLINE void umac_nh_place(umac_nh_key *to, size_t index, const uint32_t words[4],
                             size_t iterations) {
    (void)iterations;
    to[index] = _mm_loadu_si128((const __m128i *)words);
}

JM_INLINE void umac_nh_chunk(__m128i *sum, const umac_nh_key *key, const uint8_t *in,
                             size_t iterations) {
    JM_HIDE("r", key); /* else it is loaded ahead for all blocks, and spilled */
    const __m128i first = _mm_loadu_si128((const __m128i *)in);
    const __m128i second = _mm_loadu_si128((const __m128i *)(in + 16));
    for (size_t n = 0; n < iterations; n++) {
        const __m128i a = _mm_add_epi32(first, key[n]), b = _mm_add_epi32(second, key[n + 1]);
        sum[n] = _mm_add_epi64(sum[n], _mm_mul_epu32(a, b));
        sum[n] = _mm_add_epi64(sum[n], _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32)));
    }
}

JM_INLINE void umac_nh(uint64_t *sums, const umac_nh_key *key, const uint8_t *in, size_t bytes,
                       size_t iterations) {
    __m128i sum[UMAC_ITERATIONS_MAX];
    for (size_t n = 0; n < iterations; n++) sum[n] = _mm_setzero_si128();
    for (; bytes >= UMAC_CHUNK_BYTES; bytes -= UMAC_CHUNK_BYTES, in += UMAC_CHUNK_BYTES, key += 2)
        umac_nh_chunk(sum, key, in, iterations);
    if (bytes) {
        uint8_t padded[UMAC_CHUNK_BYTES];
        jm_pad_block(padded, sizeof padded, in, bytes, 0);
        umac_nh_chunk(sum, key, padded, iterations);
    }
    for (size_t n = 0; n < iterations; n++)
        sums[n] =
            (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(sum[n], _mm_unpackhi_epi64(sum[n], sum[n])));
}

#include "umac/umac_mac.h"

enum { STACK_BYTES = 1152 };

JM_UMACS(aesni, JM_CPU_AESNI | JM_CPU_SSE41, true, STACK_BYTES,
         "32-bit products in 128-bit registers, AES instructions for the pad.")
#else
typedef int jm_umac_aesni_needs_x86_64;
#endif
