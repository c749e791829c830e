/* SPDX-License-Identifier: Apache-2.0
 *
 * Between bytes and bit planes, in which the S-box is computed (aes_sbox.h): plane j holds bit j of
 * each of 64 bytes. */
#ifndef JM_AES_PLANES_H
#define JM_AES_PLANES_H

#include <stdint.h>

/* Exchanges the bits of `a` at mask << shift with those of `b` at mask. Its own inverse. */
static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask) {
    const uint64_t t = ((*a >> shift) ^ *b) & mask;
    *b ^= t;
    *a ^= t << shift;
}

/* Between eight words of bytes and planes: bit 8 i + k of plane j is bit j of byte i of word k.
 * (aes_portable.c puts two columns of a block into each word.) Each exchange swaps one bit of the
 * word's number with one bit of the position. Its own inverse, since the three steps commute. */
static inline void transpose(uint64_t x[8]) {
    for (unsigned i = 0; i < 4; i++) exchange(&x[i], &x[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    for (unsigned i = 0; i < 4; i++) {
        uint64_t *pair = &x[i + (i & 2)];
        exchange(&pair[0], &pair[2], 2, UINT64_C(0x3333333333333333));
    }
    for (unsigned i = 0; i < 8; i += 2) exchange(&x[i], &x[i + 1], 1, UINT64_C(0x5555555555555555));
}

#endif
