/* SPDX-License-Identifier: Apache-2.0
 * SHA-1 (FIPS 180-4, sections 4.2.1, 5.3.1 and 6.1): what its variants share. */
#ifndef JM_SHA1_H
#define JM_SHA1_H

#include "common/table.h"
#include "hmac/hmac.h"
#include "joulemark/cpu.h"

/* H(0), words a to e. */
static const uint32_t sha1_initial[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                         0xc3d2e1f0};

#define JM_SHA1_VARIANT(variant_, features_, target_, chain_bytes_, note_)                         \
    JM_HASH_AND_HMAC(sha1, variant_, features_, target_, note_, chain_bytes_, 64, 20, 8, true)

extern const jm_implementation jm_sha1_portable, jm_hmac_sha1_portable;
extern const jm_implementation jm_sha1_shani, jm_hmac_sha1_shani;
extern const jm_table jm_sha1_table;

#endif
