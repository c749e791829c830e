/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 (FIPS 180-4, section 6.4) on LANES messages at once, and HMAC-SHA-512 and HMAC-SHA-384
 * over it: the source shared by the variants whose files define LANES as one or two times the
 * VEC_LANES of a vector header (lanes/v64_*.h), include that header, and then include this file. */
#ifndef JM_SHA512_LANES_H
#define JM_SHA512_LANES_H

#include "sha512/sha512.h"

#define SHA2_AT(letter) SHA512_##letter
#define SHA2_ROUNDS 80
#define SHA2_K sha512_k
#define SHA2_BIG_SIGMA0(x) vec_xor3(vec_rotr(x, 28), vec_rotr(x, 34), vec_rotr(x, 39))
#define SHA2_BIG_SIGMA1(x) vec_xor3(vec_rotr(x, 14), vec_rotr(x, 18), vec_rotr(x, 41))
#define SHA2_SIGMA0(x) vec_xor3(vec_rotr(x, 1), vec_rotr(x, 8), vec_shr(x, 7))
#define SHA2_SIGMA1(x) vec_xor3(vec_rotr(x, 19), vec_rotr(x, 61), vec_shr(x, 6))
#define SHA2_EXTENDS_AT_USE 0
#define HASH_LENGTH_BYTES 16
#define HASH_CODE_BYTES 9216

/* `single_` is the variant that does all but batches. */
#define JM_SHA512_LANES(variant_, features_, note_, single_)                                       \
    JM_HMAC_LANES(sha512, variant_, features_, note_, SHA512_DIGEST_BYTES,                         \
                  jm_hmac_sha512_##single_)                                                        \
    JM_HMAC_LANES(sha384, variant_, features_, note_, SHA384_DIGEST_BYTES, jm_hmac_sha384_##single_)

#include "common/sha2_lanes.h"

#endif
