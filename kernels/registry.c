/* SPDX-License-Identifier: Apache-2.0
 * Our own kernels as one plugin: the tables of all primitives, one after the other, HMAC over those
 * hashes that have none, and at the end the engines, each the last variant of its algorithm.
 */
#include <pthread.h>
#include <stdlib.h>

#include "common/table.h"
#include "engine/engine.h"
#include "hmac/hmac_over_hash.h"
#include "joulemark/mac.h"

/* One line per primitive, in the order in which `joulemark list` shows them. */
#define PRIMITIVES(TABLE)                                                                          \
    TABLE(md5)                                                                                     \
    TABLE(sha1)                                                                                    \
    TABLE(castellon2022)                                                                           \
    TABLE(sha256)                                                                                  \
    TABLE(sha512)                                                                                  \
    TABLE(keccak)                                                                                  \
    TABLE(blake)                                                                                   \
    TABLE(skein)                                                                                   \
    TABLE(bmw)                                                                                     \
    TABLE(shabal)                                                                                  \
    TABLE(cubehash)                                                                                \
    TABLE(simd)                                                                                    \
    TABLE(blake2)                                                                                  \
    TABLE(blake3)                                                                                  \
    TABLE(kt128)                                                                                   \
    TABLE(gmac)                                                                                    \
    TABLE(vmac)                                                                                    \
    TABLE(umac)                                                                                    \
    TABLE(aegis)                                                                                   \
    TABLE(ascon)                                                                                   \
    TABLE(ripemd160)                                                                               \
    TABLE(sm3)                                                                                     \
    TABLE(whirlpool)                                                                               \
    TABLE(jh)                                                                                      \
    TABLE(luffa)                                                                                   \
    TABLE(echo)                                                                                    \
    TABLE(fugue)                                                                                   \
    TABLE(groestl)                                                                                 \
    TABLE(shavite3)                                                                                \
    TABLE(hamsi)                                                                                   \
    TABLE(aes)                                                                                     \
    TABLE(serpent)                                                                                 \
    TABLE(rc6)                                                                                     \
    TABLE(twofish)                                                                                 \
    TABLE(shacal)                                                                                  \
    TABLE(siphash)                                                                                 \
    TABLE(chaskey)                                                                                 \
    TABLE(poly1305)

#define DECLARE(primitive) extern const jm_table jm_##primitive##_table;
#define ADDRESS(primitive) &jm_##primitive##_table,
PRIMITIVES(DECLARE)

static const jm_table *const tables[] = {PRIMITIVES(ADDRESS)};
static const jm_implementation *implementations[1024];

static const char *library_version(void) {
    return JOULEMARK_VERSION;
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "joulemark",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
    .implementations = implementations,
};

/* Aborts rather than hide an implementation when `implementations` has become too small. */
static void append(const jm_table *table) {
    const size_t room = sizeof implementations / sizeof *implementations;
    if (table->count > room - plugin.count) abort();
    for (size_t i = 0; i < table->count; i++)
        implementations[plugin.count++] = table->implementations[i];
}

static void concatenate(void) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) append(tables[i]);
    append(jm_hmacs_over(implementations, plugin.count));
    append(jm_engines_over(implementations, plugin.count));
}

const jm_plugin *jm_builtin_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, concatenate);
    return &plugin;
}
