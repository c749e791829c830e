/* SPDX-License-Identifier: Apache-2.0
 * Variants of Skein-512; common/table.h explains their order. */
#include "common/table.h"
#include "skein/skein.h"

#define ALL(variant_)                                                                              \
    &jm_skein_512_r2_256_##variant_, &jm_skein_512_r2_512_##variant_,                              \
        &jm_skein_512_256_##variant_, &jm_skein_512_512_##variant_

static const jm_implementation *const implementations[] = {
    ALL(portable),
};

const jm_table jm_skein_table = {sizeof implementations / sizeof *implementations, implementations};
