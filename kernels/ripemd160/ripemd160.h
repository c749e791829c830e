/* SPDX-License-Identifier: Apache-2.0
 * RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996, appendix A; ISO/IEC 10118-3): the part that
 * all variants share. */
#ifndef JM_RIPEMD160_H
#define JM_RIPEMD160_H

#include "common/merkle_damgard.h"
#include "joulemark/kernel.h"

enum { RIPEMD160_BLOCK_BYTES = 64, RIPEMD160_DIGEST_BYTES = 20, RIPEMD160_STEPS = 80 };

static const uint32_t ripemd160_initial[5] = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
};

/* Constants of the left and of the right line, for each round of 16 steps: the integer parts of
 * 2^30 times the square roots and the cube roots of 2, 3, 5 and 7. */
static const uint32_t ripemd160_k[2][5] = {
    {0x00000000, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e},
    {0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0x00000000},
};

/* Indices of the block's words that the steps of each line take. */
static const uint8_t ripemd160_r[2][RIPEMD160_STEPS] = {
    {0,  1, 2,  3, 4,  5,  6, 7,  8, 9,  10, 11, 12, 13, 14, 15, 7,  4,  13, 1,
     10, 6, 15, 3, 12, 0,  9, 5,  2, 14, 11, 8,  3,  10, 14, 4,  9,  15, 8,  1,
     2,  7, 0,  6, 13, 11, 5, 12, 1, 9,  11, 10, 0,  8,  12, 4,  13, 3,  7,  15,
     14, 5, 6,  2, 4,  0,  5, 9,  7, 12, 2,  10, 14, 1,  3,  8,  11, 6,  15, 13},
    {5,  14, 7,  0,  9,  2,  11, 4,  13, 6, 15, 8, 1,  10, 3,  12, 6, 11, 3, 7,
     0,  13, 5,  10, 14, 15, 8,  12, 4,  9, 1,  2, 15, 5,  1,  3,  7, 14, 6, 9,
     11, 8,  12, 2,  10, 0,  4,  13, 8,  6, 4,  1, 3,  11, 15, 0,  5, 12, 2, 13,
     9,  7,  10, 14, 12, 15, 10, 4,  1,  5, 8,  7, 6,  2,  13, 14, 0, 3,  9, 11},
};

/* Distances of the rotations to the left in the steps of each line. */
static const uint8_t ripemd160_s[2][RIPEMD160_STEPS] = {
    {11, 14, 15, 12, 5, 8,  7,  9,  11, 13, 14, 15, 6,  7,  9,  8,  7,  6,  8,  13,
     11, 9,  7,  15, 7, 12, 15, 9,  11, 7,  13, 12, 11, 13, 6,  7,  14, 9,  13, 15,
     14, 8,  13, 6,  5, 12, 7,  5,  11, 12, 14, 15, 14, 15, 9,  8,  9,  14, 5,  6,
     8,  6,  5,  12, 9, 15, 5,  11, 6,  8,  13, 12, 5,  12, 13, 14, 11, 8,  5,  6},
    {8,  9,  9,  11, 13, 15, 15, 5, 7,  7,  8,  11, 14, 14, 12, 6,  9,  13, 15, 7,
     12, 8,  9,  11, 7,  7,  12, 7, 6,  15, 13, 11, 9,  7,  15, 11, 8,  6,  6,  14,
     12, 13, 5,  14, 13, 13, 7,  5, 15, 5,  8,  11, 14, 14, 6,  14, 6,  9,  12, 9,
     12, 5,  15, 8,  8,  5,  12, 9, 12, 5,  14, 6,  8,  13, 6,  5,  15, 13, 11, 11},
};

/* The last line of a variant's file, which has included ripemd160_steps.h. */
#define JM_RIPEMD160_VARIANT(variant_, features_, note_)                                           \
    static const jm_compression compression = {                                                    \
        .chain_bytes = sizeof ripemd160_initial,                                                   \
        .block_bytes = RIPEMD160_BLOCK_BYTES,                                                      \
        .digest_bytes = RIPEMD160_DIGEST_BYTES,                                                    \
        .length_bytes = 8,                                                                         \
        .length_big_endian = false,                                                                \
        .init = init,                                                                              \
        .compress = compress,                                                                      \
        .output = output,                                                                          \
    };                                                                                             \
    JM_MD_DEFINE(ripemd160, variant_, features_, , note_, RIPEMD160_BLOCK_BYTES,                   \
                 RIPEMD160_DIGEST_BYTES, compression)

extern const jm_implementation jm_ripemd160_portable, jm_ripemd160_bmi2;

#endif
