/* SPDX-License-Identifier: Apache-2.0
 *
 * ECHO-256 and ECHO-512 (second round of the SHA-3 competition) in plain C, written to be read.
 * Technique: the steps of the specification over the AES round of aes/aes_round.h, four words of
 *   the big state at once. State: the specification's; word i + 4 j is two 64-bit words in
 *   little-endian order. CPU features: none. Constant time: no table and no branch on data; checked
 *   by tests/native/constant_time.c. Best for: CPUs without AES instructions. */
#include "aes/aes_round.h"
#include "echo/echo.h"

enum { WORDS = 16, HALVES = 2 * WORDS };

/* BIG.SubWords: each word's first key is `counter` plus the word's number. The second key is the
 * salt, zero here. */
static void sub_words(uint64_t state[HALVES], uint64_t counter) {
    for (unsigned word = 0; word < WORDS; word += 4) {
        uint64_t *four = state + 2 * word;
        aes_round_of_four(four);
        for (unsigned i = 0; i < 4; i++) four[2 * i] ^= counter + word + i;
        aes_round_of_four(four);
    }
}

/* BIG.ShiftRows: a word of row i comes from i columns further on. */
static void shift_rows_of_words(uint64_t state[HALVES]) {
    for (unsigned row = 1; row < 4; row++)
        for (unsigned half = 0; half < 2; half++) {
            uint64_t before[4];
            for (unsigned j = 0; j < 4; j++) before[j] = state[2 * (row + 4 * j) + half];
            for (unsigned j = 0; j < 4; j++)
                state[2 * (row + 4 * j) + half] = before[(j + row) % 4];
        }
}

/* BIG.MixColumns: AES's matrix on the four bytes at one place of the four words. */
static void mix_columns_of_words(uint64_t state[HALVES]) {
    for (unsigned column = 0; column < 4; column++)
        for (unsigned half = 0; half < 2; half++) {
            uint64_t *row = state + 8 * column + half;
            const uint64_t a = row[0], b = row[2], c = row[4], d = row[6], sum = a ^ b ^ c ^ d;
            row[0] = a ^ sum ^ aes_double(a ^ b);
            row[2] = b ^ sum ^ aes_double(b ^ c);
            row[4] = c ^ sum ^ aes_double(c ^ d);
            row[6] = d ^ sum ^ aes_double(d ^ a);
        }
}

/* BIG.Final adds to each column of the chaining value the columns of the first and of the last
 * state that correspond to it. */
static void compress(const echo_sizes *sizes, uint8_t *value, const uint8_t *blocks, size_t count,
                     uint64_t counter, uint64_t step) {
    const size_t chain_halves = sizes->chain_bytes / 8;
    uint64_t chain[ECHO_CHAIN_BYTES_MAX / 8], state[HALVES];
    for (size_t i = 0; i < chain_halves; i++) chain[i] = load_le64(value + 8 * i);
    for (; count; count--, blocks += sizes->block_bytes, counter += step) {
        for (size_t i = 0; i < chain_halves; i++) state[i] = chain[i];
        for (size_t i = chain_halves; i < HALVES; i++) {
            state[i] = load_le64(blocks + 8 * (i - chain_halves));
            chain[i % chain_halves] ^= state[i];
        }
        for (unsigned round = 0; round < sizes->rounds; round++) {
            sub_words(state, counter + WORDS * round);
            shift_rows_of_words(state);
            mix_columns_of_words(state);
        }
        for (size_t i = 0; i < HALVES; i++) chain[i % chain_halves] ^= state[i];
    }
    for (size_t i = 0; i < chain_halves; i++) store_le64(value + 8 * i, chain[i]);
    jm_wipe(chain, sizeof chain);
    jm_wipe(state, sizeof state);
}
#define compress_256 compress
#define compress_512 compress

JM_ECHO_VARIANT(portable, 0, true, "plain C, bit planes")
