/* SPDX-License-Identifier: Apache-2.0
 * Variants of Groestl; common/table.h explains their order. */
#include "common/table.h"
#include "groestl/groestl.h"

#define ALL(variant_)                                                                              \
    &jm_groestl_256_##variant_, &jm_groestl_512_##variant_, &jm_groestl_r2_256_##variant_,         \
        &jm_groestl_r2_512_##variant_

static const jm_implementation *const implementations[] = {
    ALL(portable),
#if defined(__x86_64__)
    ALL(aesni),
    ALL(gfni),
#endif
};

const jm_table jm_groestl_table = {sizeof implementations / sizeof *implementations,
                                   implementations};
