/* SPDX-License-Identifier: Apache-2.0
 * Every variant of Poly1305 and of Poly1305-AES, slowest first. */
#include "common/table.h"
#include "poly1305/poly1305.h"

static const jm_implementation *const implementations[] = {
    &jm_poly1305_mcu8,     &jm_poly1305_mcu32,
#if defined(__SIZEOF_INT128__)
    &jm_poly1305_portable, &jm_poly1305_aes_portable,
#if defined(__x86_64__)
    &jm_poly1305_bmi2, /* the vector variants pass short messages to it */
    &jm_poly1305_avx2,     &jm_poly1305_avx512ifma,     &jm_poly1305_aes_bmi2,
    &jm_poly1305_aes_avx2, &jm_poly1305_aes_avx512ifma,
#endif
#endif
};

const jm_table jm_poly1305_table = {sizeof implementations / sizeof *implementations,
                                    implementations};
