/* SPDX-License-Identifier: Apache-2.0
 * Variants of KT128; common/table.h explains their order. */
#include "common/table.h"
#include "kt128/kt128.h"

static const jm_implementation *const implementations[] = {
    &jm_kt128_portable,
#if defined(__x86_64__)
    &jm_kt128_bmi2,
    &jm_kt128_avx2,
    &jm_kt128_avx512,
#endif
};

const jm_table jm_kt128_table = {sizeof implementations / sizeof *implementations, implementations};
