/* SPDX-License-Identifier: Apache-2.0
 * Every AES variant, and CMAC over each: one line of VARIANTS makes all four implementations. CMAC
 * in lanes has its own files in cmac/. */
#include "aes/aes.h"
#include "cmac/cmac.h"
#include "joulemark/cpu.h"

/* Slowest first. VARIANT(name, CPU features) */
#if defined(__x86_64__)
#define VARIANTS(VARIANT)                                                                          \
    VARIANT(portable, 0)                                                                           \
    VARIANT(aesni, JM_CPU_AESNI | JM_CPU_SSE41)
#else
#define VARIANTS(VARIANT) VARIANT(portable, 0)
#endif

#define CMAC(bits, variant, features)                                                              \
    static const jm_mac_functions cmac_functions_aes##bits##_##variant =                           \
        JM_CMAC_FUNCTIONS(JM_AES##bits##_SCHEDULE_BYTES_##variant);                                \
    const jm_implementation jm_cmac_aes##bits##_##variant =                                        \
        JM_CMAC("cmac-aes" #bits, #variant, features, JM_AES##bits##_KEY_BYTES,                    \
                cmac_functions_aes##bits##_##variant, jm_aes##bits##_##variant);
#define DEFINE(variant, features) CMAC(128, variant, features) CMAC(256, variant, features)
#define ADDRESSES(variant, features)                                                               \
    &jm_aes128_##variant, &jm_aes256_##variant, &jm_cmac_aes128_##variant,                         \
        &jm_cmac_aes256_##variant,

VARIANTS(DEFINE)

/* The lanes come first: for one message `auto` is to prefer the others. */
static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_cmac_aes128_aesni_x8, &jm_cmac_aes256_aesni_x8, &jm_cmac_aes128_vaes_x16,
    &jm_cmac_aes256_vaes_x16, &jm_cmac_aes128_vaes_x32, &jm_cmac_aes256_vaes_x32,
#endif
    VARIANTS(ADDRESSES)};

const jm_table jm_aes_table = {sizeof implementations / sizeof *implementations, implementations};
