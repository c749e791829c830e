/* SPDX-License-Identifier: Apache-2.0
 * Every GMAC variant, slowest first. */
#include "common/table.h"
#include "gmac/gmac.h"

static const jm_implementation *const implementations[] = {
    &jm_gmac_aes128_portable, &jm_gmac_aes192_portable, &jm_gmac_aes256_portable,
#if defined(__x86_64__)
    &jm_gmac_aes128_pclmul,   &jm_gmac_aes192_pclmul,   &jm_gmac_aes256_pclmul,
    &jm_gmac_aes128_vpclmul,  &jm_gmac_aes192_vpclmul,  &jm_gmac_aes256_vpclmul,
#endif
};
const jm_table jm_gmac_table = {sizeof implementations / sizeof *implementations, implementations};
