/* SPDX-License-Identifier: Apache-2.0
 * Doubling and halving in GF(2^128), whose elements are 16 bytes, the highest bit first (NIST SP
 * 800-38B, section 5.3). Masks instead of branches keep the time independent of the key. */
#ifndef JM_DOUBLE_BLOCK_H
#define JM_DOUBLE_BLOCK_H

#include "common/load_store.h"

/* Times x: shifts by one bit and, if a bit fell out, adds 0x87. `to` may be `from`. */
static inline void double_block(uint8_t to[16], const uint8_t from[16]) {
    const uint64_t high = load_be64(from), low = load_be64(from + 8);
    const uint64_t fell_out = UINT64_C(0) - (high >> 63);
    store_be64(to, high << 1 | low >> 63);
    store_be64(to + 8, low << 1 ^ (fell_out & 0x87));
}

/* Its inverse: the bit that falls out stands for x^127 + x^6 + x + 1. */
static inline void halve_block(uint8_t to[16], const uint8_t from[16]) {
    const uint64_t high = load_be64(from), low = load_be64(from + 8);
    const uint64_t fell_out = UINT64_C(0) - (low & 1);
    store_be64(to, high >> 1 ^ (fell_out & UINT64_C(1) << 63));
    store_be64(to + 8, (low >> 1 | high << 63) ^ (fell_out & 0x43));
}

#endif
