/* SPDX-License-Identifier: Apache-2.0
 *
 * One AES block in one SSE register, with the rounds of AES-NI (Intel SDM vol. 2A, AESENC and
 * AESENCLAST); the same names as in aes_blocks_vaes.h, which explains them. */
#ifndef JM_AES_BLOCKS_H
#define JM_AES_BLOCKS_H

#include "common/secret.h"
#include "common/words.h"

#include <stdbool.h>
#include <wmmintrin.h>

#define AES_BLOCKS 1u
#define AES_BLOCKS_PLACE "v" /* `where_` of JM_HIDE, common/secret.h */

typedef __m128i aes_blocks;

JM_INLINE aes_blocks aes_blocks_zero(void) {
    return _mm_setzero_si128();
}
JM_INLINE aes_blocks aes_blocks_xor(aes_blocks x, aes_blocks y) {
    return _mm_xor_si128(x, y);
}
JM_INLINE aes_blocks aes_blocks_xor3(aes_blocks x, aes_blocks y, aes_blocks z) {
    return _mm_xor_si128(x, _mm_xor_si128(y, z));
}
JM_INLINE aes_blocks aes_blocks_round(aes_blocks x, aes_blocks key) {
    return _mm_aesenc_si128(x, key);
}
JM_INLINE aes_blocks aes_blocks_last_round(aes_blocks x, aes_blocks key) {
    return _mm_aesenclast_si128(x, key);
}
JM_INLINE aes_blocks aes_blocks_select(uint32_t mask, aes_blocks x, aes_blocks y) {
    return mask ? x : y;
}
JM_INLINE aes_blocks aes_blocks_broadcast(const void *from) {
    return _mm_loadu_si128((const __m128i *)from);
}
JM_INLINE aes_blocks aes_blocks_replace(uint32_t mask, const void *from, aes_blocks x) {
    return mask ? aes_blocks_broadcast(from) : x;
}
JM_INLINE aes_blocks aes_blocks_gather(const uint8_t *const from[AES_BLOCKS], size_t offset) {
    return aes_blocks_broadcast(from[0] + offset);
}
JM_INLINE void aes_blocks_load_chunks(const uintptr_t from[AES_BLOCKS], size_t offset,
                                      aes_blocks to[4]) {
    for (size_t s = 0; s < 4; s++)
        to[s] = aes_blocks_broadcast((const void *)(from[0] + offset + 16 * s));
}

JM_INLINE unsigned aes_blocks_cmac_tail(const uint8_t *from, size_t bytes, const uint8_t *complete,
                                        const uint8_t *padded, uint8_t chunk[64]) {
    const size_t before_last = bytes ? (bytes - 1) / 16 : 0, rest = bytes - 16 * before_last;
    __m128i *to = (__m128i *)chunk;
    for (size_t i = 0; i < before_last; i++) to[i] = aes_blocks_broadcast(from + 16 * i);
    if (rest == 16) {
        const __m128i block = aes_blocks_broadcast(from + 16 * before_last);
        to[before_last] = _mm_xor_si128(block, aes_blocks_broadcast(complete));
    } else {
        uint64_t word[2];
        load_le128_partial(rest ? from + 16 * before_last : from, rest, 0x80, word);
        const __m128i block = _mm_set_epi64x((long long)word[1], (long long)word[0]);
        to[before_last] = _mm_xor_si128(block, aes_blocks_broadcast(padded));
    }
    return (unsigned)before_last + 1;
}

#endif
