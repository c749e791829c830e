/* SPDX-License-Identifier: Apache-2.0
 * BLAKE2b-512 and BLAKE2s-256 without a key (RFC 7693): the part that all variants share. */
#ifndef JM_BLAKE2_H
#define JM_BLAKE2_H

#include "common/block_hash.h"
#include "common/words.h"
#include "joulemark/kernel.h"

/* The index of the message word that each place of a round takes (section 2.7). The last two rounds
 * of BLAKE2b repeat the first two. */
static const JM_FLASH uint8_t blake2_sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

/* The initial values of SHA-512 and SHA-256 (section 2.6): the first bits of the fractional parts
 * of the square roots of the first 8 primes. */
static const uint64_t blake2b_initial[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
static const uint32_t blake2s_initial[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

enum { BLAKE2B_BLOCK_BYTES = 128, BLAKE2B_DIGEST_BYTES = 64 };
enum { BLAKE2S_BLOCK_BYTES = 64, BLAKE2S_DIGEST_BYTES = 32 };

/* The first word of the parameter block (section 2.5): no key, one leaf, the digest's length. */
#define BLAKE2_PARAMETERS(digest_bytes_) (0x01010000u ^ (digest_bytes_))

/* The last line of a variant's file, which has defined init, absorb and finish of a jm_block_hash
 * whose chaining value is a `blake2_chain`. */
#define JM_BLAKE2_VARIANT(name_, id_, variant_, features_, note_, constant_time_, block_, digest_) \
    static const jm_block_hash hash = {                                                            \
        .chain_bytes = sizeof(blake2_chain),                                                       \
        .block_bytes = (block_),                                                                   \
        .keeps_last = true,                                                                        \
        .init = init,                                                                              \
        .absorb = absorb,                                                                          \
        .finish = finish,                                                                          \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(name_, id_, variant_, features_, , constant_time_, note_, block_,         \
                         digest_, hash)

extern const jm_implementation jm_blake2s_mcu8, jm_blake2s_mac_mcu8;
extern const jm_implementation jm_blake2s_mcu32, jm_blake2s_mac_mcu32;
extern const jm_implementation jm_blake2b_portable, jm_blake2b_bmi2, jm_blake2b_avx512;
extern const jm_implementation jm_blake2s_portable, jm_blake2s_bmi2, jm_blake2s_avx512;
extern const jm_implementation jm_blake2b_mac_portable, jm_blake2b_mac_bmi2, jm_blake2b_mac_avx512;
extern const jm_implementation jm_blake2s_mac_portable, jm_blake2s_mac_bmi2, jm_blake2s_mac_avx512;

#endif
