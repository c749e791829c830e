/* SPDX-License-Identifier: Apache-2.0
 * Variants of Blue Midnight Wish; see common/table.h for what the order means. */
#include "bmw/bmw.h"

static const jm_implementation *const implementations[] = {
    &jm_bmw_256_portable,
    &jm_bmw_512_portable,
};

const jm_table jm_bmw_table = {sizeof implementations / sizeof *implementations, implementations};
