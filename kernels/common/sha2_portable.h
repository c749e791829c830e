/* SPDX-License-Identifier: Apache-2.0
 *
 * The SHA-2 compression function in portable C, written once for both word sizes (FIPS 180-4,
 * sections 6.2.2 and 6.4.2).
 *
 * The includer defines, above:
 *     word                      uint32_t or uint64_t
 *     LOAD, STORE               big-endian load and store of a word
 *     AT(letter)                where word A to H lies in a chaining value
 *     ROUNDS, K, INITIAL        number of rounds, their constants, the initial chaining value
 *     BIG_SIGMA0, BIG_SIGMA1, SIGMA0, SIGMA1   sections 4.1.2 and 4.1.3
 * It gets the static functions init, compress and output of a jm_compression. */
#ifndef JM_SHA2_PORTABLE_H
#define JM_SHA2_PORTABLE_H

/* Added from left to right, so that W[t], for which the sum waits, comes last (4.7 % of
 * HMAC-SHA-256 at 64 KiB on an AMD EPYC, family 25, model 17; GCC 12.2, 2026-11-24). */
#define PLUS_WORD_AND_K(sum, j) ((sum) + K[i + (j)] + (i ? next_word(w, j) : w[j]))
#include "common/sha2_rounds.h"

static void init(void *chain) {
    memcpy(chain, INITIAL, sizeof INITIAL);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    word *state = chain;
    word w[16];
    for (; count; count--, blocks += 16 * sizeof(word)) {
        for (size_t t = 0; t < 16; t++) w[t] = LOAD(blocks + sizeof(word) * t);
        word a = state[AT(A)], b = state[AT(B)], c = state[AT(C)], d = state[AT(D)];
        word e = state[AT(E)], f = state[AT(F)], g = state[AT(G)], h = state[AT(H)];
        for (size_t i = 0; i < ROUNDS; i += 16) {
            EIGHT_ROUNDS(0);
            EIGHT_ROUNDS(8);
        }
        state[AT(A)] += a, state[AT(B)] += b, state[AT(C)] += c, state[AT(D)] += d;
        state[AT(E)] += e, state[AT(F)] += f, state[AT(G)] += g, state[AT(H)] += h;
    }
    jm_wipe(w, sizeof w);
}

static void output(const void *chain, uint8_t *digest) {
    const word *state = chain;
    static const uint8_t order[8] = {AT(A), AT(B), AT(C), AT(D), AT(E), AT(F), AT(G), AT(H)};
    for (size_t i = 0; i < 8; i++) STORE(digest + sizeof(word) * i, state[order[i]]);
}

#endif
