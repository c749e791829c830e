/* SPDX-License-Identifier: Apache-2.0
 *
 * EVP_MAC with a context kept in the key state: the MAC is fetched and keyed once.
 *   openssl_mac_reinit  EVP_MAC_init with a NULL key begins each message under the key set before:
 *                       HMAC, CMAC, GMAC, SipHash, BLAKE2 and KMAC. Before 3.0.3 tags of HMAC and
 *                       SipHash were wrong (OpenSSL issue 17811, pull request 18100), which the
 *                       vectors show
 *   openssl_mac_rekey   EVP_MAC_init gets the key again, so that the state keeps it: Poly1305,
 *                       which refuses a second message under its one-time key, and SipHash */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "openssl.h"

enum { REKEY_KEY_BYTES_MAX = 32 };

enum { GMAC_NONCE_BYTES = 12, GMAC_NONCE_BYTES_MAX = 128 }; /* the library's limit */

/* The name of the MAC to fetch, and its parameters (`parameter` NULL: none). */
typedef struct {
    const char *mac;
    const char *parameter;
    const char *value; /* NULL: the parameter is the size of the tag */
    bool rekey;
    unsigned c_rounds, d_rounds; /* rounds of SipHash; 0: the library's default */
} recipe;

typedef struct {
    EVP_MAC_CTX *context; /* changes with every message; the state itself does not */
    size_t key_bytes;     /* of `key`; 0 for openssl_mac_reinit, which keeps no key here */
    uint8_t key[REKEY_KEY_BYTES_MAX];
    uint8_t nonce[GMAC_NONCE_BYTES_MAX];
    size_t nonce_bytes; /* 0 for a MAC without nonces */
} mac_state;

static EVP_MAC_CTX *new_context(const jm_implementation *self, const uint8_t *key,
                                size_t key_bytes) {
    const recipe *made = self->over;
    size_t tag_bytes = self->output_bytes;
    unsigned rounds[2] = {made->c_rounds, made->d_rounds};
    OSSL_PARAM parameters[4] = {OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END};
    if (made->value)
        parameters[0] = OSSL_PARAM_construct_utf8_string(made->parameter, (char *)made->value, 0);
    else if (made->parameter)
        parameters[0] = OSSL_PARAM_construct_size_t(made->parameter, &tag_bytes);
    if (made->c_rounds) {
        parameters[1] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &rounds[0]);
        parameters[2] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &rounds[1]);
    }

    EVP_MAC *mac = EVP_MAC_fetch(NULL, made->mac, NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac); /* the context holds another reference */
    if (context && EVP_MAC_init(context, key, key_bytes, parameters)) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    mac_state *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    state->context = new_context(self, some_key(key), key_bytes);
    if (!state->context) return JM_ERR_LIBRARY;
    state->key_bytes = ((const recipe *)self->over)->rekey ? key_bytes : 0;
    memcpy(state->key, some_key(key), state->key_bytes);
    memset(state->nonce, 0, sizeof state->nonce);
    state->nonce_bytes = self->nonce_bytes;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const mac_state *source = from;
    mac_state *state = to;
    (void)self;
    *state = *source;
    state->context = EVP_MAC_CTX_dup(source->context);
    if (state->context) return JM_OK;
    jm_wipe(state, sizeof *state);
    return JM_ERR_LIBRARY;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    mac_state *state = key_state;
    (void)self;
    EVP_MAC_CTX_free(state->context);
    jm_wipe(state, sizeof *state);
}

static jm_status finish(EVP_MAC_CTX *context, uint8_t *tag, size_t tag_bytes) {
    size_t written;
    return EVP_MAC_final(context, tag, &written, tag_bytes) && written == tag_bytes
               ? JM_OK
               : JM_ERR_LIBRARY;
}

static jm_status tag_reinit(const jm_implementation *self, const void *key_state,
                            const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    EVP_MAC_CTX *context = ((const mac_state *)key_state)->context;
    if (!EVP_MAC_init(context, NULL, 0, NULL) || !EVP_MAC_update(context, message, message_bytes))
        return JM_ERR_LIBRARY;
    return finish(context, tag, self->output_bytes);
}

static jm_status tag_rekey(const jm_implementation *self, const void *key_state,
                           const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const mac_state *state = key_state;
    if (!EVP_MAC_init(state->context, state->key, state->key_bytes, NULL) ||
        !EVP_MAC_update(state->context, message, message_bytes))
        return JM_ERR_LIBRARY;
    return finish(state->context, tag, self->output_bytes);
}

static jm_status set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                           size_t nonce_bytes) {
    mac_state *state = key_state;
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    memcpy(state->nonce, nonce, nonce_bytes);
    state->nonce_bytes = nonce_bytes;
    return JM_OK;
}

static jm_status tag_with_nonce(const jm_implementation *self, const void *key_state,
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const mac_state *state = key_state;
    const OSSL_PARAM parameters[2] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, (void *)state->nonce,
                                          state->nonce_bytes),
        OSSL_PARAM_construct_end(),
    };
    if (!EVP_MAC_init(state->context, NULL, 0, parameters) ||
        !EVP_MAC_update(state->context, message, message_bytes))
        return JM_ERR_LIBRARY;
    return finish(state->context, tag, self->output_bytes);
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    jm_status status = copy_key(self, stream, key_state);
    if (status != JM_OK) return status;
    mac_state *state = stream;
    const uint8_t *key = state->key_bytes ? state->key : NULL;
    if (EVP_MAC_init(state->context, key, state->key_bytes, NULL)) return JM_OK;
    wipe_key(self, stream);
    return JM_ERR_LIBRARY;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    return EVP_MAC_update(((mac_state *)stream)->context, message, message_bytes) ? JM_OK
                                                                                  : JM_ERR_LIBRARY;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    jm_status status = JM_OK;
    if (tag) status = finish(((mac_state *)stream)->context, tag, self->output_bytes);
    wipe_key(self, stream);
    return status;
}

#define FUNCTIONS(tag_function)                                                                    \
    {                                                                                              \
        .key_state_bytes = sizeof(mac_state),                                                      \
        .stream_bytes = sizeof(mac_state),                                                         \
        .set_key = set_key,                                                                        \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = tag_function,                                                                       \
        .stream_begin = stream_begin,                                                              \
        .stream_update = stream_update,                                                            \
        .stream_finish = stream_finish,                                                            \
    }

static const jm_mac_functions reinit = FUNCTIONS(tag_reinit), rekey = FUNCTIONS(tag_rekey);

static const jm_mac_functions with_nonce = {
    .key_state_bytes = sizeof(mac_state),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag_with_nonce,
    .set_nonce = set_nonce,
};

#define NONCES                                                                                     \
    .nonce_bytes_min = 1, .nonce_bytes_max = GMAC_NONCE_BYTES_MAX, .nonce_bytes = GMAC_NONCE_BYTES
#define RECIPE_OF_ROUNDS(mac_, parameter_, value_, rekey_, c_rounds_, d_rounds_)                   \
    .over = &(const recipe) {                                                                      \
        mac_, parameter_, value_, rekey_, c_rounds_, d_rounds_                                     \
    }
#define RECIPE(mac_, parameter_, value_, rekey_)                                                   \
    RECIPE_OF_ROUNDS(mac_, parameter_, value_, rekey_, 0, 0)
#define REINIT "openssl_mac_reinit"
#define REINIT_NOTE "EVP_MAC keyed once; per message EVP_MAC_init without a key, update, final"
#define NONCE_NOTE "EVP_MAC keyed once; per message EVP_MAC_init with the nonce, update, final"
#define REKEY "openssl_mac_rekey"
#define REKEY_NOTE "EVP_MAC kept; per message EVP_MAC_init with the key again, update, final"

static const jm_implementation *const implementations[] = {
    OPENSSL_HMAC("md5", REINIT, REINIT_NOTE, reinit, 64, 16,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "MD5", false)),
    OPENSSL_HMAC("sha1", REINIT, REINIT_NOTE, reinit, 64, 20,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA1", false)),
    OPENSSL_HMAC("sha256", REINIT, REINIT_NOTE, reinit, 64, 32,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256", false)),
    OPENSSL_HMAC("sha384", REINIT, REINIT_NOTE, reinit, 128, 48,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA384", false)),
    OPENSSL_HMAC("sha512", REINIT, REINIT_NOTE, reinit, 128, 64,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA512", false)),
    OPENSSL_HMAC("sha3-256", REINIT, REINIT_NOTE, reinit, 136, 32,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA3-256", false)),
    OPENSSL_HMAC("sha3-512", REINIT, REINIT_NOTE, reinit, 72, 64,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA3-512", false)),
    OPENSSL_HMAC("sha224", REINIT, REINIT_NOTE, reinit, 64, 28,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA224", false)),
    OPENSSL_HMAC("sha512-256", REINIT, REINIT_NOTE, reinit, 128, 32,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA512-256", false)),
    OPENSSL_HMAC("sha3-224", REINIT, REINIT_NOTE, reinit, 144, 28,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA3-224", false)),
    OPENSSL_HMAC("sha3-384", REINIT, REINIT_NOTE, reinit, 104, 48,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA3-384", false)),
    OPENSSL_HMAC("blake2b-512", REINIT, REINIT_NOTE, reinit, 128, 64,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "BLAKE2B-512", false)),
    OPENSSL_HMAC("blake2s-256", REINIT, REINIT_NOTE, reinit, 64, 32,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "BLAKE2S-256", false)),
    OPENSSL_HMAC("ripemd160", REINIT, REINIT_NOTE, reinit, 64, 20,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "RIPEMD160", false)),
    OPENSSL_HMAC("sm3", REINIT, REINIT_NOTE, reinit, 64, 32,
                 RECIPE("HMAC", OSSL_MAC_PARAM_DIGEST, "SM3", false)),
    OPENSSL_MAC("cmac-aes128", REINIT, REINIT_NOTE, reinit, 16, 16, 16, 16, 16,
                RECIPE("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC", false)),
    OPENSSL_MAC("cmac-aes192", REINIT, REINIT_NOTE, reinit, 16, 16, 24, 24, 24,
                RECIPE("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-192-CBC", false)),
    OPENSSL_MAC("cmac-aes256", REINIT, REINIT_NOTE, reinit, 16, 16, 32, 32, 32,
                RECIPE("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-256-CBC", false)),
    OPENSSL_MAC("gmac-aes128", REINIT, NONCE_NOTE, with_nonce, 16, 16, 16, 16, 16,
                RECIPE("GMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-GCM", false), NONCES),
    OPENSSL_MAC("gmac-aes192", REINIT, NONCE_NOTE, with_nonce, 16, 16, 24, 24, 24,
                RECIPE("GMAC", OSSL_MAC_PARAM_CIPHER, "AES-192-GCM", false), NONCES),
    OPENSSL_MAC("gmac-aes256", REINIT, NONCE_NOTE, with_nonce, 16, 16, 32, 32, 32,
                RECIPE("GMAC", OSSL_MAC_PARAM_CIPHER, "AES-256-GCM", false), NONCES),
    OPENSSL_MAC("siphash-2-4", REINIT, REINIT_NOTE, reinit, 8, 8, 16, 16, 16,
                RECIPE("SIPHASH", OSSL_MAC_PARAM_SIZE, NULL, false)),
    OPENSSL_MAC("siphash-2-4-128", REINIT, REINIT_NOTE, reinit, 8, 16, 16, 16, 16,
                RECIPE("SIPHASH", OSSL_MAC_PARAM_SIZE, NULL, false)),
    OPENSSL_MAC("siphash-1-3", REINIT, REINIT_NOTE, reinit, 8, 8, 16, 16, 16,
                RECIPE_OF_ROUNDS("SIPHASH", OSSL_MAC_PARAM_SIZE, NULL, false, 1, 3)),
    OPENSSL_MAC("blake2b-mac", REINIT, REINIT_NOTE, reinit, 128, 64, 1, 64, 64,
                RECIPE("BLAKE2BMAC", OSSL_MAC_PARAM_SIZE, NULL, false)),
    OPENSSL_MAC("blake2s-mac", REINIT, REINIT_NOTE, reinit, 64, 32, 1, 32, 32,
                RECIPE("BLAKE2SMAC", OSSL_MAC_PARAM_SIZE, NULL, false)),
    OPENSSL_MAC("kmac128", REINIT, REINIT_NOTE, reinit, 168, 32, 4, 512, 16,
                RECIPE("KMAC128", OSSL_MAC_PARAM_SIZE, NULL, false)),
    OPENSSL_MAC("kmac256", REINIT, REINIT_NOTE, reinit, 136, 64, 4, 512, 32,
                RECIPE("KMAC256", OSSL_MAC_PARAM_SIZE, NULL, false)),
    OPENSSL_MAC("siphash-2-4", REKEY, REKEY_NOTE, rekey, 8, 8, 16, 16, 16,
                RECIPE("SIPHASH", OSSL_MAC_PARAM_SIZE, NULL, true)),
    OPENSSL_MAC("siphash-2-4-128", REKEY, REKEY_NOTE, rekey, 8, 16, 16, 16, 16,
                RECIPE("SIPHASH", OSSL_MAC_PARAM_SIZE, NULL, true)),
    OPENSSL_MAC("poly1305", REKEY, REKEY_NOTE, rekey, 16, 16, 32, 32, 32,
                RECIPE("POLY1305", NULL, NULL, true)),
};

const jm_table jm_openssl_evp_mac = {JM_COUNT(implementations), implementations};
