/* SPDX-License-Identifier: Apache-2.0
 *
 * libgcrypt (tried: 1.10 to 1.12). One call style for each kind, from its manual:
 *   mac.c   gcry_mac: HMAC, CMAC, GMAC, Poly1305(-AES)   hash.c    gcry_md
 *   keyed_hash.c   gcry_md with a key: BLAKE2         cipher.c  gcry_cipher
 * Algorithms that a build of the library leaves out, or forbids in FIPS mode, are told as lacking.
 * The library has no SipHash, KMAC, SHACAL and RC6. */
#include <pthread.h>

#include "libgcrypt.h"
#include "offered.h"

static jm_plugin plugin;

static void gather(void) {
    const jm_table *const tables[] = {&jm_gcrypt_mac, &jm_gcrypt_keyed_hash, &jm_gcrypt_hash,
                                      &jm_gcrypt_cipher};
    /* A program must check the version before any other call; secure memory is a locked pool of
     * fixed size, which thousands of key states would exhaust. */
    if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        if (!gcry_check_version(GCRYPT_VERSION)) return;
        gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    }
    jm_gather_tables(&plugin, tables, JM_COUNT(tables));
}

static const char *library_version(void) {
    return gcry_check_version(NULL);
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "libgcrypt",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
