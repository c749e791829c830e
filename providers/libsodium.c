/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium (tried: 1.0.22). Call styles, from the documentation's "Secret-key authentication",
 * "One-time authentication", "Short-input hashing" and "SHA-2" pages:
 *   libsodium          HMAC, BLAKE2b: init with the key once, the keyed state copied for each
 *                      message. Poly1305, SipHash: the library's one-shot call, which takes the key
 *   libsodium_oneshot  HMAC: crypto_auth_hmacsha*, which takes a key of 32 bytes each time */
#include <pthread.h>
#include <sodium.h>

#include "offered.h"
#include "provider.h"

/* Key states here are plain memory, so that a copy of the bytes is a state. */
static jm_status copy_state(const jm_implementation *self, void *to, const void *from) {
    memcpy(to, from, self->mac->key_state_bytes);
    return JM_OK;
}

static void wipe_state(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, self->mac->key_state_bytes);
}

static jm_status status_of(int code) {
    return code == 0 ? JM_OK : JM_ERR_LIBRARY;
}

/* For the calls that take the key with each message: the state is the key. */
static jm_status keep_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memcpy(key_state, key, key_bytes);
    return JM_OK;
}

#define STREAM(name, api)                                                                          \
    static jm_status name##_update(const jm_implementation *self, void *stream,                    \
                                   const uint8_t *message, size_t message_bytes) {                 \
        (void)self;                                                                                \
        return status_of(api##_update(stream, message, message_bytes));                            \
    }                                                                                              \
    static jm_status name##_finish(const jm_implementation *self, void *stream, uint8_t *tag) {    \
        (void)self;                                                                                \
        int code = tag ? api##_final(stream, tag) : 0;                                             \
        jm_wipe(stream, sizeof(api##_state));                                                      \
        return status_of(code);                                                                    \
    }

#define KEYED_HMAC(name, api)                                                                      \
    STREAM(name, api)                                                                              \
    static jm_status name##_set_key(const jm_implementation *self, void *key_state,                \
                                    const uint8_t *key, size_t key_bytes) {                        \
        (void)self;                                                                                \
        return status_of(api##_init(key_state, key, key_bytes));                                   \
    }                                                                                              \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        api##_state state = *(const api##_state *)key_state;                                       \
        jm_status status = name##_update(self, &state, message, message_bytes);                    \
        jm_status finished = name##_finish(self, &state, status == JM_OK ? tag : NULL);            \
        return status == JM_OK ? finished : status;                                                \
    }                                                                                              \
    static const jm_mac_functions name = {                                                         \
        .key_state_bytes = sizeof(api##_state),                                                    \
        .stream_bytes = sizeof(api##_state),                                                       \
        .set_key = name##_set_key,                                                                 \
        .copy_key = copy_state,                                                                    \
        .wipe_key = wipe_state,                                                                    \
        .tag = name##_tag,                                                                         \
        .stream_begin = copy_state,                                                                \
        .stream_update = name##_update,                                                            \
        .stream_finish = name##_finish,                                                            \
    };

KEYED_HMAC(hmac_sha256, crypto_auth_hmacsha256)
KEYED_HMAC(hmac_sha512, crypto_auth_hmacsha512)

#define ONESHOT_TAG(name, api)                                                                     \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        (void)self;                                                                                \
        return status_of(api(tag, message, message_bytes, key_state));                             \
    }

#define ONESHOT(name, api)                                                                         \
    ONESHOT_TAG(name, api)                                                                         \
    static const jm_mac_functions name = {                                                         \
        .key_state_bytes = api##_KEYBYTES,                                                         \
        .set_key = keep_key,                                                                       \
        .copy_key = copy_state,                                                                    \
        .wipe_key = wipe_state,                                                                    \
        .tag = name##_tag,                                                                         \
    };

ONESHOT(hmac_sha256_oneshot, crypto_auth_hmacsha256)
ONESHOT(hmac_sha512_oneshot, crypto_auth_hmacsha512)
ONESHOT(siphash, crypto_shorthash_siphash24)
ONESHOT(siphash_128, crypto_shorthash_siphashx24)

/* crypto_generichash with a key and the longest tag; its functions take the tag's length too. */
static jm_status blake2b_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                                 size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    return status_of(crypto_generichash_init(key_state, key, key_bytes, self->output_bytes));
}

static jm_status blake2b_update(const jm_implementation *self, void *stream, const uint8_t *message,
                                size_t message_bytes) {
    (void)self;
    return status_of(crypto_generichash_update(stream, message, message_bytes));
}

static jm_status blake2b_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    const int code = tag ? crypto_generichash_final(stream, tag, self->output_bytes) : 0;
    jm_wipe(stream, sizeof(crypto_generichash_state));
    return status_of(code);
}

static jm_status blake2b_tag(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    crypto_generichash_state state = *(const crypto_generichash_state *)key_state;
    const jm_status status = blake2b_update(self, &state, message, message_bytes);
    const jm_status finished = blake2b_finish(self, &state, status == JM_OK ? tag : NULL);
    return status == JM_OK ? finished : status;
}

static const jm_mac_functions blake2b = {
    .key_state_bytes = sizeof(crypto_generichash_state),
    .stream_bytes = sizeof(crypto_generichash_state),
    .set_key = blake2b_set_key,
    .copy_key = copy_state,
    .wipe_key = wipe_state,
    .tag = blake2b_tag,
    .stream_begin = copy_state,
    .stream_update = blake2b_update,
    .stream_finish = blake2b_finish,
};

STREAM(poly1305, crypto_onetimeauth)
ONESHOT_TAG(poly1305, crypto_onetimeauth)

static jm_status poly1305_begin(const jm_implementation *self, void *stream,
                                const void *key_state) {
    (void)self;
    return status_of(crypto_onetimeauth_init(stream, key_state));
}

static const jm_mac_functions poly1305 = {
    .key_state_bytes = crypto_onetimeauth_KEYBYTES,
    .stream_bytes = sizeof(crypto_onetimeauth_state),
    .set_key = keep_key,
    .copy_key = copy_state,
    .wipe_key = wipe_state,
    .tag = poly1305_tag,
    .stream_begin = poly1305_begin,
    .stream_update = poly1305_update,
    .stream_finish = poly1305_finish,
};

#define HASH_FUNCTIONS(name, api)                                                                  \
    STREAM(name, api)                                                                              \
    static jm_status name##_init(const jm_implementation *self, void *state) {                     \
        (void)self;                                                                                \
        return status_of(api##_init(state));                                                       \
    }                                                                                              \
    static jm_status name##_digest(const jm_implementation *self, const uint8_t *message,          \
                                   size_t message_bytes, uint8_t *digest) {                        \
        (void)self;                                                                                \
        return status_of(api(digest, message, message_bytes));                                     \
    }                                                                                              \
    static const jm_hash_functions name = {                                                        \
        .state_bytes = sizeof(api##_state),                                                        \
        .init = name##_init,                                                                       \
        .update = name##_update,                                                                   \
        .final = name##_finish,                                                                    \
        .digest = name##_digest,                                                                   \
    };

HASH_FUNCTIONS(sha256, crypto_hash_sha256)
HASH_FUNCTIONS(sha512, crypto_hash_sha512)

#define NOTE_KEYED "keyed state kept and copied for each message; update, final"
#define NOTE_ONESHOT "the library's one-shot call, given the key with each message"

#define MAC(id, name, called, sentence, block, tag, key_min, key_max, key_default)                 \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = called,                                                                         \
        .note = sentence,                                                                          \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = tag,                                                                       \
        .key_bytes_min = key_min,                                                                  \
        .key_bytes_max = key_max,                                                                  \
        .key_bytes = key_default,                                                                  \
        .mac = &name,                                                                              \
    }

#define HASH(id, name, block, digest_bytes)                                                        \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "libsodium",                                                                    \
        .kind = JM_KIND_HASH,                                                                      \
        .lanes = 1,                                                                                \
        .note = "the library's one-shot call",                                                     \
        .block_bytes = block,                                                                      \
        .output_bytes = digest_bytes,                                                              \
        .hash = &name,                                                                             \
    }

static const jm_implementation *const implementations[] = {
    MAC("hmac-sha256", hmac_sha256, "libsodium", NOTE_KEYED, 64, 32, 0, SIZE_MAX, 32),
    MAC("hmac-sha512", hmac_sha512, "libsodium", NOTE_KEYED, 128, 64, 0, SIZE_MAX, 64),
    MAC("hmac-sha256", hmac_sha256_oneshot, "libsodium_oneshot", NOTE_ONESHOT, 64, 32, 32, 32, 32),
    MAC("hmac-sha512", hmac_sha512_oneshot, "libsodium_oneshot", NOTE_ONESHOT, 128, 64, 32, 32, 32),
    MAC("siphash-2-4", siphash, "libsodium", NOTE_ONESHOT, 8, 8, 16, 16, 16),
    MAC("siphash-2-4-128", siphash_128, "libsodium", NOTE_ONESHOT, 8, 16, 16, 16, 16),
    MAC("blake2b-mac", blake2b, "libsodium", NOTE_KEYED, 128, 64, crypto_generichash_KEYBYTES_MIN,
        crypto_generichash_KEYBYTES_MAX, crypto_generichash_KEYBYTES_MAX),
    MAC("poly1305", poly1305, "libsodium", NOTE_ONESHOT, 16, 16, 32, 32, 32),
    HASH("sha256", sha256, 64, 32),
    HASH("sha512", sha512, 128, 64),
};

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "libsodium",
    .library_version = sodium_version_string,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    /* Without sodium_init the library would run its portable code on every CPU. */
    if (sodium_init() < 0) return;
    jm_gather(&plugin, implementations, JM_COUNT(implementations), NULL);
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
