/* SPDX-License-Identifier: Apache-2.0
 * Variants of Blue Midnight Wish; common/table.h explains their order. */
#include "bmw/bmw.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_bmw_256_portable,
    &jm_bmw_512_portable,
#if defined(__x86_64__)
    &jm_bmw_256_avx512,
    &jm_bmw_512_avx512,
#endif
};

const jm_table jm_bmw_table = {sizeof implementations / sizeof *implementations, implementations};
