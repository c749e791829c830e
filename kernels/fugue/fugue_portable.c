/* SPDX-License-Identifier: Apache-2.0
 *
 * Fugue-256 and Fugue-512 (second round of the SHA-3 competition) in plain C, written to be read.
 * Technique: the steps of the specification on columns that are moved in memory; the S-box, which
 *   is that of AES, on bit planes of 16 bytes (aes/aes_round.h). State: the columns of fugue.h. CPU
 *   features: none. Constant time: no table and no branch on data; checked by
 *   tests/native/constant_time.c. Best for: CPUs without AES instructions. */
#include "aes/aes_round.h"
#include "fugue/fugue.h"

/* The Super-Mix. The matrix M has the rows 1 4 7 1, 1 1 4 7, 7 1 1 4 and 4 7 1 1. To M times the
 * bytes, in column k of row i, is added M[k][i] times the sum of row i's bytes except the byte of
 * column i; then row i is rotated to the left by i. */
static void smix(uint32_t columns[4]) {
    uint64_t words[AES_BLOCK_WORDS] = {columns[0] | (uint64_t)columns[1] << 32,
                                       columns[2] | (uint64_t)columns[3] << 32};
    uint8_t times[4][16], mixed[16]; /* times[d] is M[i][i + d] times each byte: 1, 4, 7, 1 */
    aes_substitute_16(words);
    for (unsigned half = 0; half < 2; half++) {
        const uint64_t one = words[half], two = aes_double(one), four = aes_double(two);
        store_le64(times[0] + 8 * half, one);
        store_le64(times[1] + 8 * half, four);
        store_le64(times[2] + 8 * half, one ^ two ^ four);
        store_le64(times[3] + 8 * half, one);
    }
    for (unsigned i = 0; i < 4; i++)
        for (unsigned to = 0; to < 4; to++) {
            const unsigned k = (to + i) % 4;
            uint8_t sum = 0;
            for (unsigned d = 0; d < 4; d++) sum ^= times[d][4 * k + (i + d) % 4];
            for (unsigned j = 0; j < 4; j++)
                if (j != i) sum ^= times[(i - k) % 4][4 * j + i];
            mixed[4 * to + i] = sum;
        }
    for (unsigned k = 0; k < 4; k++) columns[k] = load_le32(mixed + 4 * k);
    jm_wipe(words, sizeof words);
    jm_wipe(times, sizeof times);
    jm_wipe(mixed, sizeof mixed);
}

/* TIX: a word of the message becomes column 0. */
static void insert_word(const fugue_kind *kind, uint32_t *s, uint32_t word) {
    s[kind->columns == 30 ? 10 : 22] ^= s[0];
    s[0] = word;
    s[8] ^= s[0];
    s[1] ^= s[24];
    if (kind->columns == 36) {
        s[4] ^= s[27];
        s[7] ^= s[30];
    }
}

/* ROR3, CMIX and SMIX. */
static void round_of_columns(const fugue_kind *kind, uint32_t *s) {
    const unsigned columns = kind->columns;
    uint32_t last[3];
    for (unsigned i = 0; i < 3; i++) last[i] = s[columns - 3 + i];
    memmove(s + 3, s, (columns - 3) * sizeof *s);
    for (unsigned i = 0; i < 3; i++) {
        s[i] = last[i] ^ s[4 + i];
        s[columns / 2 + i] ^= s[4 + i];
    }
    smix(s);
}

static void absorb(const fugue_kind *kind, fugue_state *state, const uint8_t *words, size_t count,
                   unsigned more) {
    for (; count; count--, words += FUGUE_WORD_BYTES) {
        insert_word(kind, state->column, load_le32(words));
        for (unsigned i = 0; i < kind->rounds; i++) round_of_columns(kind, state->column);
    }
    for (; more; more--) round_of_columns(kind, state->column);
}

JM_FUGUE_VARIANT(portable, 0, true, "plain C, bit planes")
