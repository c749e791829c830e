/* SPDX-License-Identifier: Apache-2.0
 *
 * Hamsi (specification for round 2, section 2) in portable C.
 *
 * Technique: the S-boxes of 32 bit positions at once, as logic on words; a block is expanded bit by
 * bit, with masks. One message. State: four rows of `columns` words. CPU: any. Constant time:
 * logic, shifts and rotations only; checked by tests/native/constant_time.c. Best for: CPUs without
 * a variant, and as the reference for other variants.
 */
#include "hamsi/hamsi.h"
#include "hamsi/hamsi_constants.h"

enum { ROWS = 4, COLUMNS_MAX = 8, WORDS_MAX = 16 };

/* Section 2.3.2: S-box S2 of Serpent; the highest bits are in d. */
JM_INLINE void substitute(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
    const uint32_t first = *a;
    *a = (*a & *c) ^ *d;
    *c ^= *b ^ *a;
    *d = (*d | first) ^ *b;
    const uint32_t t = first ^ *c, high = *d;
    *b = (*d | t) ^ *a;
    *a &= high;
    *d = ~(t ^ *a);
    const uint32_t third = high ^ *b ^ (t ^ *a);
    *a = *c;
    *c = third;
}

/* Section 2.3.3: the linear map L of Serpent. */
JM_INLINE void diffuse(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
    *a = rotl32(*a, 13);
    *c = rotl32(*c, 3);
    *b = rotl32(*b ^ *a ^ *c, 1);
    *d = rotl32(*d ^ *c ^ *a << 3, 7);
    *a = rotl32(*a ^ *b ^ *d, 5);
    *c = rotl32(*c ^ *d ^ *b << 7, 22);
}

/* Section 2.3: P (`last` 0) or P_f (`last` 1) without its truncation. */
JM_INLINE void permute(uint32_t s[ROWS][COLUMNS_MAX], unsigned columns, unsigned rounds,
                       unsigned last) {
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned i = 0; i < columns; i++) s[row][i] ^= hamsi_round_constants[last][row][i];
        s[0][1] ^= round;
        for (unsigned i = 0; i < columns; i++) substitute(&s[0][i], &s[1][i], &s[2][i], &s[3][i]);
        for (unsigned i = 0; i < columns; i++)
            diffuse(&s[0][i], &s[1][(i + 1) % columns], &s[2][(i + 2) % columns],
                    &s[3][(i + 3) % columns]);
        if (columns == 8) {
            diffuse(&s[0][0], &s[0][2], &s[0][5], &s[0][7]);
            diffuse(&s[2][0], &s[2][3], &s[2][5], &s[2][6]);
            diffuse(&s[1][1], &s[1][3], &s[1][4], &s[1][6]);
            diffuse(&s[3][1], &s[3][2], &s[3][4], &s[3][7]);
        }
    }
}

/* Section 2.2.4: the expansion. `code` has rows of `words` words, one for each two bits of a block.
 */
JM_INLINE void expand(uint32_t m[WORDS_MAX], const uint8_t *block, size_t block_bytes,
                      const uint32_t *code, unsigned words) {
    const unsigned half = words / 2;
    memset(m, 0, 4 * words);
    for (unsigned i = 0; i < 4 * block_bytes; i++, code += words) {
        const unsigned symbol = block[i / 4] >> 2 * (i % 4);
        const uint32_t lower = 0u - (symbol & 1), upper = 0u - (symbol >> 1 & 1);
        for (unsigned w = 0; w < half; w++) {
            m[w] ^= (code[w] & lower) ^ (code[half + w] & upper);
            m[half + w] ^= (code[half + w] & lower) ^ ((code[w] ^ code[half + w]) & upper);
        }
    }
}

/* Sections 2.2.1 and 2.2.5: in a row, pairs of words of the expanded block and of the chaining
 * value alternate; rows 1 and 3 (of 0 to 3) begin with the chaining value. */
JM_INLINE void absorb(uint32_t *chain, const uint8_t *blocks, size_t count, bool ends,
                      unsigned columns, unsigned rounds, const uint32_t *code) {
    const size_t block_bytes = columns == 8 ? HAMSI_512_BLOCK_BYTES : HAMSI_256_BLOCK_BYTES;
    uint32_t m[WORDS_MAX], s[ROWS][COLUMNS_MAX];
    for (; count; count--, blocks += block_bytes) {
        const bool last = ends && count == 1;
        expand(m, blocks, block_bytes, code, 2 * columns);
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned i = 0; i < columns; i++) {
                const unsigned pair = row * (columns / 2) + i / 4 * 2 + i % 2;
                s[row][i] = (i / 2 + row) % 2 ? chain[pair] : m[pair];
            }
        permute(s, columns, last ? 2 * rounds : rounds, last);
        for (unsigned i = 0; i < columns; i++) {
            chain[i] ^= s[0][i];
            chain[columns + i] ^= s[2][i];
        }
    }
    jm_wipe(m, sizeof m);
    jm_wipe(s, sizeof s);
}

static void hamsi_256_blocks(void *chain, const uint8_t *blocks, size_t count, bool last) {
    absorb(chain, blocks, count, last, 4, HAMSI_256_ROUNDS, hamsi_256_code[0]);
}

static void hamsi_512_blocks(void *chain, const uint8_t *blocks, size_t count, bool last) {
    absorb(chain, blocks, count, last, 8, HAMSI_512_ROUNDS, hamsi_512_code[0]);
}

HAMSI_HASH(hamsi_256, "hamsi-256", portable, 0, true, "portable C", HAMSI_256_BLOCK_BYTES,
           HAMSI_256_WORDS, 32)
HAMSI_HASH(hamsi_512, "hamsi-512", portable, 0, true, "portable C", HAMSI_512_BLOCK_BYTES,
           HAMSI_512_WORDS, 64)
