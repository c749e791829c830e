/* SPDX-License-Identifier: Apache-2.0
 * Variants of Chaskey; common/table.h explains their order. */
#include "chaskey/chaskey.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_chaskey_8_mcu8,     &jm_chaskey_12_mcu8,     &jm_chaskey_lts_mcu8,
    &jm_chaskey_8_mcu32,    &jm_chaskey_12_mcu32,    &jm_chaskey_lts_mcu32,
    &jm_chaskey_8_portable, &jm_chaskey_12_portable, &jm_chaskey_lts_portable,
};

const jm_table jm_chaskey_table = {sizeof implementations / sizeof *implementations,
                                   implementations};
