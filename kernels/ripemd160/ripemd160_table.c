/* SPDX-License-Identifier: Apache-2.0
 * Variants of RIPEMD-160; see common/table.h for what the order means. */
#include "ripemd160/ripemd160.h"

static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_ripemd160_bmi2, /* on Zen 4 the slower */
#endif
    &jm_ripemd160_portable,
};

const jm_table jm_ripemd160_table = {sizeof implementations / sizeof *implementations,
                                     implementations};
