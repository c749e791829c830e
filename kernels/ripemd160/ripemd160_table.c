/* SPDX-License-Identifier: Apache-2.0
 * Variants of RIPEMD-160; common/table.h explains their order. */
#include "common/table.h"
#include "ripemd160/ripemd160.h"

static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_ripemd160_bmi2, /* slower than `portable` on Zen 4 */
#endif
    &jm_ripemd160_portable,
};

const jm_table jm_ripemd160_table = {sizeof implementations / sizeof *implementations,
                                     implementations};
