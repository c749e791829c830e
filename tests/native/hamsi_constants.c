/* SPDX-License-Identifier: Apache-2.0
 * The matrices of Hamsi's expansion against the generators of its codes, and the generator of
 * Hamsi-256 against the structure of the code [128, 16, 70]: but for two symbols it is
 * quasi-cyclic, two cycles of 63. */
#include <stdio.h>

#include "hamsi/hamsi.h"
#include "hamsi/hamsi_constants.h"
#include "hamsi/hamsi_matrices.h"

/* Bit `bit` of the expansion of bit `from` of a block, counted from the lowest of byte 0. */
static unsigned expanded(const uint32_t *code, unsigned words, unsigned from, unsigned bit) {
    const uint32_t *const row = code + from / 2 * words;
    const unsigned w = bit / 32, half = words / 2;
    uint32_t word = row[w];
    if (from % 2) word = w < half ? row[w + half] : row[w] ^ row[w - half];
    return word >> bit % 32 & 1;
}

static unsigned wrong_matrices(const char *name, const uint32_t *code, unsigned words,
                               const uint64_t *matrices) {
    const unsigned block_bytes = words / 2;
    unsigned wrong = 0;
    for (unsigned byte = 0; byte < 4 * words; byte++)
        for (unsigned i = 0; i < block_bytes; i++) {
            uint64_t matrix = 0;
            for (unsigned t = 0; t < 8; t++)
                for (unsigned v = 0; v < 8; v++)
                    matrix |= (uint64_t)expanded(code, words, 8 * i + v, 8 * byte + t)
                              << (8 * (7 - t) + v);
            if (matrix == matrices[(byte / 8 * block_bytes + i) * 8 + byte % 8]) continue;
            printf("FAILED %s: byte %u of the expansion, byte %u of the block\n", name, byte, i);
            wrong++;
        }
    return wrong;
}

/* A symbol of a row of Hamsi-256's generator, as 2a + b of a + bw, where each row's own symbol
 * is 1. */
static unsigned symbol(const uint32_t *row, unsigned place) {
    const unsigned first = row[place / 32] >> place % 32 & 1;
    const unsigned second = row[4 + place / 32] >> place % 32 & 1;
    return 2 * first + second;
}

static unsigned times(unsigned a,
                      unsigned b) { /* 2 is one, 1 its multiple by w, whose square is 3 */
    static const unsigned logarithm[] = {0, 1, 0, 2}, power[] = {2, 1, 3};
    return a && b ? power[(logarithm[a] + logarithm[b]) % 3] : 0;
}

/* Where a symbol of Hamsi-256's expansion comes from when the code is shifted; 0 if it does not
 * take part. */
static unsigned before(unsigned place) {
    switch (place) {
    case 0:
        return 47;
    case 16:
        return 63;
    case 32:
        return 79;
    case 48:
        return 95;
    case 64:
        return 111;
    case 80:
        return 127;
    case 96:
        return 31;
    case 97:
        return 15;
    case 114:
        return 96;
    default:
        return place - 1;
    }
}

/* The generator is systematic: row k has symbol k, in the order of places, of the 16 lowest. Each
 * row is the one before, shifted, less the multiple of row 0 that takes away what came round to
 * place 0. */
static unsigned wrong_shifts(void) {
    const uint32_t *rows[16];
    unsigned wrong = 0;
    for (unsigned k = 0; k < 16; k++)
        for (unsigned i = 0; i < 16; i++)
            if (symbol(hamsi_256_code[i], k)) rows[k] = hamsi_256_code[i];
    for (unsigned k = 0; k < 15; k++) {
        const unsigned round = symbol(rows[k], before(0));
        for (unsigned place = 0; place < 128; place++) {
            if (place == 112 || place == 113) continue; /* they extend the code */
            const unsigned shifted = symbol(rows[k], before(place));
            wrong += symbol(rows[k + 1], place) != (shifted ^ times(round, symbol(rows[0], place)));
        }
    }
    if (wrong) printf("FAILED hamsi-256: %u symbols of the generator\n", wrong);
    return wrong;
}

int main(void) {
    const unsigned wrong =
        wrong_matrices("hamsi-256", hamsi_256_code[0], HAMSI_256_WORDS, hamsi_256_matrices[0][0]) +
        wrong_matrices("hamsi-512", hamsi_512_code[0], HAMSI_512_WORDS, hamsi_512_matrices[0][0]) +
        wrong_shifts();
    if (!wrong) puts("The matrices of Hamsi are those of its codes.");
    return wrong != 0;
}
