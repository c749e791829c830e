/* SPDX-License-Identifier: Apache-2.0
 * Variants of Luffa; common/table.h explains their order. */
#include "common/table.h"
#include "luffa/luffa.h"

static const jm_implementation *const implementations[] = {
    &jm_luffa_256_portable, &jm_luffa_512_portable,
#if defined(__x86_64__)
    &jm_luffa_256_ssse3,    &jm_luffa_512_avx2,     &jm_luffa_256_avx512, &jm_luffa_512_avx512,
#endif
};

const jm_table jm_luffa_table = {sizeof implementations / sizeof *implementations, implementations};
