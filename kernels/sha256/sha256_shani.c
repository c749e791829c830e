/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2) with the SHA extensions (Intel SDM vol. 2B, SHA256RNDS2,
 * SHA256MSG1, SHA256MSG2).
 *
 * Technique: two rounds per SHA256RNDS2; the message schedule is computed four words at a time
 * beside the rounds, whose latency bounds the time of a block. One message.
 * State: the two registers that SHA256RNDS2 wants, which is the order of sha256.h; only `output`
 *   reorders them.
 * CPU: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code, no table is indexed by data. Valgrind (3.19) does not run
 *   these instructions: tests/native/constant_time_sha.c checks this source with them emulated.
 * Best for: one message at a time, of any length, where the CPU has it.
 */
#include "sha256/sha256.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SHANI __attribute__((target("sha,sse4.1,ssse3")))

typedef struct {
    __m128i abef, cdgh;
} chaining;

static void init(void *chain) {
    memcpy(chain, sha256_initial, sizeof sha256_initial);
}

/* Rounds i to i + 3, whose message words are in w0. */
#define ROUNDS4(i, w0)                                                                             \
    do {                                                                                           \
        __m128i wk = _mm_add_epi32(w0, _mm_load_si128((const __m128i *)(sha256_k + (i))));         \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);                                              \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));                     \
    } while (0)
/* The same; then w0 becomes the words sixteen later. w1 to w3 hold the twelve words between. */
#define ROUNDS4_SCHEDULE(i, w0, w1, w2, w3)                                                        \
    do {                                                                                           \
        ROUNDS4(i, w0);                                                                            \
        w0 = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));              \
        w0 = _mm_sha256msg2_epu32(w0, w3);                                                         \
    } while (0)

SHANI JM_INLINE void compress(void *chain, const uint8_t *blocks, size_t count) {
    chaining *state = chain;
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef = state->abef, cdgh = state->cdgh;
    for (; count; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        const __m128i *in = (const __m128i *)blocks;
        __m128i w0 = _mm_shuffle_epi8(_mm_loadu_si128(in), swap);
        __m128i w1 = _mm_shuffle_epi8(_mm_loadu_si128(in + 1), swap);
        __m128i w2 = _mm_shuffle_epi8(_mm_loadu_si128(in + 2), swap);
        __m128i w3 = _mm_shuffle_epi8(_mm_loadu_si128(in + 3), swap);
        for (size_t i = 0; i < 48; i += 16) {
            ROUNDS4_SCHEDULE(i, w0, w1, w2, w3);
            ROUNDS4_SCHEDULE(i + 4, w1, w2, w3, w0);
            ROUNDS4_SCHEDULE(i + 8, w2, w3, w0, w1);
            ROUNDS4_SCHEDULE(i + 12, w3, w0, w1, w2);
        }
        ROUNDS4(48, w0);
        ROUNDS4(52, w1);
        ROUNDS4(56, w2);
        ROUNDS4(60, w3);
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    state->abef = abef;
    state->cdgh = cdgh;
}

/* Reversing all sixteen bytes reverses the words and makes each big-endian: A B E F, C D G H. */
SHANI JM_INLINE void output(const void *chain, uint8_t *digest) {
    const chaining *state = chain;
    const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    const __m128i abef = _mm_shuffle_epi8(state->abef, reverse);
    const __m128i cdgh = _mm_shuffle_epi8(state->cdgh, reverse);
    _mm_storeu_si128((__m128i *)digest, _mm_unpacklo_epi64(abef, cdgh));
    _mm_storeu_si128((__m128i *)(digest + 16), _mm_unpackhi_epi64(abef, cdgh));
}

JM_SHA256_VARIANT(shani, JM_CPU_SHANI | JM_CPU_SSE41 | JM_CPU_SSSE3, SHANI, sizeof(chaining),
                  "x86 SHA extensions, one message at a time")

#endif
