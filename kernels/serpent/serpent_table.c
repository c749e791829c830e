/* SPDX-License-Identifier: Apache-2.0
 * Serpent and CMAC over it, for single messages and in lanes. */
#include "common/table.h"
#include "serpent/serpent.h"

/* The variants in lanes come first, so that `auto` prefers `portable` for one message. */
static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_cmac_serpent128_avx2_x8,    &jm_cmac_serpent128_avx2_x16, &jm_cmac_serpent128_avx512_x16,
    &jm_cmac_serpent128_avx512_x32,
#endif
    &jm_serpent128_portable,        &jm_serpent256_portable,      &jm_cmac_serpent128_portable,
};

const jm_table jm_serpent_table = {sizeof implementations / sizeof *implementations,
                                   implementations};
