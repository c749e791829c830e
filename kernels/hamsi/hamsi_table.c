/* SPDX-License-Identifier: Apache-2.0
 * Variants of Hamsi; common/table.h explains their order. */
#include "common/table.h"
#include "hamsi/hamsi.h"

static const jm_implementation *const implementations[] = {
    &jm_hamsi_256_portable, &jm_hamsi_512_portable,
#if defined(__x86_64__)
    &jm_hamsi_256_ssse3,    &jm_hamsi_256_gfni,     &jm_hamsi_512_gfni,
#endif
};

const jm_table jm_hamsi_table = {sizeof implementations / sizeof *implementations, implementations};
