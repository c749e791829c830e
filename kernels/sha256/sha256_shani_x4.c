/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA256 of a batch (RFC 2104 over FIPS 180-4) with the SHA extensions, four messages at once.
 *
 * Technique: two pairs of streams in turn (hmac/hmac_streams.h). The rounds of a pair are
 *   interleaved (sha256_shani_rounds.h): while one message waits for the latency of SHA256RNDS2,
 *   the other's rounds go on; the CPU begins the next pair's blocks before it has finished the last
 *   pair's.
 * State: the key states of sha256.h; per stream a chaining value and two blocks, on the stack; they
 *   are wiped at the end of the batch.
 * CPU: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code between decisions on lengths; checked as sha256_shani.c is.
 * Best for: 2 to 12 messages at a time, and any batch on CPUs without AVX-512.
 */
#if defined(__x86_64__)
#include "hmac/hmac_streams.h"
#include "sha256/sha256_shani_rounds.h"

SHANI JM_INLINE void compress_pair(void *chain0, const uint8_t *blocks0, void *chain1,
                                   const uint8_t *blocks1, size_t count) {
    sha256_chaining state0 = *(sha256_chaining *)chain0, state1 = *(sha256_chaining *)chain1;
    for (; count; count--, blocks0 += 64, blocks1 += 64)
        sha256_block_pair(&state0, blocks0, &state1, blocks1);
    *(sha256_chaining *)chain0 = state0;
    *(sha256_chaining *)chain1 = state1;
}

/* The padding of 64 + 32 bytes (FIPS 180-4, section 5.1.1) behind the inner digest. */
SHANI JM_INLINE void outer_block(const void *chain, uint8_t *block) {
    __m128i *const lane = (__m128i *)block;
    sha256_shani_output(chain, block);
    _mm_storeu_si128(lane + 2, _mm_cvtsi32_si128(0x80));
    _mm_storeu_si128(lane + 3, sha256_swap(_mm_setr_epi32(0, 0, 0, (64 + 32) * 8)));
}

static const jm_streams_code streams_code = {
    .compression = &sha256_shani_compression,
    .compress_pair = compress_pair,
    .outer_block = outer_block,
};

JM_HMAC_STREAMS(sha256, shani_x4, SHA256_SHANI_FEATURES, SHANI,
                "x86 SHA extensions, four messages at a time", 32, streams_code,
                jm_hmac_sha256_shani)

#endif
