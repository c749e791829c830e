/* SPDX-License-Identifier: Apache-2.0
 * Variants of MD5 and HMAC-MD5; common/table.h explains their order. */
#include "common/table.h"
#include "md5/md5.h"

static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_hmac_md5_avx2_x8,
    &jm_hmac_md5_avx2_x16,
    &jm_hmac_md5_avx2_x32,
    &jm_hmac_md5_avx512_x16,
    &jm_hmac_md5_avx512_x32,
    &jm_hmac_md5_avx512_x64,
#endif
    JM_HASH_AND_HMAC_ENTRY(md5, portable),
};

const jm_table jm_md5_table = {sizeof implementations / sizeof *implementations, implementations};
