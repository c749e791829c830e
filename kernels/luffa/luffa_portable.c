/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa (specification version 2.0, sections 3 and 4) in portable C.
 *
 * Technique: the S-boxes of 32 bit positions at once, as logic on words. One message.
 * State: blocks[j][k] is word k of block j.
 * CPU: any.
 * Constant time: logic, shifts and rotations only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "luffa/luffa.h"
#include "luffa/luffa_constants.h"

typedef uint32_t block[LUFFA_WORDS];

/* Section 4.2: the S-box 13, 14, 0, 1, 5, 10, 7, 6, 11, 3, 9, 12, 15, 8, 2, 4, whose lowest bits
 * are in r0 and highest in r3. */
JM_INLINE void sub_crumb(uint32_t *r0, uint32_t *r1, uint32_t *r2, uint32_t *r3) {
    const uint32_t first = *r0;
    *r0 |= *r1;
    *r2 ^= *r3;
    *r1 = ~*r1;
    *r0 ^= *r3;
    *r3 &= first;
    *r1 ^= *r3;
    *r3 ^= *r2;
    *r2 &= *r0;
    *r0 = ~*r0;
    *r2 ^= *r1;
    *r1 |= *r3;
    *r3 ^= *r2;
    *r2 &= *r1;
    const uint32_t last = first ^ *r1;
    *r1 ^= *r0;
    *r0 = last;
}

/* Section 4.3. */
JM_INLINE void mix_word(uint32_t *x, uint32_t *y) {
    *y ^= *x;
    *x = rotl32(*x, 2) ^ *y;
    *y = rotl32(*y, 14) ^ *x;
    *x = rotl32(*x, 10) ^ *y;
    *y = rotl32(*y, 1);
}

/* Sections 4.1 and 4.5: permutation Q_j, with its tweak. */
JM_INLINE void permute(block a, unsigned j) {
    for (unsigned k = 4; j && k < 8; k++) a[k] = rotl32(a[k], j);
    for (unsigned step = 0; step < LUFFA_STEPS; step++) {
        sub_crumb(&a[0], &a[1], &a[2], &a[3]);
        sub_crumb(&a[5], &a[6], &a[7], &a[4]);
        for (unsigned k = 0; k < 4; k++) mix_word(&a[k], &a[k + 4]);
        a[0] ^= luffa_step_constants[step][0][j];
        a[4] ^= luffa_step_constants[step][1][j];
    }
}

/* Section 3.2: a polynomial of degree 7, of words, times x modulo x^8 + x^4 + x^3 + x + 1. */
JM_INLINE void twice(block a) {
    const uint32_t highest = a[7];
    for (unsigned k = 7; k > 0; k--) a[k] = a[k - 1];
    a[0] = highest;
    a[1] ^= highest;
    a[3] ^= highest;
    a[4] ^= highest;
}

JM_INLINE void add(block to, const block from) {
    for (unsigned k = 0; k < LUFFA_WORDS; k++) to[k] ^= from[k];
}

/* Replaces each block by twice itself plus its neighbour, which is `ahead` blocks further on. */
JM_INLINE void add_neighbours(block blocks[], unsigned width, unsigned ahead) {
    block before[LUFFA_WIDTH_MAX];
    memcpy(before, blocks, width * sizeof(block));
    for (unsigned j = 0; j < width; j++) {
        twice(blocks[j]);
        add(blocks[j], before[(j + ahead) % width]);
    }
}

JM_INLINE void sum_of(const block blocks[], unsigned width, block sum) {
    memset(sum, 0, sizeof(block));
    for (unsigned j = 0; j < width; j++) add(sum, blocks[j]);
}

/* Section 3.2.1 for width 3, 3.2.3 for width 5: the message injection. */
JM_INLINE void inject(block blocks[], unsigned width, block message) {
    block sum;
    sum_of((const block *)blocks, width, sum);
    twice(sum);
    for (unsigned j = 0; j < width; j++) add(blocks[j], sum);
    if (width == 5) {
        add_neighbours(blocks, width, 1);
        add_neighbours(blocks, width, 4);
    }
    for (unsigned j = 0; j < width; j++) {
        add(blocks[j], message);
        twice(message);
    }
}

JM_INLINE void start(void *chain, unsigned width) {
    block *blocks = chain;
    for (unsigned j = 0; j < width; j++)
        for (unsigned k = 0; k < LUFFA_WORDS; k++) blocks[j][k] = luffa_start[k][j];
}

JM_INLINE void absorb(void *chain, const uint8_t *bytes, size_t count, unsigned width) {
    block message;
    for (; count; count--, bytes += LUFFA_BLOCK_BYTES) {
        for (unsigned k = 0; k < LUFFA_WORDS; k++) message[k] = load_be32(bytes + 4 * k);
        inject(chain, width, message);
        for (unsigned j = 0; j < width; j++) permute(((block *)chain)[j], j);
    }
    jm_wipe(message, sizeof message);
}

#define VARIANT(name_, id_, width_, digest_bytes_)                                                 \
    static void name_##_init(void *chain) {                                                        \
        start(chain, width_);                                                                      \
    }                                                                                              \
    static void name_##_absorb(void *chain, const uint8_t *blocks, size_t count) {                 \
        absorb(chain, blocks, count, width_);                                                      \
    }                                                                                              \
    static void name_##_sum(const void *chain, uint32_t words[LUFFA_WORDS]) {                      \
        sum_of(chain, width_, words);                                                              \
    }                                                                                              \
    LUFFA_HASH(name_, id_, portable, 0, true, "portable C", (width_) * sizeof(block), digest_bytes_)
VARIANT(luffa_256, "luffa-256", 3, 32)
VARIANT(luffa_512, "luffa-512", 5, 64)
