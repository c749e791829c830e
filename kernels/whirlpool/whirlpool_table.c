/* SPDX-License-Identifier: Apache-2.0
 * Variants of Whirlpool; common/table.h explains their order. */
#include "common/table.h"
#include "whirlpool/whirlpool.h"

static const jm_implementation *const implementations[] = {
    &jm_whirlpool_portable,
#if defined(__x86_64__)
    &jm_whirlpool_unaligned,
#endif
};

const jm_table jm_whirlpool_table = {sizeof implementations / sizeof *implementations,
                                     implementations};
