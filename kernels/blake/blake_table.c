/* SPDX-License-Identifier: Apache-2.0
 * Variants of BLAKE; common/table.h explains their order. */
#include "blake/blake.h"
#include "common/table.h"

#define ALL(variant_)                                                                              \
    &jm_blake_r2_256_##variant_, &jm_blake_r2_512_##variant_, &jm_blake_256_##variant_,            \
        &jm_blake_512_##variant_

static const jm_implementation *const implementations[] = {
    ALL(portable),
#if defined(__x86_64__)
    ALL(avx512),
#endif
};

const jm_table jm_blake_table = {sizeof implementations / sizeof *implementations, implementations};
