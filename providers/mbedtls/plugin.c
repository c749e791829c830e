/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS 2.28 and 3 (tried: 2.28, 3.6), its classic interface. One call style for each algorithm,
 * from the comments in its headers, which are its manual:
 *   hmac.c  md.h      cmac.c  cmac.h      hash.c  md.h      aes.c  aes.h, gcm.h, poly1305.h
 * Not offered: SHA-3, SipHash, BLAKE2 and KMAC, which 2.28 lacks. */
#include <mbedtls/version.h>
#include <pthread.h>

#include "mbedtls.h"
#include "offered.h"

/* "Mbed TLS 2.28.3"; the library's header requires room for 18 bytes. */
static const char *library_version(void) {
    static _Thread_local char text[32];
    mbedtls_version_get_string_full(text);
    return text;
}

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
    jm_gather_tables(&plugin, tables, JM_COUNT(tables));
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
