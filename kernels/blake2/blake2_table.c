/* SPDX-License-Identifier: Apache-2.0
 * Variants of BLAKE2; common/table.h explains their order. */
#include "blake2/blake2.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_blake2s_mcu8,     &jm_blake2s_mac_mcu8, &jm_blake2s_mcu32,        &jm_blake2s_mac_mcu32,
    &jm_blake2b_portable, &jm_blake2s_portable, &jm_blake2b_mac_portable, &jm_blake2s_mac_portable,
#if defined(__x86_64__)
    &jm_blake2b_bmi2,     &jm_blake2s_bmi2,     &jm_blake2b_mac_bmi2,     &jm_blake2s_mac_bmi2,
    &jm_blake2b_avx512,   &jm_blake2s_avx512,   &jm_blake2b_mac_avx512,   &jm_blake2s_mac_avx512,
#endif
};

const jm_table jm_blake2_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
