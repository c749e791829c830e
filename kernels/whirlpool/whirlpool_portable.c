/* SPDX-License-Identifier: Apache-2.0
 *
 * Whirlpool in portable C.
 *
 * Technique: one table, and a rotation for each column. One message.
 * State: rows, see whirlpool.h.
 * CPU: any; for 64-bit machines.
 * Constant time: no; see whirlpool.h.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "whirlpool/whirlpool.h"
#include "whirlpool/whirlpool_constants.h"

JM_INLINE uint64_t product(uint8_t byte, size_t column) {
    const uint64_t first = whirlpool_products[byte][0];
    return column ? rotr64(first, 8 * (unsigned)column) : first;
}

#include "whirlpool/whirlpool_rounds.h"

JM_WHIRLPOOL_VARIANT(portable, "portable C; its tables leak through the cache")
