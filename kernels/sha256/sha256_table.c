/* SPDX-License-Identifier: Apache-2.0
 * Variants of SHA-224, SHA-256 and HMAC-SHA256; common/table.h explains their order. */
#include "common/table.h"
#include "sha256/sha256.h"

static const jm_implementation *const implementations[] = {
    &jm_sha224_mcu8,
    JM_HASH_AND_HMAC_ENTRY(sha256, mcu8),
    &jm_sha224_mcu32,
    JM_HASH_AND_HMAC_ENTRY(sha256, mcu32),
    &jm_sha224_portable,
    JM_HASH_AND_HMAC_ENTRY(sha256, portable),
#if defined(__x86_64__)
    &jm_hmac_sha256_avx2_x8,
    &jm_hmac_sha256_avx2_x16,
    &jm_hmac_sha256_avx512_x16,
    &jm_hmac_sha256_avx512_x32,
    &jm_hmac_sha256_shani_x4,
    &jm_sha224_shani,
    JM_HASH_AND_HMAC_ENTRY(sha256, shani),
#endif
};

const jm_table jm_sha256_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
