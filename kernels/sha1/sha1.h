/* SPDX-License-Identifier: Apache-2.0
 * SHA-1 (FIPS 180-4, sections 4.2.1, 5.3.1 and 6.1): the part that all variants share. */
#ifndef JM_SHA1_H
#define JM_SHA1_H

#include "common/merkle_damgard.h"
#include "joulemark/kernel.h"

/* Where each word lies in a chaining value. The order is that of the registers of SHA1RNDS4 and
 * SHA1NEXTE: D C B A, and E in the top lane of a second register whose other lanes are zero. Every
 * variant keeps this order, so that one variant can use a key state that another has set up. */
enum { SHA1_A = 3, SHA1_B = 2, SHA1_C = 1, SHA1_D = 0, SHA1_E = 7, SHA1_CHAIN_WORDS = 8 };

/* H(0), in the order of a chaining value. */
static const uint32_t sha1_initial[SHA1_CHAIN_WORDS] = {
    [SHA1_A] = 0x67452301, [SHA1_B] = 0xefcdab89, [SHA1_C] = 0x98badcfe,
    [SHA1_D] = 0x10325476, [SHA1_E] = 0xc3d2e1f0,
};

#define JM_SHA1_VARIANT(variant_, features_, target_, chain_bytes_, note_)                         \
    JM_HASH_AND_HMAC(sha1, variant_, features_, target_, note_, chain_bytes_, 64, 20, 8, true)

extern const jm_implementation jm_sha1_mcu8, jm_hmac_sha1_mcu8;
extern const jm_implementation jm_sha1_portable, jm_hmac_sha1_portable;
extern const jm_implementation jm_sha1_shani, jm_hmac_sha1_shani;
extern const jm_implementation jm_hmac_sha1_shani_x4;
extern const jm_implementation jm_hmac_sha1_avx2_x8, jm_hmac_sha1_avx2_x16;
extern const jm_implementation jm_hmac_sha1_avx512_x16, jm_hmac_sha1_avx512_x32;

#endif
