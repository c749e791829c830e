/* SPDX-License-Identifier: Apache-2.0
 * RC6 and CMAC over it, for single messages and in lanes. */
#include "common/table.h"
#include "rc6/rc6.h"

/* The variants in lanes come first, so that `auto` prefers `portable` for one message. */
static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_cmac_rc6_128_avx2_x8,    &jm_cmac_rc6_128_avx2_x16,
    &jm_cmac_rc6_128_avx512_x16, &jm_cmac_rc6_128_avx512_x32,
#endif
    &jm_rc6_128_portable,        &jm_cmac_rc6_128_portable,
};

const jm_table jm_rc6_table = {sizeof implementations / sizeof *implementations, implementations};
