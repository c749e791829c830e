/* SPDX-License-Identifier: Apache-2.0
 *
 * Groestl of both rounds of the SHA-3 competition in plain C, written to be read.
 * Technique: the four steps of a round as the specification has them, on rows of eight bytes in a
 *   word; the S-box, which is that of AES, on bit planes of 64 bytes (aes/aes_round.h). State: the
 *   rows of groestl.h. CPU features: none. Constant time: no table and no branch on data; checked
 *   by tests/native/constant_time.c. Best for: CPUs without AES instructions. */
#include "aes/aes_round.h"
#include "groestl/groestl.h"

typedef enum { P, Q } permutation;

/* The number of words in use in a row. */
static unsigned row_words(const groestl_kind *kind) {
    return kind->columns / 8;
}

/* AddRoundConstant: in the final round P adds 16 j + i to row 0 of column j, and Q adds 16 j + i to
 * row 7 and 0xff to all bytes; in the second round P adds i, and Q 0xff + i, to column 0 of that
 * row alone. */
static void add_round_constant(const groestl_kind *kind, permutation which, groestl_rows *s,
                               unsigned round) {
    const unsigned row = which == P ? 0 : 7;
    if (kind->round2) {
        s->row[row][0] ^= which == P ? round : 0xff ^ round;
        return;
    }
    const uint64_t columns[2] = {UINT64_C(0x7060504030201000), UINT64_C(0xf0e0d0c0b0a09080)};
    for (unsigned w = 0; w < row_words(kind); w++) {
        s->row[row][w] ^= columns[w] ^ AES_EACH_BYTE(round);
        if (which == Q)
            for (unsigned r = 0; r < GROESTL_ROWS; r++) s->row[r][w] ^= ~UINT64_C(0);
    }
}

static void sub_bytes(const groestl_kind *kind, groestl_rows *s) {
    for (unsigned w = 0; w < row_words(kind); w++) {
        uint64_t bytes[GROESTL_ROWS];
        for (unsigned r = 0; r < GROESTL_ROWS; r++) bytes[r] = s->row[r][w];
        aes_substitute_64(bytes);
        for (unsigned r = 0; r < GROESTL_ROWS; r++) s->row[r][w] = bytes[r];
    }
}

static void shift_bytes(const groestl_kind *kind, permutation which, groestl_rows *s) {
    const unsigned wide = kind->columns == 16;
    const uint8_t *shifts =
        which == P || kind->round2 ? groestl_shifts_p[wide] : groestl_shifts_q[wide];
    for (unsigned r = 0; r < GROESTL_ROWS; r++) {
        const unsigned bits = 8 * (shifts[r] % 8);
        uint64_t low = s->row[r][0], high = wide ? s->row[r][1] : low;
        if (shifts[r] >= 8) {
            const uint64_t swapped = low;
            low = high, high = swapped;
        }
        s->row[r][0] = bits ? low >> bits | high << (64 - bits) : low;
        s->row[r][1] = bits ? high >> bits | low << (64 - bits) : high;
    }
}

/* MixBytes: row r becomes the sum of rows r to r + 7, modulo 8, times 2, 2, 3, 4, 5, 3, 5 and 7. */
static void mix_bytes(const groestl_kind *kind, groestl_rows *s) {
    for (unsigned w = 0; w < row_words(kind); w++) {
        uint64_t mixed[GROESTL_ROWS];
        for (unsigned r = 0; r < GROESTL_ROWS; r++) {
#define ROW(k_) s->row[(r + (k_)) % GROESTL_ROWS][w]
            const uint64_t ones = ROW(2) ^ ROW(4) ^ ROW(5) ^ ROW(6) ^ ROW(7);
            const uint64_t twos = ROW(0) ^ ROW(1) ^ ROW(2) ^ ROW(5) ^ ROW(7);
            const uint64_t fours = ROW(3) ^ ROW(4) ^ ROW(6) ^ ROW(7);
#undef ROW
            mixed[r] = ones ^ aes_double(twos ^ aes_double(fours));
        }
        for (unsigned r = 0; r < GROESTL_ROWS; r++) s->row[r][w] = mixed[r];
    }
}

static void permute(const groestl_kind *kind, permutation which, groestl_rows *s) {
    for (unsigned round = 0; round < kind->rounds; round++) {
        add_round_constant(kind, which, s, round);
        sub_bytes(kind, s);
        shift_bytes(kind, which, s);
        mix_bytes(kind, s);
    }
}

static void add(groestl_rows *to, const groestl_rows *from) {
    for (unsigned r = 0; r < GROESTL_ROWS; r++)
        for (unsigned w = 0; w < 2; w++) to->row[r][w] ^= from->row[r][w];
}

static void load(const groestl_kind *kind, groestl_rows *s, const uint8_t *block) {
    memset(s, 0, sizeof *s);
    for (unsigned w = 0; w < row_words(kind); w++) {
        uint64_t rows[GROESTL_ROWS];
        for (unsigned j = 0; j < 8; j++) rows[j] = load_le64(block + 64 * w + 8 * j);
        groestl_transpose(rows);
        for (unsigned r = 0; r < GROESTL_ROWS; r++) s->row[r][w] = rows[r];
    }
}

static void compress(const groestl_kind *kind, groestl_rows *value, const uint8_t *blocks,
                     size_t count) {
    groestl_rows p, q;
    for (; count; count--, blocks += 8u * kind->columns) {
        load(kind, &q, blocks);
        p = q;
        add(&p, value);
        permute(kind, P, &p);
        permute(kind, Q, &q);
        add(value, &p);
        add(value, &q);
    }
    jm_wipe(&p, sizeof p);
    jm_wipe(&q, sizeof q);
}

static void output(const groestl_kind *kind, groestl_rows *value) {
    groestl_rows p = *value;
    permute(kind, P, &p);
    add(value, &p);
    jm_wipe(&p, sizeof p);
}

#define compress_256 compress
#define compress_512 compress
#define compress_r2_256 compress
#define compress_r2_512 compress
#define output_256 output
#define output_512 output
#define output_r2_256 output
#define output_r2_512 output

JM_GROESTL_VARIANT(portable, 0, true, "plain C, bit planes")
