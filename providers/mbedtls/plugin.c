/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS 2.28 and 3 (tried: 2.28.3), its classic interface. One call style for each algorithm,
 * from the comments in its headers, which are its manual:
 *   hmac.c  md.h      cmac.c  cmac.h      hash.c  md.h      aes.c  aes.h, gcm.h, poly1305.h
 * Not offered: SHA-3, SipHash, BLAKE2 and KMAC, which 2.28 lacks. */
#include <mbedtls/version.h>
#include <pthread.h>
#include <stdlib.h>

#include "mbedtls.h"

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

/* Joins the tables into one list, which lives as long as the process. Without memory for the list
 * the plugin is empty. */
static void gather(void) {
    const jm_table *const tables[] = {&jm_mbedtls_hmac, &jm_mbedtls_cmac, &jm_mbedtls_aes,
                                      &jm_mbedtls_hash};
    size_t total = 0;
    for (size_t t = 0; t < JM_COUNT(tables); t++) total += tables[t]->count;
    const jm_implementation **joined = malloc(total * sizeof *joined);
    if (!joined) return;
    for (size_t t = 0; t < JM_COUNT(tables); t++)
        for (size_t n = 0; n < tables[t]->count; n++)
            joined[plugin.count++] = tables[t]->implementations[n];
    plugin.implementations = joined;
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
