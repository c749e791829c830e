/* SPDX-License-Identifier: Apache-2.0
 * AEGIS as a MAC, slowest first. */
#include "aegis/aegis.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_aegismac_128l_portable,
    &jm_aegismac_256_portable,
#if defined(__x86_64__)
    &jm_aegismac_128l_aesni,
    &jm_aegismac_256_aesni,
#endif
};

const jm_table jm_aegis_table = {sizeof implementations / sizeof *implementations, implementations};
