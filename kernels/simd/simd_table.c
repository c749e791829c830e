/* SPDX-License-Identifier: Apache-2.0
 * Variants of SIMD; common/table.h explains their order. */
#include "common/table.h"
#include "simd/simd.h"

static const jm_implementation *const implementations[] = {
    &jm_simd_256_portable,
    &jm_simd_512_portable,
#if defined(__x86_64__)
    &jm_simd_256_avx512,
    &jm_simd_512_avx512,
#endif
};

const jm_table jm_simd_table = {sizeof implementations / sizeof *implementations, implementations};
