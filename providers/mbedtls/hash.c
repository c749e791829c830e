/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashes. Versions 2 and 3 by md.h: a whole message by mbedtls_md, which allocates a context for
 * each message; a stream by mbedtls_md_setup, starts, update, finish on one context. */
#include "mbedtls.h"

#if JM_MBEDTLS_PSA
#define FUNCTIONS jm_psa_hash
#define OVER(classic, psa) (&(const psa_algorithm_t){psa})
#define CALLS "psa_hash_compute"
#else
#include <mbedtls/md.h>

#define FUNCTIONS functions
#define OVER(classic, psa) (&(const mbedtls_md_type_t){classic})
#define CALLS "mbedtls_md, which makes a context for each message"

static const mbedtls_md_info_t *info_of(const jm_implementation *self) {
    return mbedtls_md_info_from_type(*(const mbedtls_md_type_t *)self->over);
}

static jm_status init(const jm_implementation *self, void *state) {
    mbedtls_md_init(state);
    if (!mbedtls_md_setup(state, info_of(self), 0) && !mbedtls_md_starts(state)) return JM_OK;
    mbedtls_md_free(state);
    return JM_ERR_LIBRARY;
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t message_bytes) {
    (void)self;
    return status_of(mbedtls_md_update(state, some_bytes(message), message_bytes));
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *digest) {
    (void)self;
    const int code = mbedtls_md_finish(state, digest);
    mbedtls_md_free(state);
    jm_wipe(state, sizeof(mbedtls_md_context_t));
    return status_of(code);
}

static jm_status whole(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                       uint8_t *digest) {
    return status_of(mbedtls_md(info_of(self), some_bytes(message), message_bytes, digest));
}

static const jm_hash_functions functions = {
    .state_bytes = sizeof(mbedtls_md_context_t),
    .init = init,
    .update = update,
    .final = final,
    .digest = whole,
};
#endif

#define HASH(id, classic, psa, block, digest_bytes)                                                \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "mbedtls",                                                                      \
        .note = CALLS,                                                                             \
        .kind = JM_KIND_HASH,                                                                      \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = digest_bytes,                                                              \
        .hash = &FUNCTIONS,                                                                        \
        .over = OVER(MBEDTLS_MD_##classic, PSA_ALG_##psa),                                         \
    }

static const jm_implementation *const implementations[] = {
    HASH("md5", MD5, MD5, 64, 16),
    HASH("sha1", SHA1, SHA_1, 64, 20),
    HASH("sha224", SHA224, SHA_224, 64, 28),
    HASH("sha256", SHA256, SHA_256, 64, 32),
    HASH("sha384", SHA384, SHA_384, 128, 48),
    HASH("sha512", SHA512, SHA_512, 128, 64),
    HASH("ripemd160", RIPEMD160, RIPEMD160, 64, 20),
};

const jm_table jm_mbedtls_hash = {JM_COUNT(implementations), implementations};
