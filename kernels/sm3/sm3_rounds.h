/* SPDX-License-Identifier: Apache-2.0
 *
 * SM3's compression function (GB/T 32905-2016, section 5.3) in general registers, written once for
 * the variants that differ in instructions.
 *
 * The includer defines nothing, and gets init, compress and output of a jm_compression. */
#ifndef JM_SM3_ROUNDS_H
#define JM_SM3_ROUNDS_H

#include "sm3/sm3.h"

static void init(void *chain) {
    memcpy(chain, sm3_initial, sizeof sm3_initial);
}

/* Section 4.2: a constant for the first sixteen rounds and another for the rest, rotated by the
 * round's number. */
JM_INLINE uint32_t constant(unsigned j) {
    const uint32_t t = j < 16 ? 0x79cc4519 : 0x7a879d8a;
    return j % 32 ? rotl32(t, j % 32) : t;
}

/* Section 5.3.2: replaces W[j] by W[j + 16]. */
JM_INLINE void extend(uint32_t w[16], unsigned j) {
    const uint32_t x = w[j % 16] ^ w[(j + 7) % 16] ^ rotl32(w[(j + 13) % 16], 15);
    w[j % 16] = x ^ rotl32(x, 15) ^ rotl32(x, 23) ^ rotl32(w[(j + 3) % 16], 7) ^ w[(j + 10) % 16];
}

/* Section 5.3.3. Words A to D are x[-j], x[1 - j], x[2 - j] and x[3 - j], modulo 4, and E to H are
 * the same words of y, so that no word is moved. */
JM_INLINE void one_round(uint32_t x[4], uint32_t y[4], uint32_t w, uint32_t w4, unsigned j) {
    const uint32_t a = x[(4 - j % 4) % 4], c = x[(6 - j % 4) % 4];
    const uint32_t e = y[(4 - j % 4) % 4], g = y[(6 - j % 4) % 4];
    uint32_t *const b = &x[(5 - j % 4) % 4], *const d = &x[(7 - j % 4) % 4];
    uint32_t *const f = &y[(5 - j % 4) % 4], *const h = &y[(7 - j % 4) % 4];
    const uint32_t a12 = rotl32(a, 12);
    const uint32_t ss1 = rotl32(a12 + (e + constant(j)), 7), ss2 = ss1 ^ a12;
    const uint32_t ff = j < 16 ? a ^ *b ^ c : (a & *b) | ((a | *b) & c);
    const uint32_t gg = j < 16 ? e ^ *f ^ g : (e & *f) | (~e & g);
    const uint32_t tt1 = (*d + (w ^ w4)) + ff + ss2, tt2 = (*h + w) + gg + ss1;
    *b = rotl32(*b, 9);
    *d = tt1;
    *f = rotl32(*f, 19);
    *h = tt2 ^ rotl32(tt2, 9) ^ rotl32(tt2, 17);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *const state = chain;
    uint32_t w[16];
    for (; count; count--, blocks += SM3_BLOCK_BYTES) {
        uint32_t x[4], y[4];
        for (size_t i = 0; i < 4; i++) x[i] = state[i], y[i] = state[4 + i];
        for (size_t i = 0; i < 16; i++) w[i] = load_be32(blocks + 4 * i);
#pragma GCC unroll 64
        for (unsigned j = 0; j < SM3_ROUNDS; j++) {
            if (j >= 12) extend(w, j + 4);
            one_round(x, y, w[j % 16], w[(j + 4) % 16], j);
        }
        for (size_t i = 0; i < 4; i++) state[i] ^= x[i], state[4 + i] ^= y[i];
    }
    jm_wipe(w, sizeof w);
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *state = chain;
    for (size_t i = 0; i < 8; i++) store_be32(digest + 4 * i, state[i]);
}

#endif
