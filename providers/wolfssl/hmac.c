/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC by wc_HmacInit and wc_HmacSetKey once per key; per message wc_HmacUpdate and wc_HmacFinal,
 * after which the object starts over under the same key. The library hashes key ^ ipad and
 * key ^ opad again for each message, which is part of its cost. It offers no copy of a keyed
 * object: copies and streams are new objects, keyed with the key that the state keeps. */
#include <stdlib.h>

#include "wolfssl.h"

#include <wolfssl/wolfcrypt/hmac.h>

typedef struct {
    Hmac hmac; /* changes while a tag is computed, and is restored after it */
    byte *key; /* key_bytes bytes; never NULL once set up */
    size_t key_bytes;
} hmac_state;

static void wipe_key(const jm_implementation *self, void *key_state) {
    hmac_state *state = key_state;
    (void)self;
    wc_HmacFree(&state->hmac);
    if (state->key) jm_wipe(state->key, state->key_bytes);
    free(state->key);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    hmac_state *state = key_state;
    const int *type = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    state->key = malloc(key_bytes + 1);
    if (!state->key) return JM_ERR_MEMORY;
    if (key_bytes > 0) memcpy(state->key, key, key_bytes);
    state->key_bytes = key_bytes;
    if (!wc_HmacInit(&state->hmac, NULL, INVALID_DEVID) &&
        !wc_HmacSetKey(&state->hmac, *type, state->key, (word32)key_bytes))
        return JM_OK;
    wipe_key(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const hmac_state *source = from;
    return set_key(self, to, source->key, source->key_bytes);
}

static jm_status add(const jm_implementation *self, void *stream, const uint8_t *message,
                     size_t message_bytes) {
    hmac_state *state = stream;
    (void)self;
    IN_PIECES(message, message_bytes, wc_HmacUpdate(&state->hmac, bytes, count));
    return JM_OK;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    hmac_state *state = (hmac_state *)key_state;
    const jm_status status = add(self, state, message, message_bytes);
    return status == JM_OK ? status_of(wc_HmacFinal(&state->hmac, out)) : status;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *out) {
    const int code = out ? wc_HmacFinal(&((hmac_state *)stream)->hmac, out) : 0;
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
    .stream_update = add,
    .stream_finish = stream_finish,
};

#define HMAC(hash, type, block, tag_bytes)                                                         \
    &(const jm_implementation){                                                                    \
        .algorithm = "hmac-" hash,                                                                 \
        .variant = "wolfssl",                                                                      \
        .note = "object keyed once; per message wc_HmacUpdate and wc_HmacFinal",                   \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = tag_bytes,                                                                 \
        .key_bytes_min = 0,                                                                        \
        .key_bytes_max = UINT32_MAX,                                                               \
        .key_bytes = tag_bytes,                                                                    \
        .mac = &functions,                                                                         \
        .over = &(const int){type},                                                                \
    }

static const jm_implementation *const implementations[] = {
    HMAC("md5", WC_MD5, 64, 16),
    HMAC("sha1", WC_SHA, 64, 20),
    HMAC("sha256", WC_SHA256, 64, 32),
#ifdef WOLFSSL_SHA224
    HMAC("sha224", WC_SHA224, 64, 28),
#endif
#ifdef WOLFSSL_SHA384
    HMAC("sha384", WC_SHA384, 128, 48),
#endif
#ifdef WOLFSSL_SHA512
    HMAC("sha512", WC_SHA512, 128, 64),
#endif
#ifdef WOLFSSL_SHA3
    HMAC("sha3-224", WC_SHA3_224, 144, 28),
    HMAC("sha3-256", WC_SHA3_256, 136, 32),
    HMAC("sha3-384", WC_SHA3_384, 104, 48),
    HMAC("sha3-512", WC_SHA3_512, 72, 64),
#endif
};

const jm_table jm_wolfssl_hmac = {JM_COUNT(implementations), implementations};
