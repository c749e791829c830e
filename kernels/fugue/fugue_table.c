/* SPDX-License-Identifier: Apache-2.0
 * Variants of Fugue; common/table.h explains their order. */
#include "common/table.h"
#include "fugue/fugue.h"

static const jm_implementation *const implementations[] = {
    &jm_fugue_256_portable, &jm_fugue_512_portable,
#if defined(__x86_64__)
    &jm_fugue_256_aesni,    &jm_fugue_512_aesni,    &jm_fugue_256_gfni, &jm_fugue_512_gfni,
#endif
};

const jm_table jm_fugue_table = {sizeof implementations / sizeof *implementations, implementations};
