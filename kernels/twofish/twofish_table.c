/* SPDX-License-Identifier: Apache-2.0
 * Twofish and CMAC over it. */
#include "common/table.h"
#include "twofish/twofish.h"

static const jm_implementation *const implementations[] = {
    &jm_twofish128_portable,
    &jm_twofish256_portable,
    &jm_cmac_twofish128_portable,
};

const jm_table jm_twofish_table = {sizeof implementations / sizeof *implementations,
                                   implementations};
