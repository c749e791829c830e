/* SPDX-License-Identifier: Apache-2.0
 *
 * openssl_hmac_init_null: the HMAC_CTX interface that most programs written for OpenSSL 1 still
 * use. HMAC(3): HMAC_Init_ex with a NULL key and a NULL digest begins a new message under the key
 * and digest set before. The digest is fetched once per key state. */

/* HMAC_CTX is deprecated since 3.0 and still the quickest HMAC call that keeps the key inside the
 * library; this file exists to compare its cost with that of its successor. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "openssl.h"

/* `context` changes with every message; the state itself does not. */
typedef struct {
    HMAC_CTX *context;
} hmac_state;

static void wipe_key(const jm_implementation *self, void *key_state) {
    hmac_state *state = key_state;
    (void)self;
    HMAC_CTX_free(state->context);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    hmac_state *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    EVP_MD *digest = EVP_MD_fetch(NULL, self->over, NULL);
    if (!digest) return JM_ERR_LIBRARY;
    state->context = HMAC_CTX_new();
    int keyed =
        state->context && HMAC_Init_ex(state->context, some_key(key), (int)key_bytes, digest, NULL);
    EVP_MD_free(digest); /* the context holds another reference */
    if (keyed) return JM_OK;
    wipe_key(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    hmac_state *state = to;
    state->context = HMAC_CTX_new();
    if (state->context && HMAC_CTX_copy(state->context, ((const hmac_state *)from)->context))
        return JM_OK;
    wipe_key(self, to);
    return JM_ERR_LIBRARY;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    HMAC_CTX *context = ((const hmac_state *)key_state)->context;
    unsigned written;
    (void)self;
    return HMAC_Init_ex(context, NULL, 0, NULL, NULL) &&
                   HMAC_Update(context, message, message_bytes) &&
                   HMAC_Final(context, out, &written)
               ? JM_OK
               : JM_ERR_LIBRARY;
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(hmac_state),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
};

#define HMAC_IMPLEMENTATION(hash, name, block, tag_bytes)                                          \
    OPENSSL_HMAC(hash, "openssl_hmac_init_null",                                                   \
                 "HMAC_CTX keyed once; per message HMAC_Init_ex without a key, update, final",     \
                 functions, block, tag_bytes, .over = name)

static const jm_implementation *const implementations[] = {
    HMAC_IMPLEMENTATION("md5", "MD5", 64, 16),
    HMAC_IMPLEMENTATION("sha1", "SHA1", 64, 20),
    HMAC_IMPLEMENTATION("sha256", "SHA256", 64, 32),
    HMAC_IMPLEMENTATION("sha384", "SHA384", 128, 48),
    HMAC_IMPLEMENTATION("sha512", "SHA512", 128, 64),
};

const jm_table jm_openssl_hmac = {JM_COUNT(implementations), implementations};
