/* SPDX-License-Identifier: Apache-2.0
 * One block of GHASH in one SSE register, bytes reversed (gmac.h), and AES-NI for the mask of the
 * tag. */
#ifndef JM_GMAC_BLOCKS_H
#define JM_GMAC_BLOCKS_H

#include "aes/aes_one_aesni.h"
#include "common/secret.h"
#include "gmac/gmac.h"

#include <tmmintrin.h>
#include <wmmintrin.h>

JM_INLINE __m128i gmac_reverse(__m128i a) {
    return _mm_shuffle_epi8(a, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* Sums of products before reduction: low + middle x^64 + high x^128. */
typedef struct {
    __m128i low, middle, high;
} gmac_product;

JM_INLINE void gmac_multiply_add(gmac_product *d, __m128i a, __m128i b) {
    d->low = _mm_xor_si128(d->low, _mm_clmulepi64_si128(a, b, 0x00));
    d->high = _mm_xor_si128(d->high, _mm_clmulepi64_si128(a, b, 0x11));
    d->middle = _mm_xor_si128(d->middle, _mm_clmulepi64_si128(a, b, 0x01));
    d->middle = _mm_xor_si128(d->middle, _mm_clmulepi64_si128(a, b, 0x10));
}

/* Multiplies by x^-128. Twice, adding the modulus times the lowest 64 bits makes those bits
 * zero. */
JM_INLINE __m128i gmac_reduce(gmac_product d) {
    const __m128i upper = _mm_set_epi64x(0, (long long)UINT64_C(0xc200000000000000));
    __m128i low = _mm_xor_si128(d.low, _mm_slli_si128(d.middle, 8));
    const __m128i high = _mm_xor_si128(d.high, _mm_srli_si128(d.middle, 8));
    low = _mm_xor_si128(_mm_shuffle_epi32(low, 0x4e), _mm_clmulepi64_si128(low, upper, 0x00));
    low = _mm_xor_si128(_mm_shuffle_epi32(low, 0x4e), _mm_clmulepi64_si128(low, upper, 0x00));
    return _mm_xor_si128(high, low);
}

JM_INLINE __m128i gmac_multiply(__m128i a, __m128i b) {
    gmac_product d = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
    gmac_multiply_add(&d, a, b);
    return gmac_reduce(d);
}

/* H x, from H in the byte order of AES. */
JM_INLINE __m128i gmac_first_power(const uint8_t h[16]) {
    const __m128i a = gmac_reverse(_mm_loadu_si128((const __m128i *)h));
    const __m128i carries = _mm_srli_epi64(a, 63);
    const __m128i doubled = _mm_or_si128(_mm_add_epi64(a, a), _mm_slli_si128(carries, 8));
    const __m128i over = _mm_sub_epi64(_mm_setzero_si128(), _mm_srli_si128(carries, 8));
    const __m128i modulus = _mm_set_epi64x((long long)UINT64_C(0xc200000000000000), 1);
    return _mm_xor_si128(doubled, _mm_and_si128(_mm_unpacklo_epi64(over, over), modulus));
}

/* `first` points to power 1 of H x; powers 2 to 8 lie before it in memory. */
JM_INLINE void gmac_absorb(const __m128i *first, uint8_t sum[16], const uint8_t *in,
                           size_t blocks) {
    __m128i a = gmac_reverse(_mm_loadu_si128((const __m128i *)sum));
    while (blocks) {
        const size_t now = blocks < 8 ? blocks : 8;
        gmac_product d = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
        for (size_t i = 0; i < now; i++, in += JM_GMAC_BLOCK_BYTES) {
            const __m128i block = gmac_reverse(_mm_loadu_si128((const __m128i *)in));
            gmac_multiply_add(&d, i ? block : _mm_xor_si128(block, a),
                              first[1 - (ptrdiff_t)(now - i)]);
        }
        a = gmac_reduce(d);
        blocks -= now;
    }
    _mm_storeu_si128((__m128i *)sum, gmac_reverse(a));
}

static inline void encrypt(const jm_implementation *cipher, const void *schedule,
                           const uint8_t in[16], uint8_t out[16]) {
    const unsigned rounds = (unsigned)cipher->key_bytes / 4 + 6; /* FIPS 197, section 5: Nk + 6 */
    const __m128i a = aes_one(schedule, rounds, _mm_loadu_si128((const __m128i *)in));
    _mm_storeu_si128((__m128i *)out, a);
}

static inline void store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    aes_store_words(counter, low, high);
}

#endif
