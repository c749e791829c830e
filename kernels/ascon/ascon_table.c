/* SPDX-License-Identifier: Apache-2.0
 * Variants of Ascon's hashes; common/table.h explains their order. */
#include "ascon/ascon.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_ascon_mac_mcu8,     &jm_ascon_prf_mcu8,         &jm_ascon_mac_mcu32,
    &jm_ascon_prf_mcu32,    &jm_ascon_hash256_portable, &jm_ascon_hash_v12_portable,
    &jm_ascon_mac_portable, &jm_ascon_prf_portable,
#if defined(__x86_64__)
    &jm_ascon_hash256_bmi2, &jm_ascon_hash_v12_bmi2,    &jm_ascon_mac_bmi2,
    &jm_ascon_prf_bmi2,
#endif
};

const jm_table jm_ascon_table = {sizeof implementations / sizeof *implementations, implementations};
