/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL (tried: 5.5, 5.7, 5.8, 5.9), its library wolfCrypt. One call style for each algorithm,
 * from the manual's chapter "wolfCrypt usage reference" and its API pages:
 *   hmac.c  HMAC       aes.c      AES, CMAC, GMAC
 *   hash.c  hashes     oneshot.c  SipHash, Poly1305, BLAKE2 with a key
 * Debian's build, which its users get, has neither AES instructions nor assembly. The library lacks
 * KMAC, and SipHash with other rounds than it was built with. */
#include "wolfssl.h"

#include <pthread.h>
#include <wolfssl/ssl.h>

#include "offered.h"

static const char *library_version(void) {
    return wolfSSL_lib_version();
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "wolfssl",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    const jm_table *const tables[] = {&jm_wolfssl_hmac, &jm_wolfssl_aes, &jm_wolfssl_oneshot,
                                      &jm_wolfssl_hash};
    if (wolfCrypt_Init()) return;
    jm_gather_tables(&plugin, tables, JM_COUNT(tables));
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
