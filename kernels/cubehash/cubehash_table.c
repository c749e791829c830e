/* SPDX-License-Identifier: Apache-2.0
 * Variants of CubeHash; common/table.h explains their order. */
#include "common/table.h"
#include "cubehash/cubehash.h"

static const jm_implementation *const implementations[] = {
    &jm_cubehash_256_portable, &jm_cubehash_512_portable, &jm_cubehash_16_512_portable,
#if defined(__x86_64__)
    &jm_cubehash_256_avx512,   &jm_cubehash_512_avx512,   &jm_cubehash_16_512_avx512,
#endif
};

const jm_table jm_cubehash_table = {sizeof implementations / sizeof *implementations,
                                    implementations};
