/* SPDX-License-Identifier: Apache-2.0
 * Variants of SHAvite-3; common/table.h explains their order. */
#include "common/table.h"
#include "shavite3/shavite3.h"

static const jm_implementation *const implementations[] = {
    &jm_shavite3_256_portable,
    &jm_shavite3_512_portable,
#if defined(__x86_64__)
    &jm_shavite3_256_aesni,
    &jm_shavite3_512_aesni,
#endif
};

const jm_table jm_shavite3_table = {sizeof implementations / sizeof *implementations,
                                    implementations};
