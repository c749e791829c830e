/* SPDX-License-Identifier: Apache-2.0
 * AES-NI for the pads of UMAC (umac_mac.h). */
#ifndef JM_UMAC_PAD_AESNI_H
#define JM_UMAC_PAD_AESNI_H

#include "aes/aes_one_aesni.h"
#include "joulemark/cpu.h"

#define UMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define umac_cipher jm_aes128_aesni

JM_INLINE void umac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]) {
    const __m128i block = _mm_loadu_si128((const __m128i *)in);
    _mm_storeu_si128((__m128i *)out, aes_one(schedule, JM_AES128_ROUNDS, block));
}

JM_INLINE void umac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    aes_store_words(counter, low, high);
}

#endif
