/* SPDX-License-Identifier: Apache-2.0
 * Variants of SHA-384, SHA-512, HMAC over both, and SHA-512/256; common/table.h explains their
 * order. */
#include "common/table.h"
#include "sha512/sha512.h"

static const jm_implementation *const implementations[] = {
    JM_HASH_AND_HMAC_ENTRY(sha384, portable),
    JM_HASH_AND_HMAC_ENTRY(sha512, portable),
    &jm_sha512_256_portable,
#if defined(__x86_64__)
    &jm_hmac_sha384_avx2_x4,
    &jm_hmac_sha384_avx512_x8,
    &jm_hmac_sha384_avx512_x16,
    &jm_hmac_sha512_avx2_x4,
    &jm_hmac_sha512_avx512_x8,
    &jm_hmac_sha512_avx512_x16,
    JM_HASH_AND_HMAC_ENTRY(sha384, avx512),
    JM_HASH_AND_HMAC_ENTRY(sha512, avx512),
    &jm_sha512_256_avx512,
#endif
};

const jm_table jm_sha512_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
