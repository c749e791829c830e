/* SPDX-License-Identifier: Apache-2.0
 * Variants of JH; common/table.h explains their order. */
#include "common/table.h"
#include "jh/jh.h"

#define ENTRIES(variant_)                                                                          \
    &jm_jh_256_##variant_, &jm_jh_512_##variant_, &jm_jh_r2_256_##variant_, &jm_jh_r2_512_##variant_

static const jm_implementation *const implementations[] = {
    ENTRIES(portable),
#if defined(__x86_64__)
    ENTRIES(ssse3),
    ENTRIES(gfni),
#endif
};

const jm_table jm_jh_table = {sizeof implementations / sizeof *implementations, implementations};
