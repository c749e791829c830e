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
