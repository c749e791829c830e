/* SPDX-License-Identifier: Apache-2.0
 * Variants of the Keccak family; common/table.h explains their order. */
#include "common/table.h"
#include "keccak/keccak.h"

#define SINGLE(variant_)                                                                           \
    &jm_keccak_##variant_[0], &jm_keccak_##variant_[1], &jm_keccak_##variant_[2],                  \
        &jm_keccak_##variant_[3], &jm_keccak_##variant_[4], &jm_keccak_##variant_[5],              \
        &jm_keccak_##variant_[6], &jm_keccak_##variant_[7], &jm_keccak_##variant_[8],              \
        &jm_keccak_##variant_[9], &jm_keccak_##variant_[10], &jm_keccak_##variant_[11],            \
        &jm_keccak_##variant_[12], &jm_keccak_##variant_[13]
_Static_assert(KECCAK_COUNT == 14, "SINGLE names them all");

static const jm_implementation *const implementations[] = {
    SINGLE(portable),
#if defined(__x86_64__)
    &jm_keccak_avx2_x4[0],   &jm_keccak_avx2_x4[1], &jm_keccak_avx512_x8[0],
    &jm_keccak_avx512_x8[1], SINGLE(bmi2),
#endif
};

const jm_table jm_keccak_table = {sizeof implementations / sizeof *implementations,
                                  implementations};
