/* SPDX-License-Identifier: Apache-2.0
 * Variants of SHA-1 and HMAC-SHA1; common/table.h explains their order. */
#include "common/table.h"
#include "sha1/sha1.h"

static const jm_implementation *const implementations[] = {
    JM_HASH_AND_HMAC_ENTRY(sha1, mcu8),
    JM_HASH_AND_HMAC_ENTRY(sha1, portable),
#if defined(__x86_64__)
    &jm_hmac_sha1_avx2_x8,
    &jm_hmac_sha1_avx2_x16,
    &jm_hmac_sha1_avx512_x16,
    &jm_hmac_sha1_avx512_x32,
    &jm_hmac_sha1_shani_x4,
    JM_HASH_AND_HMAC_ENTRY(sha1, shani),
#endif
};

const jm_table jm_sha1_table = {sizeof implementations / sizeof *implementations, implementations};
