/* SPDX-License-Identifier: Apache-2.0
 * Variants of Shabal; common/table.h explains their order. */
#include "common/table.h"
#include "shabal/shabal.h"

static const jm_implementation *const implementations[] = {
    &jm_shabal_256_portable,
    &jm_shabal_512_portable,
};

const jm_table jm_shabal_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
