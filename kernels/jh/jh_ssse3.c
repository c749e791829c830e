/* SPDX-License-Identifier: Apache-2.0
 *
 * JH (specification of 2011-01-16, sections 4 to 6; second round: of 2009-09-15) with SSSE3.
 *
 * Technique: bit slices of 128 elements, a vector each. One message.
 * State: the slices of jh.h in order.
 * CPU: SSSE3.
 * Constant time: logic, shifts and shuffles with constants only; checked by
 * tests/native/constant_time.c.
 * Best for: x86-64 CPUs without GFNI.
 */
#if defined(__x86_64__)

#include <tmmintrin.h>

#include "jh/jh.h"

#define MIX3(a, b, c) _mm_xor_si128(_mm_xor_si128(b, c), a)

#define SUBSTITUTE(m0, m1, m2, m3, c)                                                              \
    do {                                                                                           \
        const __m128i ones = _mm_set1_epi32(-1);                                                   \
        m3 = _mm_xor_si128(m3, ones);                                                              \
        m0 = _mm_xor_si128(m0, _mm_andnot_si128(m2, c));                                           \
        const __m128i t = _mm_xor_si128(c, _mm_and_si128(m0, m1));                                 \
        m0 = _mm_xor_si128(m0, _mm_and_si128(m2, m3));                                             \
        m3 = _mm_xor_si128(m3, _mm_andnot_si128(m1, m2));                                          \
        m1 = _mm_xor_si128(m1, _mm_and_si128(m0, m2));                                             \
        m2 = _mm_xor_si128(m2, _mm_andnot_si128(m3, m0));                                          \
        m0 = _mm_xor_si128(m0, _mm_or_si128(m1, m3));                                              \
        m3 = _mm_xor_si128(m3, _mm_and_si128(m1, m2));                                             \
        m1 = _mm_xor_si128(m1, _mm_and_si128(t, m0));                                              \
        m2 = _mm_xor_si128(m2, t);                                                                 \
    } while (0)

/* Swaps bits within bytes; `mask` has the bits that move up. */
#define SWAP_BITS(x, mask, distance)                                                               \
    _mm_or_si128(_mm_slli_epi16(_mm_and_si128(x, _mm_set1_epi8(mask)), distance),                  \
                 _mm_and_si128(_mm_srli_epi16(x, distance), _mm_set1_epi8(mask)))
#define SWAP0(x) SWAP_BITS(x, 0x55, 1)
#define SWAP1(x) SWAP_BITS(x, 0x33, 2)
#define SWAP2(x) SWAP_BITS(x, 0x0f, 4)
#define SWAP3(x)                                                                                   \
    _mm_shuffle_epi8(x, _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14))
#define SWAP4(x)                                                                                   \
    _mm_shuffle_epi8(x, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
#define SWAP5(x) _mm_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1))
#define SWAP6(x) _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2))

#define FEATURES JM_CPU_SSSE3
#define CONSTANT_TIME true
#define NOTE "SSSE3 vectors of 128 bits"

#include "jh/jh_vectors.h"

#define VARIANT(name_, id_, digest_bytes_, r2_)                                                    \
    JH_HASH(name_, id_, digest_bytes_, r2_)                                                        \
    VARIANT_OF(name_, id_, digest_bytes_, ssse3)
JH_HASHES(VARIANT)

#endif
