/* SPDX-License-Identifier: Apache-2.0
 *
 * libgcrypt (tried: 1.10.1). One call style for each kind, from its manual:
 *   mac.c   gcry_mac: HMAC, CMAC, GMAC, Poly1305(-AES)   hash.c    gcry_md
 *   keyed_hash.c   gcry_md with a key: BLAKE2         cipher.c  gcry_cipher
 * Algorithms that a build of the library leaves out, or forbids in FIPS mode, are not offered. The
 * library lacks SipHash, KMAC, SHACAL and RC6. */
#include <pthread.h>
#include <stdlib.h>

#include "libgcrypt.h"

static jm_plugin plugin;

static bool is_offered(const jm_implementation *one) {
    const gcrypt_number *of = one->over;
    if (of->is_mac) return gcry_mac_test_algo(of->number) == 0;
    if (one->kind == JM_KIND_CIPHER) return gcry_cipher_test_algo(of->number) == 0;
    return gcry_md_test_algo(of->number) == 0;
}

/* Joins the tables into one list, which lives as long as the process. Without memory for the list
 * the plugin is empty. */
static void gather(void) {
    const jm_table *const tables[] = {&jm_gcrypt_mac, &jm_gcrypt_keyed_hash, &jm_gcrypt_hash,
                                      &jm_gcrypt_cipher};
    size_t total = 0;
    /* A program must check the version before any other call; secure memory is a locked pool of
     * fixed size, which thousands of key states would exhaust. */
    if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        if (!gcry_check_version(GCRYPT_VERSION)) return;
        gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    }
    for (size_t t = 0; t < JM_COUNT(tables); t++) total += tables[t]->count;
    const jm_implementation **joined = malloc(total * sizeof *joined);
    if (!joined) return;
    for (size_t t = 0; t < JM_COUNT(tables); t++)
        for (size_t n = 0; n < tables[t]->count; n++)
            if (is_offered(tables[t]->implementations[n]))
                joined[plugin.count++] = tables[t]->implementations[n];
    plugin.implementations = joined;
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
