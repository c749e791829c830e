/* SPDX-License-Identifier: Apache-2.0
 * Variants of ECHO; common/table.h explains their order. */
#include "common/table.h"
#include "echo/echo.h"

static const jm_implementation *const implementations[] = {
    &jm_echo_256_portable, &jm_echo_512_portable,
#if defined(__x86_64__)
    &jm_echo_256_aesni,    &jm_echo_512_aesni,    &jm_echo_256_vaes_gfni, &jm_echo_512_vaes_gfni,
#endif
};

const jm_table jm_echo_table = {sizeof implementations / sizeof *implementations, implementations};
