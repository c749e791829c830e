/* SPDX-License-Identifier: Apache-2.0
 * AES-NI for the pads of VMAC (vmac_mac.h). */
#ifndef JM_VMAC_PAD_AESNI_H
#define JM_VMAC_PAD_AESNI_H

#include "aes/aes_one_aesni.h"
#include "joulemark/cpu.h"

#define VMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define vmac_cipher jm_aes128_aesni

JM_INLINE void vmac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]) {
    const __m128i block = _mm_loadu_si128((const __m128i *)in);
    _mm_storeu_si128((__m128i *)out, aes_one(schedule, JM_AES128_ROUNDS, block));
}

JM_INLINE void vmac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    aes_store_words(counter, low, high);
}

#endif
