/* SPDX-License-Identifier: Apache-2.0
 *
 * The block function of SHA-1 (FIPS 180-4, section 6.1) in SHA extensions (Intel SDM vol. 2B,
 * SHA1RNDS4, SHA1NEXTE, SHA1MSG1, SHA1MSG2), for one block or for one block of each of two
 * messages.
 *
 * Four rounds take one SHA1RNDS4, and each SHA1RNDS4 depends on the one before: a block takes at
 * least 20 times its latency. The schedule, four words at a time, is computed beside the rounds.
 * Other, independent messages fill the cycles in which the first waits.
 */
#ifndef JM_SHA1_SHANI_ROUNDS_H
#define JM_SHA1_SHANI_ROUNDS_H

#include "sha1/sha1.h"

#include <immintrin.h>

#define SHANI __attribute__((target("sha,sse4.1,ssse3")))
#define SHA1_SHANI_FEATURES (JM_CPU_SHANI | JM_CPU_SSE41 | JM_CPU_SSSE3)

/* A chaining value in two registers, in the order of sha1.h. */
typedef struct {
    __m128i abcd, e;
} sha1_chaining;

/* Sixteen words of one message's schedule, four a register, the oldest in lane 3. */
typedef struct {
    __m128i w[4];
} sha1_words;

SHANI JM_INLINE __m128i sha1_swap(__m128i bytes) {
    return _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

SHANI JM_INLINE sha1_words sha1_load(const uint8_t *block) {
    const __m128i *in = (const __m128i *)block;
    return (sha1_words){{sha1_swap(_mm_loadu_si128(in)), sha1_swap(_mm_loadu_si128(in + 1)),
                         sha1_swap(_mm_loadu_si128(in + 2)), sha1_swap(_mm_loadu_si128(in + 3))}};
}

/* SHA1RNDS4 with the function and the constant of rounds 4 * group to 4 * group + 3: the
 * instruction takes the function's number as an immediate. */
SHANI JM_INLINE __m128i sha1_rnds4(__m128i abcd, __m128i e_w, size_t group) {
    switch (group / 5) {
    case 0:
        return _mm_sha1rnds4_epu32(abcd, e_w, 0);
    case 1:
        return _mm_sha1rnds4_epu32(abcd, e_w, 1);
    case 2:
        return _mm_sha1rnds4_epu32(abcd, e_w, 2);
    default:
        return _mm_sha1rnds4_epu32(abcd, e_w, 3);
    }
}

/* Rounds 4 * group to 4 * group + 3. `e` holds E itself before the first group. After a group it
 * holds the A of four rounds before, which SHA1NEXTE rotates into the next group's E. */
SHANI JM_INLINE void sha1_rounds4(sha1_chaining *state, __m128i words, size_t group) {
    const __m128i e_w =
        group ? _mm_sha1nexte_epu32(state->e, words) : _mm_add_epi32(state->e, words);
    state->e = state->abcd;
    state->abcd = sha1_rnds4(state->abcd, e_w, group);
}

/* The schedule's part beside the rounds of `group`: makes the words of the next group from those of
 * the last four, in three steps spread over three groups. */
SHANI JM_INLINE void sha1_schedule(__m128i *w, size_t group) {
    const __m128i newest = w[group % 4];
    __m128i *const next = &w[(group + 1) % 4], *const second = &w[(group + 2) % 4],
                   *const third = &w[(group + 3) % 4];
    if (group >= 3 && group < 19) *next = _mm_sha1msg2_epu32(*next, newest);
    if (group >= 2 && group < 18) *second = _mm_xor_si128(*second, newest);
    if (group >= 1 && group < 17) *third = _mm_sha1msg1_epu32(*third, newest);
}

SHANI JM_INLINE void sha1_add(sha1_chaining *state, const sha1_chaining *before) {
    state->e = _mm_sha1nexte_epu32(state->e, before->e);
    state->abcd = _mm_add_epi32(state->abcd, before->abcd);
}

/* All rounds of SHACAL-1 on the block `state`, with the words of a schedule made before, group by
 * group; the chaining value is not added at the end. */
SHANI JM_INLINE void sha1_scheduled_rounds(sha1_chaining *state, const __m128i words[20]) {
#pragma GCC unroll 20
    for (size_t group = 0; group < 20; group++) sha1_rounds4(state, words[group], group);
    state->e = _mm_sha1nexte_epu32(state->e, _mm_setzero_si128());
}

SHANI JM_INLINE void sha1_block(sha1_chaining *state, const uint8_t *block) {
    const sha1_chaining before = *state;
    sha1_words words = sha1_load(block);
#pragma GCC unroll 20
    for (size_t group = 0; group < 20; group++) {
        sha1_rounds4(state, words.w[group % 4], group);
        sha1_schedule(words.w, group);
    }
    sha1_add(state, &before);
}

SHANI JM_INLINE void sha1_block_pair(sha1_chaining *state0, const uint8_t *block0,
                                     sha1_chaining *state1, const uint8_t *block1) {
    const sha1_chaining before0 = *state0, before1 = *state1;
    sha1_words words0 = sha1_load(block0), words1 = sha1_load(block1);
#pragma GCC unroll 20
    for (size_t group = 0; group < 20; group++) {
        sha1_rounds4(state0, words0.w[group % 4], group);
        sha1_rounds4(state1, words1.w[group % 4], group);
        sha1_schedule(words0.w, group);
        sha1_schedule(words1.w, group);
    }
    sha1_add(state0, &before0);
    sha1_add(state1, &before1);
}

/* ---- a jm_compression's functions ---- */

static void sha1_shani_init(void *chain) {
    memcpy(chain, sha1_initial, sizeof sha1_initial);
}

SHANI JM_INLINE void sha1_shani_compress(void *chain, const uint8_t *blocks, size_t count) {
    sha1_chaining state = *(sha1_chaining *)chain;
    for (; count; count--, blocks += 64) sha1_block(&state, blocks);
    *(sha1_chaining *)chain = state;
}

SHANI JM_INLINE void sha1_shani_output(const void *chain, uint8_t *digest) {
    const sha1_chaining *state = chain;
    _mm_storeu_si128((__m128i *)digest, sha1_swap(state->abcd));
    store_be32(digest + 16, (uint32_t)_mm_extract_epi32(state->e, 3));
}

static const jm_compression sha1_shani_compression = {
    .chain_bytes = sizeof(sha1_chaining),
    .block_bytes = 64,
    .digest_bytes = 20,
    .length_bytes = 8,
    .length_big_endian = true,
    .init = sha1_shani_init,
    .compress = sha1_shani_compress,
    .output = sha1_shani_output,
};

#endif
