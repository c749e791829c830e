/* SPDX-License-Identifier: Apache-2.0
 *
 * openssl_evp, hashes: digests are fetched once per process. `digest` runs EVP_DigestInit_ex2,
 * update and final on a context that each thread keeps, as a program that hashes often would; a
 * stream of `init`, `update` and `final` has a separate context on the heap. */
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "openssl.h"

/* In the order of `digests`; `over` points to one of the names. */
static const char *const names[] = {
    "MD5",        "SHA1",        "SHA256",      "SHA384",   "SHA512",   "SHA3-224",
    "SHA3-256",   "SHA3-384",    "SHA3-512",    "SHAKE128", "SHAKE256", "SHA224",
    "SHA512-256", "BLAKE2B-512", "BLAKE2S-256", "SM3",      "RIPEMD160"};
static EVP_MD *digests[JM_COUNT(names)];
static CRYPTO_THREAD_LOCAL kept_context;
static int ready;

static void free_context(void *context) {
    EVP_MD_CTX_free(context);
}

/* Called by OPENSSL_atexit, while the library still works; the contexts of other threads are freed
 * when each thread ends. Both need this plugin in memory: it is linked with -z nodelete. */
static void stop(void) {
    EVP_MD_CTX_free(CRYPTO_THREAD_get_local(&kept_context));
    CRYPTO_THREAD_cleanup_local(&kept_context);
    for (size_t n = 0; n < JM_COUNT(digests); n++) EVP_MD_free(digests[n]);
}

static void start(void) {
    for (size_t n = 0; n < JM_COUNT(digests); n++) digests[n] = EVP_MD_fetch(NULL, names[n], NULL);
    ready = CRYPTO_THREAD_init_local(&kept_context, free_context) && OPENSSL_atexit(stop);
}

/* NULL if the library could not start or does not offer the digest (MD5 in FIPS mode). */
static const EVP_MD *digest_of(const jm_implementation *self) {
    static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
    const char *const *name = self->over;
    return CRYPTO_THREAD_run_once(&once, start) && ready ? digests[name - names] : NULL;
}

static EVP_MD_CTX *context_of_thread(void) {
    EVP_MD_CTX *context = CRYPTO_THREAD_get_local(&kept_context);
    if (context) return context;
    context = EVP_MD_CTX_new();
    if (context && CRYPTO_THREAD_set_local(&kept_context, context)) return context;
    EVP_MD_CTX_free(context);
    return NULL;
}

/* SHAKE's output has any length, so that EVP_DigestFinalXOF takes the length. */
static int finish(const jm_implementation *self, EVP_MD_CTX *context, uint8_t *out) {
    if (EVP_MD_get_flags(EVP_MD_CTX_get0_md(context)) & EVP_MD_FLAG_XOF)
        return EVP_DigestFinalXOF(context, out, self->output_bytes);
    return EVP_DigestFinal_ex(context, out, NULL);
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *out) {
    const EVP_MD *md = digest_of(self);
    EVP_MD_CTX *context = md ? context_of_thread() : NULL;
    return context && EVP_DigestInit_ex2(context, md, NULL) &&
                   EVP_DigestUpdate(context, message, message_bytes) && finish(self, context, out)
               ? JM_OK
               : JM_ERR_LIBRARY;
}

typedef struct {
    EVP_MD_CTX *context;
} hash_state;

static jm_status init(const jm_implementation *self, void *state) {
    const EVP_MD *md = digest_of(self);
    EVP_MD_CTX *context = md ? EVP_MD_CTX_new() : NULL;
    if (context && EVP_DigestInit_ex2(context, md, NULL)) {
        ((hash_state *)state)->context = context;
        return JM_OK;
    }
    EVP_MD_CTX_free(context);
    return JM_ERR_LIBRARY;
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t message_bytes) {
    (void)self;
    return EVP_DigestUpdate(((hash_state *)state)->context, message, message_bytes)
               ? JM_OK
               : JM_ERR_LIBRARY;
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *out) {
    EVP_MD_CTX *context = ((hash_state *)state)->context;
    int done = finish(self, context, out);
    EVP_MD_CTX_free(context);
    jm_wipe(state, sizeof(hash_state));
    return done ? JM_OK : JM_ERR_LIBRARY;
}

static const jm_hash_functions functions = {
    .state_bytes = sizeof(hash_state),
    .init = init,
    .update = update,
    .final = final,
    .digest = digest,
};

#define IMPLEMENTATION(id, index, block, digest_bytes)                                             \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "openssl_evp",                                                                  \
        .kind = JM_KIND_HASH,                                                                      \
        .lanes = 1,                                                                                \
        .note = "EVP_DigestInit_ex2, update, final on a context kept by the thread",               \
        .block_bytes = block,                                                                      \
        .output_bytes = digest_bytes,                                                              \
        .hash = &functions,                                                                        \
        .over = &names[index],                                                                     \
    }

static const jm_implementation *const implementations[] = {
    IMPLEMENTATION("md5", 0, 64, 16),
    IMPLEMENTATION("sha1", 1, 64, 20),
    IMPLEMENTATION("sha256", 2, 64, 32),
    IMPLEMENTATION("sha384", 3, 128, 48),
    IMPLEMENTATION("sha512", 4, 128, 64),
    IMPLEMENTATION("sha3-224", 5, 144, 28),
    IMPLEMENTATION("sha3-256", 6, 136, 32),
    IMPLEMENTATION("sha3-384", 7, 104, 48),
    IMPLEMENTATION("sha3-512", 8, 72, 64),
    IMPLEMENTATION("shake128-256", 9, 168, 32),
    IMPLEMENTATION("shake256-512", 10, 136, 64),
    IMPLEMENTATION("sha224", 11, 64, 28),
    IMPLEMENTATION("sha512-256", 12, 128, 32),
    IMPLEMENTATION("blake2b-512", 13, 128, 64),
    IMPLEMENTATION("blake2s-256", 14, 64, 32),
    IMPLEMENTATION("sm3", 15, 64, 32),
    IMPLEMENTATION("ripemd160", 16, 64, 20),
};

const jm_table jm_openssl_digest = {JM_COUNT(implementations), implementations};
