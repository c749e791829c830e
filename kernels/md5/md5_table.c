/* SPDX-License-Identifier: Apache-2.0
 * Variants of MD5 and HMAC-MD5; see common/table.h for what the order means. */
#include "md5/md5.h"

static const jm_implementation *const implementations[] = {
    JM_HASH_AND_HMAC_ENTRY(md5, portable),
};

const jm_table jm_md5_table = {sizeof implementations / sizeof *implementations, implementations};
