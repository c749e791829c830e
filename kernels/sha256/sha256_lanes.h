/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2) on LANES messages at once, and HMAC-SHA-256 over it:
 * the source shared by the variants whose files define LANES as one or two times the VEC_LANES of a
 * vector header (lanes/v32_*.h), include that header, and then include this file. */
#ifndef JM_SHA256_LANES_H
#define JM_SHA256_LANES_H

#include "sha256/sha256.h"

#define SHA2_AT(letter) SHA256_##letter
#define SHA2_ROUNDS 64
#define SHA2_K sha256_k
#define SHA2_BIG_SIGMA0(x) vec_xor3(vec_rotr(x, 2), vec_rotr(x, 13), vec_rotr(x, 22))
#define SHA2_BIG_SIGMA1(x) vec_xor3(vec_rotr(x, 6), vec_rotr(x, 11), vec_rotr(x, 25))
#define SHA2_SIGMA0(x) vec_xor3(vec_rotr(x, 7), vec_rotr(x, 18), vec_shr(x, 3))
#define SHA2_SIGMA1(x) vec_xor3(vec_rotr(x, 17), vec_rotr(x, 19), vec_shr(x, 10))
#define SHA2_EXTENDS_AT_USE 1
#define HASH_LENGTH_BYTES 8
#define HASH_CODE_BYTES 9216

#define JM_SHA256_LANES(variant_, features_, note_)                                                \
    JM_HMAC_LANES(sha256, variant_, features_, note_, 32, jm_hmac_sha256_portable)

#include "common/sha2_lanes.h"

#endif
