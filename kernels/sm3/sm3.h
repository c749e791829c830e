/* SPDX-License-Identifier: Apache-2.0
 * SM3 (GB/T 32905-2016, sections 4 and 5; ISO/IEC 10118-3:2018): the part that all variants
 * share. */
#ifndef JM_SM3_H
#define JM_SM3_H

#include "common/merkle_damgard.h"
#include "joulemark/kernel.h"

enum { SM3_BLOCK_BYTES = 64, SM3_DIGEST_BYTES = 32, SM3_ROUNDS = 64 };

/* Section 4.1. */
static const uint32_t sm3_initial[8] = {
    0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
};

/* The last line of a variant's file, which has included sm3_rounds.h. */
#define JM_SM3_VARIANT(variant_, features_, note_)                                                 \
    static const jm_compression compression = {                                                    \
        .chain_bytes = sizeof sm3_initial,                                                         \
        .block_bytes = SM3_BLOCK_BYTES,                                                            \
        .digest_bytes = SM3_DIGEST_BYTES,                                                          \
        .length_bytes = 8,                                                                         \
        .length_big_endian = true,                                                                 \
        .init = init,                                                                              \
        .compress = compress,                                                                      \
        .output = output,                                                                          \
    };                                                                                             \
    JM_MD_DEFINE(sm3, variant_, features_, , note_, SM3_BLOCK_BYTES, SM3_DIGEST_BYTES, compression)

extern const jm_implementation jm_sm3_portable, jm_sm3_bmi2;

#endif
