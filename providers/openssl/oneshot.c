/* SPDX-License-Identifier: Apache-2.0
 *
 * openssl_oneshot: one call with the key for each message, HMAC(3) for HMAC and EVP_Q_mac
 * (EVP_MAC(3)) for CMAC. The state keeps the key, on the heap because an HMAC key has no usual
 * bound. Both calls fetch the algorithm again each time, which is part of their cost. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "openssl.h"

typedef struct {
    uint8_t *key; /* key_bytes bytes; never NULL */
    size_t key_bytes;
} key_copy;

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    key_copy *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    state->key = OPENSSL_malloc(key_bytes + 1);
    if (!state->key) return JM_ERR_MEMORY;
    memcpy(state->key, some_key(key), key_bytes);
    state->key_bytes = key_bytes;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const key_copy *source = from;
    return set_key(self, to, source->key, source->key_bytes);
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    key_copy *state = key_state;
    (void)self;
    OPENSSL_clear_free(state->key, state->key_bytes);
    jm_wipe(state, sizeof *state);
}

typedef const EVP_MD *digest_getter(void);

/* `over` points to the getter, because a function pointer does not fit a const void *. */
static jm_status tag_hmac(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const key_copy *state = key_state;
    digest_getter *const *digest = self->over;
    unsigned written;
    return HMAC((*digest)(), state->key, (int)state->key_bytes, message, message_bytes, tag,
                &written)
               ? JM_OK
               : JM_ERR_LIBRARY;
}

static jm_status tag_cmac(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const key_copy *state = key_state;
    size_t written;
    return EVP_Q_mac(NULL, "CMAC", NULL, self->over, NULL, state->key, state->key_bytes, message,
                     message_bytes, tag, self->output_bytes, &written)
               ? JM_OK
               : JM_ERR_LIBRARY;
}

#define FUNCTIONS(tag_function)                                                                    \
    {                                                                                              \
        .key_state_bytes = sizeof(key_copy),                                                       \
        .set_key = set_key,                                                                        \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = tag_function,                                                                       \
    }

static const jm_mac_functions hmac = FUNCTIONS(tag_hmac), cmac = FUNCTIONS(tag_cmac);

#define HMAC_IMPLEMENTATION(hash, getter, block, tag)                                              \
    OPENSSL_HMAC(hash, "openssl_oneshot", "one call of HMAC() with the key for each message",      \
                 hmac, block, tag, .over = &(digest_getter *const){getter})

#define CMAC_IMPLEMENTATION(id, cipher, key_size)                                                  \
    OPENSSL_MAC(id, "openssl_oneshot", "one call of EVP_Q_mac() with the key for each message",    \
                cmac, 16, 16, key_size, key_size, key_size, .over = cipher)

static const jm_implementation *const implementations[] = {
    HMAC_IMPLEMENTATION("md5", EVP_md5, 64, 16),
    HMAC_IMPLEMENTATION("sha1", EVP_sha1, 64, 20),
    HMAC_IMPLEMENTATION("sha256", EVP_sha256, 64, 32),
    HMAC_IMPLEMENTATION("sha384", EVP_sha384, 128, 48),
    HMAC_IMPLEMENTATION("sha512", EVP_sha512, 128, 64),
    CMAC_IMPLEMENTATION("cmac-aes128", "AES-128-CBC", 16),
    CMAC_IMPLEMENTATION("cmac-aes192", "AES-192-CBC", 24),
    CMAC_IMPLEMENTATION("cmac-aes256", "AES-256-CBC", 32),
};

const jm_table jm_openssl_oneshot = {JM_COUNT(implementations), implementations};
