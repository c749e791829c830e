/* SPDX-License-Identifier: Apache-2.0
 * Every SipHash variant. The variants in lanes come first, so that `auto` prefers `portable` for
 * one message. */
#include "common/table.h"
#include "siphash/siphash.h"

static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_siphash_1_3_avx2_x4,
    &jm_siphash_2_4_avx2_x4,
    &jm_siphash_2_4_128_avx2_x4,
    &jm_siphash_1_3_avx2_x8,
    &jm_siphash_2_4_avx2_x8,
    &jm_siphash_2_4_128_avx2_x8,
    &jm_siphash_1_3_avx512_x8,
    &jm_siphash_2_4_avx512_x8,
    &jm_siphash_2_4_128_avx512_x8,
    &jm_siphash_1_3_avx512_x16,
    &jm_siphash_2_4_avx512_x16,
    &jm_siphash_2_4_128_avx512_x16,
#endif
    &jm_siphash_1_3_mcu8,
    &jm_siphash_2_4_mcu8,
    &jm_siphash_2_4_128_mcu8,
    &jm_siphash_1_3_mcu32,
    &jm_siphash_2_4_mcu32,
    &jm_siphash_2_4_128_mcu32,
    &jm_siphash_1_3_portable,
    &jm_siphash_2_4_portable,
    &jm_siphash_2_4_128_portable,
    &jm_halfsiphash_2_4_mcu8,
    &jm_halfsiphash_2_4_64_mcu8,
    &jm_halfsiphash_2_4_portable,
    &jm_halfsiphash_2_4_64_portable,
};

const jm_table jm_siphash_table = {sizeof implementations / sizeof *implementations,
                                   implementations};
