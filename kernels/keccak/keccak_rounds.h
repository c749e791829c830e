/* SPDX-License-Identifier: Apache-2.0
 *
 * Keccak-f[1600] in words of 64 bits (FIPS 202, section 3), written once for the variants that work
 * on one message in general registers.
 *
 * The includer defines nothing, and gets the static function `absorb`.
 *
 * A round goes from one array of 25 words to another, row by row of the second: in this order the
 * fewest words are needed at a time. All loops are unrolled, so that indices and rotation counts
 * are constants. */
#ifndef JM_KECCAK_ROUNDS_H
#define JM_KECCAK_ROUNDS_H

#include "keccak/keccak.h"

/* The first round, for functions of the family that have only the last rounds; an even number. */
#ifndef KECCAK_FIRST_ROUND
#define KECCAK_FIRST_ROUND 0
#endif

JM_INLINE uint64_t rotate(uint64_t word, unsigned count) {
    return count ? rotl64(word, count) : word;
}

/* theta, rho, pi, chi and iota (sections 3.2.1 to 3.2.5). */
JM_INLINE void one_round(const uint64_t a[KECCAK_WORDS], uint64_t to[KECCAK_WORDS],
                         uint64_t constant) {
    uint64_t parity[5], effect[5];
#pragma GCC unroll 5
    for (size_t x = 0; x < 5; x++) parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma GCC unroll 5
    for (size_t x = 0; x < 5; x++) effect[x] = parity[(x + 4) % 5] ^ rotate(parity[(x + 1) % 5], 1);
#pragma GCC unroll 5
    for (size_t y = 0; y < 5; y++) {
        uint64_t row[5];
#pragma GCC unroll 5
        for (size_t x = 0; x < 5; x++) {
            const size_t column = (x + 3 * y) % 5, from = column + 5 * x;
            row[x] = rotate(a[from] ^ effect[column], keccak_offsets[from]);
        }
#pragma GCC unroll 5
        for (size_t x = 0; x < 5; x++)
            to[x + 5 * y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        if (y == 0) to[0] ^= constant;
    }
}

JM_INLINE void permute(uint64_t a[KECCAK_WORDS]) {
    uint64_t b[KECCAK_WORDS];
    for (size_t i = KECCAK_FIRST_ROUND; i < KECCAK_ROUNDS; i += 2) {
        one_round(a, b, keccak_round_constants[i]);
        one_round(b, a, keccak_round_constants[i + 1]);
    }
}

/* Adds words `first` to `last` - 1 of a block. */
JM_INLINE void add_words(uint64_t a[KECCAK_WORDS], const uint8_t *block, size_t first,
                         size_t last) {
    JM_UNROLL(9)
    for (size_t i = first; i < last; i++) a[i] ^= load_le64(block + 8 * i);
}

/* Copies a word at a time: a vector load would wait for words that were stored just before. */
JM_INLINE void copy_words(uint64_t to[KECCAK_WORDS], const uint64_t from[KECCAK_WORDS]) {
#pragma GCC unroll 25
    for (size_t i = 0; i < KECCAK_WORDS; i++) {
        uint64_t word = from[i];
        JM_PIN("r", word);
        to[i] = word;
    }
}

static void absorb(uint64_t state[KECCAK_WORDS], const uint8_t *blocks, size_t rate_words,
                   size_t count) {
    uint64_t a[KECCAK_WORDS];
    copy_words(a, state);
    for (; count; count--) {
        if (rate_words) {
            add_words(a, blocks, 0, 9);
            if (rate_words > 9) add_words(a, blocks, 9, 13);
            if (rate_words > 13) add_words(a, blocks, 13, 17);
            if (rate_words > 17) add_words(a, blocks, 17, 18);
            if (rate_words > 18) add_words(a, blocks, 18, 21);
            blocks += 8 * rate_words;
        }
        permute(a);
    }
    copy_words(state, a);
}

#endif
