/* SPDX-License-Identifier: Apache-2.0
 *
 * JH over 128-bit vectors, one slice of jh.h in each: 7 rounds per pass.
 *
 * The includer defines, above:
 *     SUBSTITUTE(m0, m1, m2, m3, c)   the S-boxes of section 6 on vectors m0 to m3, selected by the
 *                                     constant vector c
 *     MIX3(a, b, c)                   a ^ b ^ c
 *     SWAP0(x) ... SWAP6(x)           x with bits 2^i apart swapped
 *     FEATURES, CONSTANT_TIME, NOTE */
#include "jh/jh.h"
#include "jh/jh_constants.h"

typedef struct {
    __m128i x0, x1, x2, x3, x4, x5, x6, x7;
} slices;

JM_INLINE void start(void *chain, const uint64_t words[16]) {
    memcpy(chain, words, JH_STATE_BYTES);
}

#define LAYER(s, r)                                                                                \
    do {                                                                                           \
        const __m128i even = _mm_load_si128((const __m128i *)jh_round_constants[r]);               \
        const __m128i odd = _mm_load_si128((const __m128i *)jh_round_constants[r] + 1);            \
        SUBSTITUTE((s).x0, (s).x2, (s).x4, (s).x6, even);                                          \
        SUBSTITUTE((s).x1, (s).x3, (s).x5, (s).x7, odd);                                           \
    } while (0)

#define ROUND(s, r, SWAP)                                                                          \
    do {                                                                                           \
        LAYER(s, r);                                                                               \
        (s).x1 = _mm_xor_si128((s).x1, (s).x2);                                                    \
        (s).x3 = _mm_xor_si128((s).x3, (s).x4);                                                    \
        (s).x5 = MIX3((s).x5, (s).x6, (s).x0);                                                     \
        (s).x7 = _mm_xor_si128((s).x7, (s).x0);                                                    \
        (s).x0 = _mm_xor_si128((s).x0, (s).x3);                                                    \
        (s).x2 = _mm_xor_si128((s).x2, (s).x5);                                                    \
        (s).x4 = MIX3((s).x4, (s).x7, (s).x1);                                                     \
        (s).x6 = _mm_xor_si128((s).x6, (s).x1);                                                    \
        (s).x1 = SWAP((s).x1);                                                                     \
        (s).x3 = SWAP((s).x3);                                                                     \
        (s).x5 = SWAP((s).x5);                                                                     \
        (s).x7 = SWAP((s).x7);                                                                     \
    } while (0)

JM_INLINE void absorb(void *chain, const uint8_t *blocks, size_t count, bool second_round) {
    const unsigned rounds = second_round ? JH_ROUNDS_R2 : JH_ROUNDS;
    __m128i *const at = chain;
    slices s = {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
    for (; count; count--, blocks += JH_BLOCK_BYTES) {
        const __m128i *const block = (const __m128i *)blocks;
        s.x0 = _mm_xor_si128(s.x0, _mm_loadu_si128(block));
        s.x1 = _mm_xor_si128(s.x1, _mm_loadu_si128(block + 1));
        s.x2 = _mm_xor_si128(s.x2, _mm_loadu_si128(block + 2));
        s.x3 = _mm_xor_si128(s.x3, _mm_loadu_si128(block + 3));
        for (unsigned r = 0; r < rounds; r += JH_SWAPS) {
            ROUND(s, r, SWAP0);
            ROUND(s, r + 1, SWAP1);
            ROUND(s, r + 2, SWAP2);
            ROUND(s, r + 3, SWAP3);
            ROUND(s, r + 4, SWAP4);
            ROUND(s, r + 5, SWAP5);
            ROUND(s, r + 6, SWAP6);
        }
        if (second_round) LAYER(s, JH_ROUNDS_R2);
        s.x4 = _mm_xor_si128(s.x4, _mm_loadu_si128(block));
        s.x5 = _mm_xor_si128(s.x5, _mm_loadu_si128(block + 1));
        s.x6 = _mm_xor_si128(s.x6, _mm_loadu_si128(block + 2));
        s.x7 = _mm_xor_si128(s.x7, _mm_loadu_si128(block + 3));
    }
    at[0] = s.x0, at[1] = s.x1, at[2] = s.x2, at[3] = s.x3;
    at[4] = s.x4, at[5] = s.x5, at[6] = s.x6, at[7] = s.x7;
}

JM_INLINE void output(const void *chain, uint8_t *digest, size_t digest_bytes) {
    memcpy(digest, (const uint8_t *)chain + JH_STATE_BYTES - digest_bytes, digest_bytes);
}

#define VARIANT_OF(name_, id_, digest_bytes_, variant_)                                            \
    JM_BLOCK_HASH_DEFINE(name_, id_, variant_, FEATURES, JM_TARGET_ANY, CONSTANT_TIME, NOTE,       \
                         JH_BLOCK_BYTES, digest_bytes_, name_##_hash)
