/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon-Hash256 (NIST SP 800-232, section 5.1) and Ascon-Hash of Ascon v1.2 (Dobraunig, Eichlseder,
 * Mendel, Schlaeffer: submission to NIST, 2021, section 2.5): one permutation, and a sponge that
 * differs in the order of bytes, in the padding, and in the initial value. */
#ifndef JM_ASCON_H
#define JM_ASCON_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { ASCON_WORDS = 5, ASCON_ROUNDS = 12, ASCON_RATE_BYTES = 8, ASCON_DIGEST_BYTES = 32 };

/* The initial value is a word of parameters and zeros, permuted (SP 800-232, table A.2; v1.2,
 * section 2.5.1). tests/native/ascon_constants.c computes both initial values. */
#define ASCON_HASH256_PARAMETERS UINT64_C(0x0000080100cc0002)
static const uint64_t ascon_hash256_initial[ASCON_WORDS] = {
    0x9b1e5494e934d681, 0x4bc3a01e333751d2, 0xae65396c6b34b81a,
    0x3c7fd4a4d56a4db3, 0x1a5c464906c5976d,
};
#define ASCON_HASH_V12_PARAMETERS UINT64_C(0x00400c0000000100)
static const uint64_t ascon_hash_v12_initial[ASCON_WORDS] = {
    0xee9398aadb67f03d, 0x8bb21831c60f1002, 0xb48a92db98d5da62,
    0x43189921b8f8e3e8, 0x348fa5c9d525e140,
};

/* The last line of a variant's file. */
#define JM_ASCON_VARIANT(variant_, features_, note_)                                               \
    static const jm_block_hash hash256 = {                                                         \
        .chain_bytes = sizeof ascon_hash256_initial,                                               \
        .block_bytes = ASCON_RATE_BYTES,                                                           \
        .init = init_hash256,                                                                      \
        .absorb = absorb_hash256,                                                                  \
        .finish = finish_hash256,                                                                  \
    };                                                                                             \
    static const jm_block_hash hash_v12 = {                                                        \
        .chain_bytes = sizeof ascon_hash256_initial,                                               \
        .block_bytes = ASCON_RATE_BYTES,                                                           \
        .init = init_hash_v12,                                                                     \
        .absorb = absorb_hash_v12,                                                                 \
        .finish = finish_hash_v12,                                                                 \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(ascon_hash256, "ascon-hash256", variant_, features_, , true, note_,       \
                         ASCON_RATE_BYTES, ASCON_DIGEST_BYTES, hash256)                            \
    JM_BLOCK_HASH_DEFINE(ascon_hash_v12, "ascon-hash-v12", variant_, features_, , true, note_,     \
                         ASCON_RATE_BYTES, ASCON_DIGEST_BYTES, hash_v12)

extern const jm_implementation jm_ascon_hash256_portable, jm_ascon_hash256_bmi2;
extern const jm_implementation jm_ascon_hash_v12_portable, jm_ascon_hash_v12_bmi2;
extern const jm_implementation jm_ascon_mac_mcu8, jm_ascon_prf_mcu8;
extern const jm_implementation jm_ascon_mac_mcu32, jm_ascon_prf_mcu32;
extern const jm_implementation jm_ascon_mac_portable, jm_ascon_mac_bmi2;
extern const jm_implementation jm_ascon_prf_portable, jm_ascon_prf_bmi2;

#endif
