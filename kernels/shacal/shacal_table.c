/* SPDX-License-Identifier: Apache-2.0
 * SHACAL-1, SHACAL-2 and CMAC over each, slowest first. */
#include "common/table.h"
#include "shacal/shacal.h"

static const jm_implementation *const implementations[] = {
    &jm_shacal1_mcu8,          &jm_cmac_shacal1_mcu8,  &jm_shacal1_portable,
    &jm_cmac_shacal1_portable, &jm_shacal2_portable,   &jm_cmac_shacal2_portable,
#if defined(__x86_64__)
    &jm_shacal1_shani,         &jm_cmac_shacal1_shani, &jm_shacal2_shani,
    &jm_cmac_shacal2_shani,
#endif
};

const jm_table jm_shacal_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
