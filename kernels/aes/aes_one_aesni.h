/* SPDX-License-Identifier: Apache-2.0
 * One block of AES-NI, inlined into a MAC that masks its output with it. The schedule is that of
 * jm_aes<bits>_aesni. */
#ifndef JM_AES_ONE_AESNI_H
#define JM_AES_ONE_AESNI_H

#include "aes/aes.h"
#include "common/secret.h"

#include <wmmintrin.h>

/* Rounds 1 to 9 and the last are the same for all keys; longer keys have 2 or 4 more between. */
JM_INLINE __m128i aes_one(const void *schedule, unsigned rounds, __m128i a) {
    const __m128i *key = schedule;
    a = _mm_xor_si128(a, _mm_loadu_si128(key));
    for (unsigned i = 1; i < 10; i++) a = _mm_aesenc_si128(a, _mm_loadu_si128(key + i));
    if (rounds > JM_AES128_ROUNDS)
        for (unsigned i = 10; i < 12; i++) a = _mm_aesenc_si128(a, _mm_loadu_si128(key + i));
    if (rounds > JM_AES192_ROUNDS)
        for (unsigned i = 12; i < 14; i++) a = _mm_aesenc_si128(a, _mm_loadu_si128(key + i));
    return _mm_aesenclast_si128(a, _mm_loadu_si128(key + rounds));
}

/* One block under a key of AES-128, in bytes at any address; `out` may be `in`. */
JM_INLINE void aes128_one_block(const void *schedule, const uint8_t in[16], uint8_t out[16]) {
    const __m128i block = _mm_loadu_si128((const __m128i *)in);
    _mm_storeu_si128((__m128i *)out, aes_one(schedule, JM_AES128_ROUNDS, block));
}

/* Two little-endian words in one store, which a load of all 16 bytes does not wait for. */
JM_INLINE void aes_store_words(uint8_t block[16], uint64_t low, uint64_t high) {
    _mm_storeu_si128((__m128i *)block, _mm_set_epi64x((long long)high, (long long)low));
}

#endif
