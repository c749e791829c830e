/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC. Versions 2 and 3 by cmac.h: mbedtls_cipher_setup and mbedtls_cipher_cmac_starts once per
 * key; per message mbedtls_cipher_cmac_reset, update, finish. Contexts cannot be copied: copies and
 * streams are new contexts, keyed with the key that the state keeps. */
#include "mbedtls.h"

enum { KEY_BYTES_MAX = 32, BLOCK = 16 };

#if JM_MBEDTLS_PSA
#define FUNCTIONS jm_psa_mac
#define OVER(bits) (&(const jm_psa_key_use){PSA_KEY_TYPE_AES, PSA_ALG_CMAC})
#define CALLS "psa_import_key once; psa_mac_compute for each message"
#else
#include <mbedtls/cipher.h>
#include <mbedtls/cmac.h>

#define FUNCTIONS functions
#define OVER(bits) (&(const mbedtls_cipher_type_t){MBEDTLS_CIPHER_AES_##bits##_ECB})
#define CALLS "mbedtls_cipher context keyed once; per message cmac_reset, update, finish"

typedef struct {
    mbedtls_cipher_context_t context; /* points to memory that changes with every message */
    size_t key_bytes;
    uint8_t key[KEY_BYTES_MAX];
} cmac_state;

static void wipe_key(const jm_implementation *self, void *key_state) {
    cmac_state *state = key_state;
    (void)self;
    mbedtls_cipher_free(&state->context);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    cmac_state *state = key_state;
    const mbedtls_cipher_type_t *type = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    mbedtls_cipher_init(&state->context);
    memcpy(state->key, key, key_bytes);
    state->key_bytes = key_bytes;
    if (!mbedtls_cipher_setup(&state->context, mbedtls_cipher_info_from_type(*type)) &&
        !mbedtls_cipher_cmac_starts(&state->context, key, 8 * key_bytes))
        return JM_OK;
    wipe_key(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const cmac_state *source = from;
    return set_key(self, to, source->key, source->key_bytes);
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    mbedtls_cipher_context_t *context = &((cmac_state *)key_state)->context; /* itself unchanged */
    (void)self;
    return mbedtls_cipher_cmac_reset(context) ||
                   mbedtls_cipher_cmac_update(context, some_bytes(message), message_bytes) ||
                   mbedtls_cipher_cmac_finish(context, out)
               ? JM_ERR_LIBRARY
               : JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    return status_of(mbedtls_cipher_cmac_update(&((cmac_state *)stream)->context,
                                                some_bytes(message), message_bytes));
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *out) {
    const int code = out ? mbedtls_cipher_cmac_finish(&((cmac_state *)stream)->context, out) : 0;
    wipe_key(self, stream);
    return status_of(code);
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(cmac_state),
    .stream_bytes = sizeof(cmac_state),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
    .stream_begin = copy_key,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
};
#endif

#define CMAC(bits)                                                                                 \
    &(const jm_implementation){                                                                    \
        .algorithm = "cmac-aes" #bits,                                                             \
        .variant = "mbedtls",                                                                      \
        .note = CALLS,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = BLOCK,                                                                      \
        .output_bytes = BLOCK,                                                                     \
        .key_bytes_min = bits / 8,                                                                 \
        .key_bytes_max = bits / 8,                                                                 \
        .key_bytes = bits / 8,                                                                     \
        .mac = &FUNCTIONS,                                                                         \
        .over = OVER(bits),                                                                        \
    }

static const jm_implementation *const implementations[] = {CMAC(128), CMAC(192), CMAC(256)};

const jm_table jm_mbedtls_cmac = {JM_COUNT(implementations), implementations};
