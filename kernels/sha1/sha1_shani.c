/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1) with the SHA extensions (Intel SDM vol. 2B, SHA1RNDS4,
 * SHA1NEXTE, SHA1MSG1, SHA1MSG2).
 *
 * Technique: four rounds per SHA1RNDS4; the message schedule is computed four words at a time
 * beside the rounds, whose latency bounds the time of a block. One message.
 * State: two registers, in the order of sha1.h; only `output` reorders them.
 * CPU: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code, no table is indexed by data. Valgrind (3.19) does not run
 *   these instructions: tests/native/constant_time_sha.c checks this source with them emulated.
 * Best for: one message at a time, of any length, where the CPU has it.
 */
#include "sha1/sha1.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SHANI __attribute__((target("sha,sse4.1,ssse3")))

typedef struct {
    __m128i abcd, e;
} chaining;

static void init(void *chain) {
    memcpy(chain, sha1_initial, sizeof sha1_initial);
}

/* Rounds 4 * n to 4 * n + 3 for n >= 1; w0 holds their message words. SHA1NEXTE rotates the A of
 * four rounds ago, kept in `before`, into this group's E. */
#define ROUNDS4(n, w0)                                                                             \
    do {                                                                                           \
        const __m128i e_w = _mm_sha1nexte_epu32(before, w0);                                       \
        before = abcd;                                                                             \
        abcd = _mm_sha1rnds4_epu32(abcd, e_w, (n) / 5);                                            \
    } while (0)
/* Replaces the words w0, sixteen older than those computed. */
#define SCHEDULE(w0, w1, w2, w3)                                                                   \
    w0 = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w0, w1), w2), w3)
#define ROUNDS4_SCHEDULE(n, w0, w1, w2, w3)                                                        \
    ROUNDS4(n, w0);                                                                                \
    SCHEDULE(w0, w1, w2, w3)

SHANI JM_INLINE void compress(void *chain, const uint8_t *blocks, size_t count) {
    chaining *state = chain;
    const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i abcd = state->abcd, e = state->e;
    for (; count; count--, blocks += 64) {
        const __m128i abcd_before = abcd, e_before = e;
        const __m128i *in = (const __m128i *)blocks;
        __m128i w0 = _mm_shuffle_epi8(_mm_loadu_si128(in), reverse);
        __m128i w1 = _mm_shuffle_epi8(_mm_loadu_si128(in + 1), reverse);
        __m128i w2 = _mm_shuffle_epi8(_mm_loadu_si128(in + 2), reverse);
        __m128i w3 = _mm_shuffle_epi8(_mm_loadu_si128(in + 3), reverse);
        __m128i before = abcd;
        abcd = _mm_sha1rnds4_epu32(abcd, _mm_add_epi32(e, w0), 0);
        SCHEDULE(w0, w1, w2, w3);
        ROUNDS4_SCHEDULE(1, w1, w2, w3, w0);
        ROUNDS4_SCHEDULE(2, w2, w3, w0, w1);
        ROUNDS4_SCHEDULE(3, w3, w0, w1, w2);
        ROUNDS4_SCHEDULE(4, w0, w1, w2, w3);
        ROUNDS4_SCHEDULE(5, w1, w2, w3, w0);
        ROUNDS4_SCHEDULE(6, w2, w3, w0, w1);
        ROUNDS4_SCHEDULE(7, w3, w0, w1, w2);
        ROUNDS4_SCHEDULE(8, w0, w1, w2, w3);
        ROUNDS4_SCHEDULE(9, w1, w2, w3, w0);
        ROUNDS4_SCHEDULE(10, w2, w3, w0, w1);
        ROUNDS4_SCHEDULE(11, w3, w0, w1, w2);
        ROUNDS4_SCHEDULE(12, w0, w1, w2, w3);
        ROUNDS4_SCHEDULE(13, w1, w2, w3, w0);
        ROUNDS4_SCHEDULE(14, w2, w3, w0, w1);
        ROUNDS4_SCHEDULE(15, w3, w0, w1, w2);
        ROUNDS4(16, w0);
        ROUNDS4(17, w1);
        ROUNDS4(18, w2);
        ROUNDS4(19, w3);
        e = _mm_sha1nexte_epu32(before, e_before);
        abcd = _mm_add_epi32(abcd, abcd_before);
    }
    state->abcd = abcd;
    state->e = e;
}

SHANI JM_INLINE void output(const void *chain, uint8_t *digest) {
    const chaining *state = chain;
    const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    _mm_storeu_si128((__m128i *)digest, _mm_shuffle_epi8(state->abcd, reverse));
    store_be32(digest + 16, (uint32_t)_mm_extract_epi32(state->e, 3));
}

JM_SHA1_VARIANT(shani, JM_CPU_SHANI | JM_CPU_SSE41 | JM_CPU_SSSE3, SHANI, sizeof(chaining),
                "x86 SHA extensions, one message at a time")

#endif
