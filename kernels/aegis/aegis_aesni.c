/* SPDX-License-Identifier: Apache-2.0
 *
 * AEGISMAC-128L and AEGISMAC-256 (draft-irtf-cfrg-aegis-aead-18, section 8) with AES-NI.
 * Technique: AESENC is AESRound. The blocks of the state are registers, whose rounds do not wait
 * for each other: an update takes the latency of one round. State layout: the state after Init, and
 * the key; a chaining value is a state. CPU features: AES-NI, SSE4.1. Constant time: the
 * instructions take constant time; branches depend on lengths alone. Checked by
 * tests/native/constant_time.c. Functions have an outer and an inner half (common/block_mac.h).
 * Best for: one message of any length on any x86-64 CPU with AES-NI. */
#if defined(__x86_64__)
#include "common/secret.h"
#include "joulemark/kernel.h"

#include <stddef.h>
#include <stdint.h>
#include <wmmintrin.h>

typedef __m128i aegis_block;

JM_INLINE aegis_block aegis_load(const uint8_t *from) {
    return _mm_loadu_si128((const __m128i *)from);
}
JM_INLINE void aegis_store(uint8_t *to, aegis_block block) {
    _mm_storeu_si128((__m128i *)to, block);
}
JM_INLINE aegis_block aegis_xor(aegis_block a, aegis_block b) {
    return _mm_xor_si128(a, b);
}
JM_INLINE aegis_block aegis_words(uint64_t low, uint64_t high) {
    return _mm_set_epi64x((long long)high, (long long)low);
}
JM_INLINE void aegis_rounds(aegis_block *to, const aegis_block *from, const aegis_block *key,
                            size_t count) {
    JM_UNROLL(8)
    for (size_t i = 0; i < count; i++) to[i] = _mm_aesenc_si128(from[i], key[i]);
}

#include "aegis/aegis_mac.h"

enum { STACK_BYTES = 768 };

JM_AEGIS_MACS(aesni, JM_CPU_AESNI | JM_CPU_SSE41, STACK_BYTES,
              "AES instructions, the state in registers.")
#else
typedef int jm_aegis_aesni_needs_x86_64;
#endif
