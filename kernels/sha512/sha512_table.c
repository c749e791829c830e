/* SPDX-License-Identifier: Apache-2.0
 * Variants of SHA-512 and HMAC-SHA512; see common/table.h for what the order means. */
#include "sha512/sha512.h"

static const jm_implementation *const implementations[] = {
    JM_HASH_AND_HMAC_ENTRY(sha512, portable),
};

const jm_table jm_sha512_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
