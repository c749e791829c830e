/* SPDX-License-Identifier: Apache-2.0
 *
 * The page table of castellon2022, Algorithm 1, corrected: the order in which the chunks of an
 * input are laid out, V[i] = (i * jump + factor) mod chunks, `factor` growing by one whenever
 * i * jump is a multiple of `chunks` and i > 0. The paper prints i > 1, which gives chunk 0 twice
 * when `jump` is itself a multiple of `chunks`.
 *
 * It is a permutation: with g = gcd(jump, chunks), i * jump mod chunks runs through the multiples
 * of g once in every chunks / g steps, and `factor` is 0, 1, ... g - 1 in the g runs.
 * src/joulemark/studies/castellon2022/paper.py has the same function and the tests.
 */
#ifndef JM_CASTELLON2022_PAGE_TABLE_H
#define JM_CASTELLON2022_PAGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The paper's inputs have 17 chunks at most, and it keeps their tables ("stored in a page table to
 * be used in subsequent hash calculations", section II-C.2): row c - 1 is the table of c chunks.
 * The compiler computes it by the closed form (i * jump + floor(i / (chunks / g))) mod chunks; a
 * jump is a power of two here. Entries from `chunks` on have no meaning. */
enum { CASTELLON2022_KEPT_CHUNKS = 17 };
#define CASTELLON2022_GCD(chunks, jump)                                                            \
    (((chunks) & -(chunks)) < (jump) ? ((chunks) & -(chunks)) : (jump))
#define CASTELLON2022_ENTRY(i, chunks, jump)                                                       \
    (((i) * (jump) + (i) / ((chunks) / CASTELLON2022_GCD(chunks, jump))) % (chunks))
#define CASTELLON2022_ROW(c, j)                                                                    \
    {CASTELLON2022_ENTRY(0, c, j),  CASTELLON2022_ENTRY(1, c, j),  CASTELLON2022_ENTRY(2, c, j),   \
     CASTELLON2022_ENTRY(3, c, j),  CASTELLON2022_ENTRY(4, c, j),  CASTELLON2022_ENTRY(5, c, j),   \
     CASTELLON2022_ENTRY(6, c, j),  CASTELLON2022_ENTRY(7, c, j),  CASTELLON2022_ENTRY(8, c, j),   \
     CASTELLON2022_ENTRY(9, c, j),  CASTELLON2022_ENTRY(10, c, j), CASTELLON2022_ENTRY(11, c, j),  \
     CASTELLON2022_ENTRY(12, c, j), CASTELLON2022_ENTRY(13, c, j), CASTELLON2022_ENTRY(14, c, j),  \
     CASTELLON2022_ENTRY(15, c, j), CASTELLON2022_ENTRY(16, c, j)}
#define CASTELLON2022_KEPT_TABLES(j)                                                               \
    {CASTELLON2022_ROW(1, j),  CASTELLON2022_ROW(2, j),  CASTELLON2022_ROW(3, j),                  \
     CASTELLON2022_ROW(4, j),  CASTELLON2022_ROW(5, j),  CASTELLON2022_ROW(6, j),                  \
     CASTELLON2022_ROW(7, j),  CASTELLON2022_ROW(8, j),  CASTELLON2022_ROW(9, j),                  \
     CASTELLON2022_ROW(10, j), CASTELLON2022_ROW(11, j), CASTELLON2022_ROW(12, j),                 \
     CASTELLON2022_ROW(13, j), CASTELLON2022_ROW(14, j), CASTELLON2022_ROW(15, j),                 \
     CASTELLON2022_ROW(16, j), CASTELLON2022_ROW(17, j)}

/* Writes `chunks` (0 to 65535) entries; `jump` >= 1. No division in the loop: i * jump mod chunks
 * is updated from step to step. */
static inline void jm_castellon2022_page_table(uint16_t *table, size_t chunks, size_t jump) {
    if (!chunks) return;
    const size_t step = jump % chunks;
    size_t place = 0, factor = 0;
    for (size_t i = 0; i < chunks; i++) {
        if (i > 0 && place == 0) factor++;
        const size_t entry = place + factor;
        table[i] = (uint16_t)(entry < chunks ? entry : entry - chunks);
        place += step;
        if (place >= chunks) place -= chunks;
    }
}

#endif
