/* SPDX-License-Identifier: Apache-2.0
 *
 * The block function of SHA-256 (FIPS 180-4, section 6.2) in SHA extensions (Intel SDM vol. 2B,
 * SHA256RNDS2, SHA256MSG1, SHA256MSG2), for one block or for one block of each of two messages.
 *
 * Two rounds take one SHA256RNDS2, and each SHA256RNDS2 depends on the one before: a block takes at
 * least 32 times its latency. The schedule, four words at a time, is computed beside the rounds. A
 * second, independent message fills the cycles in which the first waits.
 */
#ifndef JM_SHA256_SHANI_ROUNDS_H
#define JM_SHA256_SHANI_ROUNDS_H

#include "sha256/sha256.h"

#include <immintrin.h>

#define SHANI __attribute__((target("sha,sse4.1,ssse3")))
#define SHA256_SHANI_FEATURES (JM_CPU_SHANI | JM_CPU_SSE41 | JM_CPU_SSSE3)

/* The two registers that SHA256RNDS2 takes, in the order of sha256.h. */
typedef struct {
    __m128i abef, cdgh;
} sha256_chaining;

/* Sixteen words of one message's schedule, four a register, the oldest in lane 0. */
typedef struct {
    __m128i w[4];
} sha256_words;

SHANI JM_INLINE __m128i sha256_swap(__m128i bytes) {
    return _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
}

SHANI JM_INLINE sha256_words sha256_load(const uint8_t *block) {
    const __m128i *in = (const __m128i *)block;
    return (sha256_words){{sha256_swap(_mm_loadu_si128(in)), sha256_swap(_mm_loadu_si128(in + 1)),
                           sha256_swap(_mm_loadu_si128(in + 2)),
                           sha256_swap(_mm_loadu_si128(in + 3))}};
}

/* The round constants, read where they are used. Without this GCC first copies most of them to the
 * stack, which takes time to write and to overwrite. */
SHANI JM_INLINE const uint32_t *sha256_constants(void) {
    const uint32_t *k = sha256_k;
    JM_HIDE("r", k);
    return k;
}

SHANI JM_INLINE __m128i sha256_words_and_k(__m128i words, const uint32_t *k, size_t group) {
    return _mm_add_epi32(words, _mm_load_si128((const __m128i *)(k + 4 * group)));
}

/* Four rounds; `wk` is four words of the schedule plus their constants. */
SHANI JM_INLINE void sha256_scheduled4(sha256_chaining *state, __m128i wk) {
    state->cdgh = _mm_sha256rnds2_epu32(state->cdgh, state->abef, wk);
    state->abef = _mm_sha256rnds2_epu32(state->abef, state->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* Rounds 4 * group to 4 * group + 3. */
SHANI JM_INLINE void sha256_rounds4(sha256_chaining *state, __m128i words, const uint32_t *k,
                                    size_t group) {
    sha256_scheduled4(state, sha256_words_and_k(words, k, group));
}

/* The schedule's part beside the rounds of `group`: SHA256MSG1 on the words of the group before,
 * and the words of the next group from those of the last four. */
SHANI JM_INLINE void sha256_schedule(__m128i *w, size_t group) {
    const __m128i newest = w[group % 4];
    __m128i *const next = &w[(group + 1) % 4], *const before = &w[(group + 3) % 4];
    if (group >= 3 && group < 15)
        *next =
            _mm_sha256msg2_epu32(_mm_add_epi32(*next, _mm_alignr_epi8(newest, *before, 4)), newest);
    if (group >= 1 && group < 13) *before = _mm_sha256msg1_epu32(*before, newest);
}

SHANI JM_INLINE void sha256_add(sha256_chaining *state, const sha256_chaining *before) {
    state->abef = _mm_add_epi32(state->abef, before->abef);
    state->cdgh = _mm_add_epi32(state->cdgh, before->cdgh);
}

SHANI JM_INLINE void sha256_block(sha256_chaining *state, sha256_words words) {
    const sha256_chaining before = *state;
    const uint32_t *const k = sha256_constants();
#pragma GCC unroll 16
    for (size_t group = 0; group < 16; group++) {
        sha256_rounds4(state, words.w[group % 4], k, group);
        sha256_schedule(words.w, group);
    }
    sha256_add(state, &before);
}

SHANI JM_INLINE void sha256_block_pair(sha256_chaining *state0, const uint8_t *block0,
                                       sha256_chaining *state1, const uint8_t *block1) {
    const sha256_chaining before0 = *state0, before1 = *state1;
    const uint32_t *const k = sha256_constants();
    sha256_words words0 = sha256_load(block0), words1 = sha256_load(block1);
#pragma GCC unroll 16
    for (size_t group = 0; group < 16; group++) {
        sha256_rounds4(state0, words0.w[group % 4], k, group);
        sha256_rounds4(state1, words1.w[group % 4], k, group);
        sha256_schedule(words0.w, group);
        sha256_schedule(words1.w, group);
    }
    sha256_add(state0, &before0);
    sha256_add(state1, &before1);
}

/* ---- a jm_compression's functions ---- */

static void sha256_shani_init(void *chain) {
    memcpy(chain, sha256_initial, sizeof sha256_initial);
}

SHANI JM_INLINE void sha256_shani_compress(void *chain, const uint8_t *blocks, size_t count) {
    sha256_chaining state = *(sha256_chaining *)chain;
    for (; count; count--, blocks += 64) sha256_block(&state, sha256_load(blocks));
    *(sha256_chaining *)chain = state;
}

/* Reversing all sixteen bytes of a register reverses the order of its words and makes each
 * big-endian: A B E F, C D G H. */
SHANI JM_INLINE void sha256_shani_output(const void *chain, uint8_t *digest) {
    const sha256_chaining *state = chain;
    const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    const __m128i abef = _mm_shuffle_epi8(state->abef, reverse);
    const __m128i cdgh = _mm_shuffle_epi8(state->cdgh, reverse);
    _mm_storeu_si128((__m128i *)digest, _mm_unpacklo_epi64(abef, cdgh));
    _mm_storeu_si128((__m128i *)(digest + 16), _mm_unpackhi_epi64(abef, cdgh));
}

static const jm_compression sha256_shani_compression = {
    .chain_bytes = sizeof(sha256_chaining),
    .block_bytes = 64,
    .digest_bytes = 32,
    .length_bytes = 8,
    .length_big_endian = true,
    .init = sha256_shani_init,
    .compress = sha256_shani_compress,
    .output = sha256_shani_output,
};

#endif
