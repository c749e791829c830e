/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA1 of a batch (RFC 2104 over FIPS 180-4) with the SHA extensions, four messages at once.
 *
 * Technique: two pairs of streams in turn (hmac/hmac_streams.h). The rounds of a pair are
 *   interleaved (sha1_shani_rounds.h): while one message waits for the latency of SHA1RNDS4, the
 *   other's rounds go on; the CPU begins the next pair's blocks before it has finished the last
 *   pair's.
 * State: the key states of sha1.h; per stream a chaining value and two blocks, on the stack; they
 *   are wiped at the end of the batch.
 * CPU: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code between decisions on lengths; checked as for sha1_shani.c.
 * Best for: 2 to about 12 messages at a time, and any batch on CPUs without AVX-512.
 */
#if defined(__x86_64__)
#include "hmac/hmac_streams.h"
#include "sha1/sha1_shani_rounds.h"

SHANI JM_INLINE void compress_pair(void *chain0, const uint8_t *blocks0, void *chain1,
                                   const uint8_t *blocks1, size_t count) {
    sha1_chaining state0 = *(sha1_chaining *)chain0, state1 = *(sha1_chaining *)chain1;
    for (; count; count--, blocks0 += 64, blocks1 += 64)
        sha1_block_pair(&state0, blocks0, &state1, blocks1);
    *(sha1_chaining *)chain0 = state0;
    *(sha1_chaining *)chain1 = state1;
}

/* The padding of 64 + 20 bytes (FIPS 180-4, section 5.1.1) behind the inner digest. */
SHANI JM_INLINE void outer_block(const void *chain, uint8_t *block) {
    const sha1_chaining *state = chain;
    __m128i *const lane = (__m128i *)block;
    const __m128i e_mark = _mm_or_si128(state->e, _mm_setr_epi32(0, 0, INT32_MIN, 0));
    _mm_storeu_si128(lane, sha1_swap(state->abcd));
    _mm_storeu_si128(lane + 1, sha1_swap(e_mark));
    _mm_storeu_si128(lane + 2, _mm_setzero_si128());
    _mm_storeu_si128(lane + 3, sha1_swap(_mm_setr_epi32((64 + 20) * 8, 0, 0, 0)));
}

static const jm_streams_code streams_code = {
    .compression = &sha1_shani_compression,
    .compress_pair = compress_pair,
    .outer_block = outer_block,
};

JM_HMAC_STREAMS(sha1, shani_x4, SHA1_SHANI_FEATURES, SHANI,
                "x86 SHA extensions, four messages at a time", 20, streams_code, jm_hmac_sha1_shani)

#endif
