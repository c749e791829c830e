/* SPDX-License-Identifier: Apache-2.0
 *
 * Algorithms whose context is not on the heap. Versions 2 and 3: AES by aes.h, GMAC by gcm.h
 * (mbedtls_gcm_crypt_and_tag without a plaintext on a context keyed once), and Poly1305 by
 * poly1305.h (mbedtls_poly1305_mac, which takes the key with each message; a stream is starts,
 * update, finish). PSA has Poly1305 only inside an AEAD cipher. */
#include "mbedtls.h"

enum { BLOCK = 16, NONCE_BYTES = 12, NONCE_BYTES_MAX = 128 };

#if JM_MBEDTLS_PSA
#define GMAC_FUNCTIONS jm_psa_gmac
#define GMAC_CALLS "psa_import_key once; psa_aead_encrypt without a plaintext for each message"
#define GMAC_OVER (&(const jm_psa_key_use){PSA_KEY_TYPE_AES, PSA_ALG_GCM})
#define AES_FUNCTIONS jm_psa_aes
#define AES_CALLS "psa_cipher_encrypt for all blocks; chain is an operation with CBC"
#else
#include <mbedtls/aes.h>
#include <mbedtls/gcm.h>
#include <mbedtls/poly1305.h>

#define GMAC_FUNCTIONS gmac
#define GMAC_CALLS "GCM context keyed once; mbedtls_gcm_crypt_and_tag for each message"
#define GMAC_OVER NULL
#define AES_FUNCTIONS aes
#define AES_CALLS "mbedtls_aes_crypt_ecb for each block; chain is mbedtls_aes_crypt_cbc"
enum { CBC_PIECE = 4096, POLY1305_KEY_BYTES = 32 };

static void wipe_plain(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, self->mac->key_state_bytes);
}

/* ---- GMAC ---- */

/* The context has pointers, so that a copy must be keyed again. It changes with every message. */
typedef struct {
    mbedtls_gcm_context context;
    size_t key_bytes;
    uint8_t key[32];
    uint8_t nonce[NONCE_BYTES_MAX];
    size_t nonce_bytes;
} gmac_state;

static void gmac_wipe(const jm_implementation *self, void *key_state) {
    mbedtls_gcm_free(&((gmac_state *)key_state)->context);
    wipe_plain(self, key_state);
}

static jm_status gmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                              size_t key_bytes) {
    gmac_state *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memset(state, 0, sizeof *state);
    memcpy(state->key, key, key_bytes);
    state->key_bytes = key_bytes;
    state->nonce_bytes = self->nonce_bytes;
    mbedtls_gcm_init(&state->context);
    if (!mbedtls_gcm_setkey(&state->context, MBEDTLS_CIPHER_ID_AES, key, 8 * (unsigned)key_bytes))
        return JM_OK;
    gmac_wipe(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status gmac_set_nonce(const jm_implementation *self, void *key_state,
                                const uint8_t *nonce, size_t nonce_bytes) {
    gmac_state *state = key_state;
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    memcpy(state->nonce, nonce, nonce_bytes);
    state->nonce_bytes = nonce_bytes;
    return JM_OK;
}

static jm_status gmac_copy(const jm_implementation *self, void *to, const void *from) {
    const gmac_state *source = from;
    const jm_status status = gmac_set_key(self, to, source->key, source->key_bytes);
    return status == JM_OK ? gmac_set_nonce(self, to, source->nonce, source->nonce_bytes) : status;
}

static jm_status gmac_tag(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    gmac_state *state = (gmac_state *)key_state; /* each message resets the context */
    return status_of(mbedtls_gcm_crypt_and_tag(
        &state->context, MBEDTLS_GCM_ENCRYPT, 0, state->nonce, state->nonce_bytes,
        some_bytes(message), message_bytes, NULL, NULL, self->output_bytes, tag));
}

static const jm_mac_functions gmac = {
    .key_state_bytes = sizeof(gmac_state),
    .set_key = gmac_set_key,
    .copy_key = gmac_copy,
    .wipe_key = gmac_wipe,
    .tag = gmac_tag,
    .set_nonce = gmac_set_nonce,
};

/* ---- Poly1305 ---- */

static jm_status poly1305_set_key(const jm_implementation *self, void *key_state,
                                  const uint8_t *key, size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memcpy(key_state, key, key_bytes);
    return JM_OK;
}

static jm_status poly1305_copy(const jm_implementation *self, void *to, const void *from) {
    memcpy(to, from, self->mac->key_state_bytes);
    return JM_OK;
}

static jm_status poly1305_tag(const jm_implementation *self, const void *key_state,
                              const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    (void)self;
    return status_of(mbedtls_poly1305_mac(key_state, some_bytes(message), message_bytes, tag));
}

static jm_status poly1305_begin(const jm_implementation *self, void *stream,
                                const void *key_state) {
    (void)self;
    mbedtls_poly1305_init(stream);
    return status_of(mbedtls_poly1305_starts(stream, key_state));
}

static jm_status poly1305_update(const jm_implementation *self, void *stream,
                                 const uint8_t *message, size_t message_bytes) {
    (void)self;
    return status_of(mbedtls_poly1305_update(stream, some_bytes(message), message_bytes));
}

static jm_status poly1305_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    (void)self;
    const int code = tag ? mbedtls_poly1305_finish(stream, tag) : 0;
    mbedtls_poly1305_free(stream);
    jm_wipe(stream, sizeof(mbedtls_poly1305_context));
    return status_of(code);
}

static const jm_mac_functions poly1305 = {
    .key_state_bytes = POLY1305_KEY_BYTES,
    .stream_bytes = sizeof(mbedtls_poly1305_context),
    .set_key = poly1305_set_key,
    .copy_key = poly1305_copy,
    .wipe_key = wipe_plain,
    .tag = poly1305_tag,
    .stream_begin = poly1305_begin,
    .stream_update = poly1305_update,
    .stream_finish = poly1305_finish,
};

/* ---- AES ---- */

static jm_status aes_set_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                             size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    mbedtls_aes_init(schedule);
    return status_of(mbedtls_aes_setkey_enc(schedule, key, 8 * (unsigned)key_bytes));
}

static void aes_wipe(const jm_implementation *self, void *schedule) {
    (void)self;
    mbedtls_aes_free(schedule);
    jm_wipe(schedule, sizeof(mbedtls_aes_context));
}

/* The library's calls below cannot fail once keyed; if one fails, the output is zeroed, and no
 * check accepts zeros. They take a schedule that is not const, but do not write to it. */
static void aes_encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in,
                        uint8_t *out, size_t blocks) {
    (void)self;
    for (; blocks > 0; blocks--, in += BLOCK, out += BLOCK)
        if (mbedtls_aes_crypt_ecb((mbedtls_aes_context *)schedule, MBEDTLS_AES_ENCRYPT, in, out))
            memset(out, 0, BLOCK);
}

/* The library's own CBC mode with the chain as its IV, whose last block is the new chain. */
static void aes_chain(const jm_implementation *self, const void *schedule, uint8_t *value,
                      const uint8_t *in, size_t blocks) {
    uint8_t links[CBC_PIECE];
    size_t left = blocks * BLOCK, used = left < CBC_PIECE ? left : CBC_PIECE;
    (void)self;
    while (left > 0) {
        const size_t piece = left < CBC_PIECE ? left : CBC_PIECE;
        if (mbedtls_aes_crypt_cbc((mbedtls_aes_context *)schedule, MBEDTLS_AES_ENCRYPT, piece,
                                  value, in, links))
            memset(value, 0, BLOCK);
        in += piece;
        left -= piece;
    }
    jm_wipe(links, used);
}

static const jm_cipher_functions aes = {
    .schedule_bytes = sizeof(mbedtls_aes_context),
    .set_key = aes_set_key,
    .wipe_key = aes_wipe,
    .encrypt = aes_encrypt,
    .chain = aes_chain,
};
#endif

#define FACTS(id, kind_, sentence, key, ...)                                                       \
    &(const jm_implementation){.algorithm = id,                                                    \
                               .variant = "mbedtls",                                               \
                               .note = sentence,                                                   \
                               .kind = kind_,                                                      \
                               .lanes = 1,                                                         \
                               .block_bytes = BLOCK,                                               \
                               .output_bytes = BLOCK,                                              \
                               .key_bytes_min = key,                                               \
                               .key_bytes_max = key,                                               \
                               .key_bytes = key,                                                   \
                               __VA_ARGS__}
#define GMAC(bits)                                                                                 \
    FACTS("gmac-aes" #bits, JM_KIND_MAC, GMAC_CALLS, bits / 8, .nonce_bytes_min = 1,               \
          .nonce_bytes_max = NONCE_BYTES_MAX, .nonce_bytes = NONCE_BYTES, .mac = &GMAC_FUNCTIONS,  \
          .over = GMAC_OVER)
#define AES(bits) FACTS("aes" #bits, JM_KIND_CIPHER, AES_CALLS, bits / 8, .cipher = &AES_FUNCTIONS)

static const jm_implementation *const implementations[] = {
    GMAC(128),
    GMAC(192),
    GMAC(256),
#if !JM_MBEDTLS_PSA
    FACTS("poly1305", JM_KIND_MAC, "the library's one-shot call, given the key with each message",
          POLY1305_KEY_BYTES, .mac = &poly1305),
#endif
    AES(128),
    AES(192),
    AES(256),
};

const jm_table jm_mbedtls_aes = {JM_COUNT(implementations), implementations};
