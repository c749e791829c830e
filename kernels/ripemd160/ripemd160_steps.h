/* SPDX-License-Identifier: Apache-2.0
 *
 * RIPEMD-160's compression function (appendix A of its paper) in general registers, written once
 * for the variants that differ in instructions.
 *
 * The includer defines nothing, and gets init, compress and output of a jm_compression.
 *
 * The steps of the two lines alternate, and each line fills the time in which the other waits for
 * its last step. */
#ifndef JM_RIPEMD160_STEPS_H
#define JM_RIPEMD160_STEPS_H

#include "ripemd160/ripemd160.h"

static void init(void *chain) {
    memcpy(chain, ripemd160_initial, sizeof ripemd160_initial);
}

JM_INLINE uint32_t mixed(unsigned round, uint32_t x, uint32_t y, uint32_t z) {
    switch (round) {
    case 0:
        return x ^ y ^ z;
    case 1:
        return (x & y) | (~x & z);
    case 2:
        return (x | ~y) ^ z;
    case 3:
        return (x & z) | (y & ~z);
    default:
        return x ^ (y | ~z);
    }
}

/* Words A to E are v[-j] to v[4 - j], modulo 5, so that no word is moved. The right line takes the
 * functions of the left line from the last to the first. */
JM_INLINE void step(uint32_t v[5], const uint32_t w[16], unsigned line, unsigned j) {
    uint32_t *const a = &v[(80 - j) % 5], *const c = &v[(82 - j) % 5];
    const uint32_t b = v[(81 - j) % 5], d = v[(83 - j) % 5], e = v[(84 - j) % 5];
    const unsigned round = j / 16;
    *a += w[ripemd160_r[line][j]] + ripemd160_k[line][round];
    *a += mixed(line ? 4 - round : round, b, *c, d);
    *a = rotl32(*a, ripemd160_s[line][j]) + e;
    *c = rotl32(*c, 10);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *const h = chain;
    uint32_t w[16];
    for (; count; count--, blocks += RIPEMD160_BLOCK_BYTES) {
        uint32_t left[5], right[5];
        for (size_t i = 0; i < 5; i++) left[i] = right[i] = h[i];
        for (size_t i = 0; i < 16; i++) w[i] = load_le32(blocks + 4 * i);
#pragma GCC unroll 80
        for (unsigned j = 0; j < RIPEMD160_STEPS; j++) {
            step(left, w, 0, j);
            step(right, w, 1, j);
        }
        const uint32_t h0 = h[0];
        for (size_t i = 0; i < 5; i++)
            h[i] = (i < 4 ? h[i + 1] : h0) + left[(i + 2) % 5] + right[(i + 3) % 5];
    }
    jm_wipe(w, sizeof w);
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *h = chain;
    for (size_t i = 0; i < 5; i++) store_le32(digest + 4 * i, h[i]);
}

#endif
