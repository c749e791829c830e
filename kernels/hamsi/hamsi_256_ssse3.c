/* SPDX-License-Identifier: Apache-2.0
 *
 * Hamsi-256 (specification for round 2, section 2) with SSSE3.
 *
 * Technique: a row of the state in a vector of four words; a block is expanded bit by bit, with
 * masks, beside the rounds of the block before. One message. State: the words of the chaining
 * value. CPU: SSSE3. Constant time: logic, shifts and shuffles with constants only; checked by
 * tests/native/constant_time.c.
 * Best for: x86-64 CPUs without GFNI.
 */
#if defined(__x86_64__)

#include <emmintrin.h>

#include "hamsi/hamsi.h"
#include "hamsi/hamsi_constants.h"

#define XOR(a, b) _mm_xor_si128(a, b)
#define ROTL(x, count) _mm_or_si128(_mm_slli_epi32(x, count), _mm_srli_epi32(x, 32 - (count)))

/* The S-box as in hamsi_portable.c. */
#define SUBSTITUTE(a, b, c, d)                                                                     \
    do {                                                                                           \
        const __m128i first = a;                                                                   \
        a = XOR(_mm_and_si128(a, c), d);                                                           \
        c = XOR(c, XOR(b, a));                                                                     \
        d = XOR(_mm_or_si128(d, first), b);                                                        \
        const __m128i t = XOR(first, c), middle = d;                                               \
        b = XOR(_mm_or_si128(d, t), a);                                                            \
        a = XOR(t, _mm_and_si128(a, middle));                                                      \
        d = XOR(a, _mm_set1_epi32(-1));                                                            \
        a = XOR(a, XOR(middle, b));                                                                \
        const __m128i third = a;                                                                   \
        a = c;                                                                                     \
        c = third;                                                                                 \
    } while (0)

#define DIFFUSE(a, b, c, d)                                                                        \
    do {                                                                                           \
        a = ROTL(a, 13);                                                                           \
        c = ROTL(c, 3);                                                                            \
        b = ROTL(XOR(b, XOR(a, c)), 1);                                                            \
        d = ROTL(XOR(d, XOR(c, _mm_slli_epi32(a, 3))), 7);                                         \
        a = ROTL(XOR(a, XOR(b, d)), 5);                                                            \
        c = ROTL(XOR(c, XOR(d, _mm_slli_epi32(b, 7))), 22);                                        \
    } while (0)

#define XOR3(a, b, c) XOR(a, XOR(b, c))
#include "hamsi/hamsi_256_permute.h"

/* The expansion's two halves: u + q and v + p + q. Here u and v are the sums of the rows' halves
 * over all symbols whose lower bit is 1, and p and q the sums over all symbols whose upper bit is
 * 1. */
JM_INLINE void expand(__m128i *m, const uint8_t *block) {
    const __m128i bits = _mm_set1_epi32((int)load_le32(block));
    __m128i lower_low = _mm_setzero_si128(), lower_high = lower_low;
    __m128i upper_low = lower_low, upper_high = lower_low;
    for (int i = 0; i < 16; i++) {
        const __m128i low = _mm_load_si128((const __m128i *)hamsi_256_code[i]);
        const __m128i high = _mm_load_si128((const __m128i *)hamsi_256_code[i] + 1);
        const __m128i lower = _mm_srai_epi32(_mm_slli_epi32(bits, 31 - 2 * i), 31);
        const __m128i upper = _mm_srai_epi32(_mm_slli_epi32(bits, 30 - 2 * i), 31);
        lower_low = XOR(lower_low, _mm_and_si128(low, lower));
        lower_high = XOR(lower_high, _mm_and_si128(high, lower));
        upper_low = XOR(upper_low, _mm_and_si128(low, upper));
        upper_high = XOR(upper_high, _mm_and_si128(high, upper));
    }
    m[0] = XOR(lower_low, upper_high);
    m[1] = XOR(lower_high, XOR(upper_low, upper_high));
}

static void hamsi_256_blocks(void *chain, const uint8_t *blocks, size_t count, bool ends) {
    __m128i low = _mm_load_si128(chain), high = _mm_load_si128((__m128i *)chain + 1);
    for (; count; count--, blocks += HAMSI_256_BLOCK_BYTES) {
        __m128i m[2];
        expand(m, blocks);
        __m128i r[4] = {_mm_unpacklo_epi64(m[0], low), _mm_unpackhi_epi64(low, m[0]),
                        _mm_unpacklo_epi64(m[1], high), _mm_unpackhi_epi64(high, m[1])};
        if (ends && count == 1)
            permute(r, HAMSI_256_LAST_ROUNDS, 1);
        else
            permute(r, HAMSI_256_ROUNDS, 0);
        low = XOR(low, r[0]);
        high = XOR(high, r[2]);
    }
    _mm_store_si128(chain, low);
    _mm_store_si128((__m128i *)chain + 1, high);
}

HAMSI_HASH(hamsi_256, "hamsi-256", ssse3, JM_CPU_SSSE3, true, "SSSE3 vectors of 128 bits",
           HAMSI_256_BLOCK_BYTES, HAMSI_256_WORDS, 32)

#endif
