/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS 2.28 and 3 (tried: 2.28, 3.6), its classic interface; Mbed TLS 4 (tried: 4.0), whose
 * library for cryptography is TF-PSA-Crypto. One call style for each algorithm, from the comments
 * in its headers, which are its manual:
 *   hmac.c  md.h      cmac.c  cmac.h      hash.c  md.h      aes.c  aes.h, gcm.h, poly1305.h
 *   psa.c   psa/crypto.h, for all of these in version 4, except Poly1305
 * Not offered: SHA-3, SipHash, BLAKE2 and KMAC, which 2.28 lacks. */
#include <pthread.h>

#include "mbedtls.h"
#include "offered.h"

#if JM_MBEDTLS_PSA
#include <tf-psa-crypto/version.h>

/* "TF-PSA-Crypto 1.0.0", of Mbed TLS 4.0.0. */
static const char *library_version(void) {
    return tf_psa_crypto_version_get_string_full();
}

/* Where this fails, the trials of all keys fail, and say so. */
static void start_library(void) {
    (void)psa_crypto_init();
}
#else
#include <mbedtls/version.h>

/* "Mbed TLS 2.28.3"; the library's header requires room for 18 bytes. */
static const char *library_version(void) {
    static _Thread_local char text[32];
    mbedtls_version_get_string_full(text);
    return text;
}

static void start_library(void) {}
#endif

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "mbedtls",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    const jm_table *const tables[] = {&jm_mbedtls_hmac, &jm_mbedtls_cmac, &jm_mbedtls_aes,
                                      &jm_mbedtls_hash};
    start_library();
    jm_gather_tables(&plugin, tables, JM_COUNT(tables));
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
