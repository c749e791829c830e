/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions that luffa_lanes.h needs, for Luffa-256 in vectors of 128 bits with SSSE3 or more. */
#include <tmmintrin.h>

#define NAME luffa_256
#define ID "luffa-256"
#define DIGEST_BYTES 32
#define WIDTH 3
#define LANES 4
#define VEC __m128i
#define LOAD(from) _mm_load_si128((const __m128i *)(from))
#define STORE(to, x) _mm_store_si128((__m128i *)(to), x)
#define XOR(a, b) _mm_xor_si128(a, b)
#define AROUND(x, n)                                                                               \
    _mm_shuffle_epi32(x, (n) == 1 ? _MM_SHUFFLE(3, 0, 2, 1) : _MM_SHUFFLE(3, 1, 0, 2))

/* Multiplies a polynomial by x; `low` has its words 0 to 3, `high` its words 4 to 7. */
#define TWICE(low, high)                                                                           \
    do {                                                                                           \
        const __m128i top = _mm_shuffle_epi32(high, _MM_SHUFFLE(3, 3, 3, 3));                      \
        const __m128i carried = _mm_alignr_epi8(high, low, 12);                                    \
        low = _mm_alignr_epi8(low, top, 12);                                                       \
        low = _mm_xor_si128(low, _mm_and_si128(top, _mm_setr_epi32(0, -1, 0, -1)));                \
        high = _mm_xor_si128(carried, _mm_and_si128(top, _mm_setr_epi32(-1, 0, 0, 0)));            \
    } while (0)

#define TRANSPOSE(m, a, b, c)                                                                      \
    do {                                                                                           \
        const __m128i ab = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);           \
        const __m128i cc = _mm_unpacklo_epi32(c, c), cc_high = _mm_unpackhi_epi32(c, c);           \
        (m)[0] = _mm_unpacklo_epi64(ab, cc);                                                       \
        (m)[1] = _mm_unpackhi_epi64(ab, cc);                                                       \
        (m)[2] = _mm_unpacklo_epi64(ab_high, cc_high);                                             \
        (m)[3] = _mm_unpackhi_epi64(ab_high, cc_high);                                             \
    } while (0)

#define SPREAD(m, block)                                                                           \
    do {                                                                                           \
        const __m128i swap = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);  \
        __m128i low = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block)), swap);           \
        __m128i high = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block) + 1), swap);      \
        const __m128i low1 = low, high1 = high;                                                    \
        TWICE(low, high);                                                                          \
        const __m128i low2 = low, high2 = high;                                                    \
        TWICE(low, high);                                                                          \
        TRANSPOSE(m, low1, low2, low);                                                             \
        TRANSPOSE((m) + 4, high1, high2, high);                                                    \
    } while (0)
