/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversion between bytes and bit planes, in which the S-box is computed (aes_sbox.h): plane j
 * holds bit j of each of 64 bytes.
 *
 * The includer defines, above: AES_PLANES_OF_32_BITS, if planes are to have 32. */
#ifndef JM_aes_planeS_H
#define JM_aes_planeS_H

#include <stdint.h>

#include "common/secret.h"

#if defined(AES_PLANES_OF_32_BITS)
typedef uint32_t aes_plane;
#define AES_PLANES_INLINE JM_INLINE /* a call would store all planes in memory */
#else
typedef uint64_t aes_plane;
#define AES_PLANES_INLINE static inline
#endif

/* Exchanges the bits of `a` at mask << shift with those of `b` at mask. Its own inverse. */
static inline void exchange(aes_plane *a, aes_plane *b, unsigned shift, aes_plane mask) {
    const aes_plane t = ((*a >> shift) ^ *b) & mask;
    *b ^= t;
    *a ^= t << shift;
}

/* Eight words of bytes to planes and back: bit 8 i + k of plane j is bit j of byte i of word k.
 * (aes_portable.c puts two columns of a block into each word.) Each exchange swaps one bit of the
 * word's number with one bit of the position. Its own inverse, since the three steps commute. */
static inline void transpose(aes_plane x[8]) {
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        exchange(&x[i], &x[i + 4], 4, (aes_plane)UINT64_C(0x0f0f0f0f0f0f0f0f));
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        aes_plane *pair = &x[i + (i & 2)];
        exchange(&pair[0], &pair[2], 2, (aes_plane)UINT64_C(0x3333333333333333));
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 8; i += 2)
        exchange(&x[i], &x[i + 1], 1, (aes_plane)UINT64_C(0x5555555555555555));
}

#endif
