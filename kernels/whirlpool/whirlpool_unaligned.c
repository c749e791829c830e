/* SPDX-License-Identifier: Apache-2.0
 *
 * Whirlpool with a table for each column, all in one array of 4 KiB.
 *
 * Technique: each product is stored twice in a row, so that the word from its byte c on is the
 *   product rotated to the right by c bytes, on a CPU that stores the lowest byte first and loads
 *   words from any address. One message. State: rows, see whirlpool.h. CPU: x86-64. Constant time:
 *   no; see whirlpool.h. Best for: one message at a time.
 */
#if defined(__x86_64__)
#include "whirlpool/whirlpool.h"
#include "whirlpool/whirlpool_constants.h"

JM_INLINE uint64_t product(uint8_t byte, size_t column) {
    return load_le64((const uint8_t *)whirlpool_products[byte] + column);
}

#include "whirlpool/whirlpool_rounds.h"

JM_WHIRLPOOL_VARIANT(unaligned,
                     "one table for all columns, read at any byte; it leaks through the cache")
#endif
