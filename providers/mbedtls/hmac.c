/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC. Versions 2 and 3 by md.h: mbedtls_md_setup and mbedtls_md_hmac_starts once per key; per
 * message mbedtls_md_hmac_reset, update, finish. mbedtls_md_clone does not copy the key, so that
 * copies and streams are new contexts, keyed with the key that the state keeps. */
#include "mbedtls.h"

#if JM_MBEDTLS_PSA
/* PSA takes no empty key, and none of more than PSA_MAX_KEY_BITS. */
enum { KEY_BYTES_MIN = 1 };
#define KEY_BYTES_MAX (PSA_MAX_KEY_BITS / 8)
#define FUNCTIONS jm_psa_mac
#define OVER(classic, psa) (&(const jm_psa_key_use){PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(psa)})
#define CALLS "psa_import_key once; psa_mac_compute for each message"
#else
#include <mbedtls/md.h>
#include <stdlib.h>

enum { KEY_BYTES_MIN = 0 };
#define KEY_BYTES_MAX SIZE_MAX
#define FUNCTIONS functions
#define OVER(classic, psa) (&(const mbedtls_md_type_t){classic})
#define CALLS "mbedtls_md context keyed once; per message hmac_reset, update, finish"

typedef struct {
    mbedtls_md_context_t context; /* points to memory that changes with every message */
    uint8_t *key;                 /* key_bytes bytes; never NULL once set up */
    size_t key_bytes;
} hmac_state;

static void wipe_key(const jm_implementation *self, void *key_state) {
    hmac_state *state = key_state;
    (void)self;
    mbedtls_md_free(&state->context);
    if (state->key) jm_wipe(state->key, state->key_bytes);
    free(state->key);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    hmac_state *state = key_state;
    const mbedtls_md_type_t *type = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    mbedtls_md_init(&state->context);
    state->key_bytes = key_bytes;
    state->key = malloc(key_bytes + 1);
    if (!state->key) return JM_ERR_MEMORY;
    memcpy(state->key, some_bytes(key), key_bytes);
    if (!mbedtls_md_setup(&state->context, mbedtls_md_info_from_type(*type), 1) &&
        !mbedtls_md_hmac_starts(&state->context, state->key, key_bytes))
        return JM_OK;
    wipe_key(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const hmac_state *source = from;
    return set_key(self, to, source->key, source->key_bytes);
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    mbedtls_md_context_t *context = &((hmac_state *)key_state)->context; /* itself unchanged */
    (void)self;
    return mbedtls_md_hmac_reset(context) ||
                   mbedtls_md_hmac_update(context, some_bytes(message), message_bytes) ||
                   mbedtls_md_hmac_finish(context, out)
               ? JM_ERR_LIBRARY
               : JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    return status_of(mbedtls_md_hmac_update(&((hmac_state *)stream)->context, some_bytes(message),
                                            message_bytes));
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *out) {
    const int code = out ? mbedtls_md_hmac_finish(&((hmac_state *)stream)->context, out) : 0;
    wipe_key(self, stream);
    return status_of(code);
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(hmac_state),
    .stream_bytes = sizeof(hmac_state),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
    .stream_begin = copy_key,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
};
#endif

#define HMAC(hash, classic, psa, block, tag_bytes)                                                 \
    &(const jm_implementation){                                                                    \
        .algorithm = "hmac-" hash,                                                                 \
        .variant = "mbedtls",                                                                      \
        .note = CALLS,                                                                             \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = tag_bytes,                                                                 \
        .key_bytes_min = KEY_BYTES_MIN,                                                            \
        .key_bytes_max = KEY_BYTES_MAX,                                                            \
        .key_bytes = tag_bytes,                                                                    \
        .mac = &FUNCTIONS,                                                                         \
        .over = OVER(MBEDTLS_MD_##classic, PSA_ALG_##psa),                                         \
    }

static const jm_implementation *const implementations[] = {
    HMAC("md5", MD5, MD5, 64, 16),
    HMAC("sha1", SHA1, SHA_1, 64, 20),
    HMAC("sha224", SHA224, SHA_224, 64, 28),
    HMAC("sha256", SHA256, SHA_256, 64, 32),
    HMAC("sha384", SHA384, SHA_384, 128, 48),
    HMAC("sha512", SHA512, SHA_512, 128, 64),
    HMAC("ripemd160", RIPEMD160, RIPEMD160, 64, 20),
};

const jm_table jm_mbedtls_hmac = {JM_COUNT(implementations), implementations};
