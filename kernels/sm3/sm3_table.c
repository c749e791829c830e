/* SPDX-License-Identifier: Apache-2.0
 * Variants of SM3 (GB/T 32905-2016); common/table.h explains their order. */
#include "common/table.h"
#include "sm3/sm3.h"

static const jm_implementation *const implementations[] = {
    &jm_sm3_portable,
#if defined(__x86_64__)
    &jm_sm3_bmi2,
#endif
};

const jm_table jm_sm3_table = {sizeof implementations / sizeof *implementations, implementations};
