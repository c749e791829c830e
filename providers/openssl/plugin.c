/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL 3 (tried: 3.0 to 3.6). Call styles, each a separate variant, from the manual pages
 * EVP_MAC(3), HMAC(3), SHA256_Init(3), EVP_DigestInit(3) and EVP_EncryptInit(3):
 *   evp_mac.c   openssl_mac_reinit, openssl_mac_rekey     hmac.c      openssl_hmac_init_null
 *   oneshot.c   openssl_oneshot                           lowlevel.c  openssl_lowlevel
 *   digest.c, cipher.c   openssl_evp
 * No algorithm is fetched per message, except inside the library's one-shot calls. */
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offered.h"
#include "openssl.h"

static const char *library_version(void) {
    return OpenSSL_version(OPENSSL_VERSION);
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "openssl",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    const jm_table *const tables[] = {&jm_openssl_evp_mac,  &jm_openssl_hmac,   &jm_openssl_oneshot,
                                      &jm_openssl_lowlevel, &jm_openssl_digest, &jm_openssl_cipher};
    jm_gather_tables(&plugin, tables, JM_COUNT(tables));
}

/* Adds the flags that the library reports of its build; without memory only ours are listed. */
static void tell_flags(void) {
    const char *theirs = OpenSSL_version(OPENSSL_CFLAGS);
    const size_t bytes = strlen(theirs) + sizeof JM_BUILD_FLAGS + 16;
    char *text = malloc(bytes);
    if (!text) return;
    snprintf(text, bytes, "%s; libcrypto: %s", JM_BUILD_FLAGS, theirs);
    plugin.flags = text;
}

static void prepare(void) {
    gather();
    tell_flags();
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
    CRYPTO_THREAD_run_once(&once, prepare);
    return &plugin;
}
