/* SPDX-License-Identifier: Apache-2.0
 * EVP_MAC as EVP_MAC(3) describes it: keyed once, per message init without a key, update, final. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "plain_loop.h"

static EVP_MAC_CTX *context;

static int set_key(const char *mac, const char *parameter, const char *value, const uint8_t *key,
                   size_t key_bytes) {
    char text[32];
    snprintf(text, sizeof text, "%s", value);
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(parameter, text, 0),
                                     OSSL_PARAM_construct_end()};
    context = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, mac, NULL));
    return context && EVP_MAC_init(context, key, key_bytes, parameters);
}

static int hmac_key(const uint8_t key[32]) {
    return set_key("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256", key, 32);
}

static int cmac_key(const uint8_t key[32]) {
    return set_key("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC", key, 16);
}

static inline int message(const work *given) {
    size_t written;
    return EVP_MAC_init(context, NULL, 0, NULL) &&
           EVP_MAC_update(context, given->messages, given->bytes) &&
           EVP_MAC_final(context, given->tags, &written, TAG_BYTES_MAX);
}

TURNS(tag, message(given))

static const plain_call calls[] = {
    {"hmac-sha256/openssl_mac_reinit", 1, 32, hmac_key, tag},
    {"cmac-aes128/openssl_mac_reinit", 1, 16, cmac_key, tag},
};

PLAIN_LOOP_MAIN(calls)
