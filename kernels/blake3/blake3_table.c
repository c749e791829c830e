/* SPDX-License-Identifier: Apache-2.0
 * Variants of BLAKE3; common/table.h explains their order. */
#include "blake3/blake3.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_blake3_portable, &jm_blake3_keyed_portable,
#if defined(__x86_64__)
    &jm_blake3_avx2,     &jm_blake3_keyed_avx2,     &jm_blake3_avx512, &jm_blake3_keyed_avx512,
#endif
};

const jm_table jm_blake3_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
