/* SPDX-License-Identifier: Apache-2.0
 *
 * VMAC over AES-128 (draft-krovetz-vmac-01) with MULX and AES-NI.
 * Technique: MULX leaves the flags alone, so that sums of products keep their carries there; the
 * pad's rounds go on beside them. State layout: as in vmac_portable.c, with the schedule of AES-NI.
 * CPU features: AES-NI, SSE4.1, BMI2. Constant time: as in vmac_portable.c. Best for: everything
 * else. */
#if defined(__x86_64__)
#include "aes/aes_one_aesni.h"
#include "joulemark/cpu.h"

#define VMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define vmac_cipher jm_aes128_aesni

static inline void vmac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]) {
    const __m128i block = _mm_loadu_si128((const __m128i *)in);
    _mm_storeu_si128((__m128i *)out, aes_one(schedule, JM_AES128_ROUNDS, block));
}

static inline void vmac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    aes_store_words(counter, low, high);
}

#include "vmac/vmac_mac.h"

enum { STACK_BYTES = 512 };

JM_VMACS(aesni_bmi2, JM_CPU_AESNI | JM_CPU_SSE41 | JM_CPU_BMI2, STACK_BYTES,
         "64-bit products with MULX, AES instructions for the pad.")
#else
typedef int jm_vmac_aesni_bmi2_needs_x86_64;
#endif
