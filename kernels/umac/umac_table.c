/* SPDX-License-Identifier: Apache-2.0
 * UMAC over AES-128, slowest first. */
#include "common/table.h"
#include "umac/umac.h"

#define ADDRESSES(variant)                                                                         \
    &jm_umac_32_##variant, &jm_umac_64_##variant, &jm_umac_96_##variant, &jm_umac_128_##variant,

static const jm_implementation *const implementations[] = {
    ADDRESSES(portable)
#if defined(__x86_64__)
        ADDRESSES(aesni) ADDRESSES(aesni_avx2) ADDRESSES(aesni_avx512)
#endif
};

const jm_table jm_umac_table = {sizeof implementations / sizeof *implementations, implementations};
