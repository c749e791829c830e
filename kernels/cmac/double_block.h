/* SPDX-License-Identifier: Apache-2.0
 * Doubling and halving in GF(2^128), whose elements are 16 bytes, the highest bit first (NIST SP
 * 800-38B, section 5.3), and doubling in larger fields. Masks instead of branches keep the time
 * independent of the key. */
#ifndef JM_DOUBLE_BLOCK_H
#define JM_DOUBLE_BLOCK_H

#include "common/secret.h"
#include "common/words.h"

/* Times x: shifts by one bit and, if a bit fell out, adds 0x87. `to` may be `from`. */
static inline void double_block(uint8_t to[16], const uint8_t from[16]) {
    const uint64_t high = load_be64(from), low = load_be64(from + 8);
    unsigned fell_out = (unsigned)(high >> 63);
    JM_PIN("r", fell_out); /* or clang branches on it, for MSP430 */
    store_be64(to, high << 1 | low >> 63);
    store_be64(to + 8, low << 1 ^ ((0u - fell_out) & 0x87u));
}

/* Times x in GF(2^(8 bytes)) for a block of any length from 2 bytes, the highest bit first.
 * `polynomial` has the terms below the highest, of degree 15 at most. */
static inline void double_bytes(uint8_t *block, size_t bytes, unsigned polynomial) {
    unsigned fell_out = block[0] >> 7;
    JM_PIN("r", fell_out);
    fell_out = (0u - fell_out) & polynomial;
    for (size_t i = 0; i + 1 < bytes; i++) block[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
    block[bytes - 1] = (uint8_t)(block[bytes - 1] << 1 ^ fell_out);
    block[bytes - 2] = (uint8_t)(block[bytes - 2] ^ fell_out >> 8);
}

/* The inverse of double_block: the bit that falls out stands for x^127 + x^6 + x + 1. */
static inline void halve_block(uint8_t to[16], const uint8_t from[16]) {
    const uint64_t high = load_be64(from), low = load_be64(from + 8);
    const uint64_t fell_out = UINT64_C(0) - (low & 1);
    store_be64(to, high >> 1 ^ (fell_out & UINT64_C(1) << 63));
    store_be64(to + 8, (low >> 1 | high << 63) ^ (fell_out & 0x43));
}

#endif
