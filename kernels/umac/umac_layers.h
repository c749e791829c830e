/* SPDX-License-Identifier: Apache-2.0
 *
 * The second and third layer of UMAC's hash (RFC 4418, sections 5.3 and 5.4) for one word of the
 * tag: polynomials modulo p64 = 2^64 - 59 and p128 = 2^128 - 159 over the hashes of NH, and sums of
 * products modulo p36 = 2^36 - 5.
 *
 * No branch and no address depends on anything but lengths. So the extra step for a hash at the top
 * of its range is always computed, and its result used only for such a hash. */
#ifndef JM_UMAC_LAYERS_H
#define JM_UMAC_LAYERS_H

#include "common/secret.h"
#include "common/wide_multiply.h"

#include <stdbool.h>

#define UMAC_P64_OVER UINT64_C(59) /* 2^64 - p64 */
#define UMAC_P128_OVER UINT64_C(159)
#define UMAC_P36 ((UINT64_C(1) << 36) - 5)
/* Hashes of 64 bits from here on, and of 128 bits whose upper half is, are at the top of the range.
 */
#define UMAC_TOP UINT64_C(0xffffffff00000000)

/* Keys of one iteration: those of both polynomials, masked; those of the third layer, modulo p36;
 * and the third layer's mask. */
typedef struct {
    uint64_t k64, k128_high, k128_low, k36[8];
    uint64_t mask; /* 32 bits */
} umac_layer_key;

JM_INLINE uint64_t umac_select(uint64_t if_set, uint64_t otherwise, uint64_t mask) {
    return otherwise ^ ((if_set ^ otherwise) & mask);
}

/* y k + m modulo p64, below 2^64, for k below 2^57: the part from 2^64 on is below 2^57 and is
 * added 59 times. */
JM_INLINE uint64_t umac_step64(uint64_t y, uint64_t k, uint64_t m) {
    const jm_wide sum = jm_wide_add(jm_wide_multiply(y, k), jm_wide_of(m, 0));
    const uint64_t over = jm_wide_high(sum) * UMAC_P64_OVER, low = jm_wide_low(sum) + over;
    return low + (UMAC_P64_OVER & jm_mask_if(low < over));
}

/* Adds a hash to the polynomial modulo p64. A hash of 2^64 - 2^32 or more takes two steps: with p64
 * - 1, and with the hash less 59. */
JM_INLINE uint64_t umac_add64(uint64_t y, uint64_t k, uint64_t m) {
    const uint64_t at_top = jm_mask_if(m >= UMAC_TOP);
    y = umac_select(umac_step64(y, k, 0 - UMAC_P64_OVER - 1), y, at_top);
    return umac_step64(y, k, m - (UMAC_P64_OVER & at_top));
}

/* y modulo p64, fully reduced. */
JM_INLINE uint64_t umac_reduce64(uint64_t y) {
    return y + (UMAC_P64_OVER & jm_mask_if(y >= 0 - UMAC_P64_OVER));
}

/* Adds the word `over` times 159, and 159 again if that sum carries out. */
JM_INLINE jm_wide umac_fold128(jm_wide low, uint64_t over) {
    const jm_wide more = jm_wide_multiply(over, UMAC_P128_OVER), sum = jm_wide_add(low, more);
    const uint64_t above = jm_wide_high(sum) < jm_wide_high(more);
    const uint64_t equal = jm_wide_high(sum) == jm_wide_high(more);
    const uint64_t below = jm_wide_low(sum) < jm_wide_low(more);
    const uint64_t carry = above | (equal & below);
    return jm_wide_add(sum, jm_wide_of(UMAC_P128_OVER & jm_mask_if(carry), 0));
}

/* y k + m modulo p128, below 2^128. Both halves of k are below 2^57: the part from 2^128 on is
 * below 2^122, and 159 times that part is below 2^130. */
JM_INLINE jm_wide umac_step128(jm_wide y, const umac_layer_key *key, jm_wide m) {
    const uint64_t y0 = jm_wide_low(y), y1 = jm_wide_high(y);
    const jm_wide low = jm_wide_multiply(y0, key->k128_low);
    const jm_wide cross = jm_wide_add(
        jm_wide_add(jm_wide_multiply(y0, key->k128_high), jm_wide_multiply(y1, key->k128_low)),
        jm_wide_of(jm_wide_high(low), 0));
    const jm_wide over =
        jm_wide_add(jm_wide_multiply(y1, key->k128_high), jm_wide_of(jm_wide_high(cross), 0));
    jm_wide sum = umac_fold128(jm_wide_of(jm_wide_low(low), jm_wide_low(cross)), jm_wide_low(over));
    /* The upper word of `over` has weight 2^64, so that 159 times it has a part at 2^128 again. */
    const jm_wide upper = jm_wide_multiply(jm_wide_high(over), UMAC_P128_OVER);
    sum = umac_fold128(sum, jm_wide_high(upper));
    const uint64_t high = jm_wide_high(sum) + jm_wide_low(upper);
    sum = umac_fold128(jm_wide_of(jm_wide_low(sum), high), high < jm_wide_low(upper));
    const uint64_t m_low = jm_wide_low(sum) + jm_wide_low(m);
    const uint64_t first = m_low < jm_wide_low(m), partial = jm_wide_high(m) + first;
    const uint64_t m_high = jm_wide_high(sum) + partial;
    const uint64_t second = partial < first, third = m_high < partial;
    return umac_fold128(jm_wide_of(m_low, m_high), second | third);
}

/* Adds two hashes, as one number of 128 bits, to the polynomial modulo p128. */
JM_INLINE jm_wide umac_add128(jm_wide y, const umac_layer_key *key, uint64_t high, uint64_t low) {
    const uint64_t at_top = jm_mask_if(high >= UMAC_TOP);
    const jm_wide more =
        umac_step128(y, key, jm_wide_of(0 - UMAC_P128_OVER - 1, UINT64_MAX)); /* p128 - 1 */
    y = jm_wide_of(umac_select(jm_wide_low(more), jm_wide_low(y), at_top),
                   umac_select(jm_wide_high(more), jm_wide_high(y), at_top));
    const uint64_t less = UMAC_P128_OVER & at_top;
    return umac_step128(y, key, jm_wide_of(low - less, high - (low < less)));
}

JM_INLINE jm_wide umac_reduce128(jm_wide y) {
    const uint64_t full = jm_wide_high(y) == UINT64_MAX;
    const uint64_t reaches = jm_wide_low(y) >= 0 - UMAC_P128_OVER;
    return jm_wide_add(y, jm_wide_of(UMAC_P128_OVER & jm_mask_if(full & reaches), 0));
}

/* The sum of four digits of 16 bits times four keys below 2^36: below 2^54. */
JM_INLINE uint64_t umac_digits(uint64_t word, const uint64_t *key) {
    return (word >> 48) * key[0] + (word >> 32 & 0xffff) * key[1] + (word >> 16 & 0xffff) * key[2] +
           (word & 0xffff) * key[3];
}

/* The third layer. `high` is 0 except for messages of more than 2^24 bytes; callers with shorter
 * ones pass `is_long` false. */
JM_INLINE uint32_t umac_last(uint64_t high, uint64_t low, const umac_layer_key *key, bool is_long) {
    uint64_t sum = umac_digits(low, key->k36 + 4);
    if (is_long) sum += umac_digits(high, key->k36);
    sum = (sum & ((UINT64_C(1) << 36) - 1)) + 5 * (sum >> 36); /* below 2^36 + 2^22 */
    sum += 5 & jm_mask_if(sum >= UMAC_P36);                    /* bits from 2^36 on are dropped */
    return (uint32_t)sum ^ (uint32_t)key->mask;
}

#endif
