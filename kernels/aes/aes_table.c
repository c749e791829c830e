/* SPDX-License-Identifier: Apache-2.0
 * Every AES variant and the MACs over each: one line of VARIANTS makes all implementations. CMAC
 * and XCBC in lanes have files in cmac/. */
#include "aes/aes.h"
#include "cmac/cmac.h"
#include "common/table.h"
#include "joulemark/kernel.h"
#include "pmac/pmac.h"

/* Slowest first. VARIANT(name, CPU features, its jm_timing) */
#define FOR_ANY_CPU(VARIANT)                                                                       \
    VARIANT(mcu8, 0, JM_TIMING_VARIABLE)                                                           \
    VARIANT(mcu32, 0, JM_TIMING_CONSTANT)                                                          \
    VARIANT(portable, 0, JM_TIMING_CONSTANT)
#if defined(__x86_64__)
#define VARIANTS(VARIANT)                                                                          \
    FOR_ANY_CPU(VARIANT)                                                                           \
    VARIANT(aesni, JM_CPU_AESNI | JM_CPU_SSE41, JM_TIMING_CONSTANT)
#elif defined(__AVR__)
#define VARIANTS(VARIANT)                                                                          \
    FOR_ANY_CPU(VARIANT)                                                                           \
    VARIANT(mcu8_avr, 0, JM_TIMING_VARIABLE)
#else
#define VARIANTS(VARIANT) FOR_ANY_CPU(VARIANT)
#endif

/* A MAC of CMAC's kind over AES-<bits>. */
#define CMAC(mode, id, bits, variant, features, constant_time)                                     \
    static const jm_mac_functions mode##_functions_aes##bits##_##variant =                         \
        JM_CMAC_FUNCTIONS(JM_AES##bits##_SCHEDULE_BYTES_##variant, jm_##mode##_set_key);           \
    const jm_implementation jm_##mode##_aes##bits##_##variant =                                    \
        JM_CMAC_CLAIMING(constant_time, id #bits, #variant, features, JM_AES##bits##_KEY_BYTES,    \
                         mode##_functions_aes##bits##_##variant, jm_aes##bits##_##variant);
#define PMAC(variant, features, constant_time)                                                     \
    static const jm_mac_functions pmac_functions_##variant =                                       \
        JM_PMAC_FUNCTIONS(JM_AES128_SCHEDULE_BYTES_##variant);                                     \
    const jm_implementation jm_pmac_aes128_##variant =                                             \
        JM_CMAC_CLAIMING(constant_time, "pmac-aes128", #variant, features, JM_AES128_KEY_BYTES,    \
                         pmac_functions_##variant, jm_aes128_##variant);
#define DEFINE(variant, features, constant_time)                                                   \
    CMAC(cmac, "cmac-aes", 128, variant, features, constant_time)                                  \
    CMAC(cmac, "cmac-aes", 192, variant, features, constant_time)                                  \
    CMAC(cmac, "cmac-aes", 256, variant, features, constant_time)                                  \
    CMAC(xcbc, "xcbc-aes", 128, variant, features, constant_time)                                  \
    CMAC(cbc_mac, "cbc-mac-aes", 128, variant, features, constant_time)                            \
    PMAC(variant, features, constant_time)
#define ADDRESSES(variant, features, constant_time)                                                \
    &jm_aes128_##variant, &jm_aes192_##variant, &jm_aes256_##variant, &jm_cmac_aes128_##variant,   \
        &jm_cmac_aes192_##variant, &jm_cmac_aes256_##variant, &jm_xcbc_aes128_##variant,           \
        &jm_cbc_mac_aes128_##variant, &jm_pmac_aes128_##variant,

VARIANTS(DEFINE)

/* The lanes come first: for one message `auto` is to prefer the others. */
static const jm_implementation *const implementations[] = {
#if defined(__x86_64__)
    &jm_cmac_aes128_aesni_x8, &jm_cmac_aes192_aesni_x8, &jm_cmac_aes256_aesni_x8,
    &jm_cmac_aes128_vaes_x16, &jm_cmac_aes192_vaes_x16, &jm_cmac_aes256_vaes_x16,
    &jm_cmac_aes128_vaes_x32, &jm_cmac_aes192_vaes_x32, &jm_cmac_aes256_vaes_x32,
    &jm_xcbc_aes128_aesni_x8, &jm_xcbc_aes128_vaes_x16, &jm_xcbc_aes128_vaes_x32,
#endif
    VARIANTS(ADDRESSES)};

const jm_table jm_aes_table = {sizeof implementations / sizeof *implementations, implementations};
