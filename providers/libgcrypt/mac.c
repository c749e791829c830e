/* SPDX-License-Identifier: Apache-2.0
 *
 * gcry_mac (manual, "Message Authentication Codes"): a handle opened and keyed once, in the key
 * state; per message gcry_mac_setiv where there is a nonce, gcry_mac_write, gcry_mac_read, and
 * gcry_mac_reset, which restores the keyed state. A handle cannot be copied: copies and streams are
 * new handles, keyed with the key that the state keeps. Poly1305 forgets its one-time key in a
 * reset, and gets it again for each message. */
#include "libgcrypt.h"

enum { NONCE_BYTES = 12, NONCE_BYTES_MAX = 128 };

typedef struct {
    gcry_mac_hd_t handle; /* changes with every message; the state itself does not */
    uint8_t *key;         /* key_bytes bytes; never NULL once set up */
    size_t key_bytes;
    uint8_t nonce[NONCE_BYTES_MAX];
    size_t nonce_bytes; /* 0 for a MAC without nonces */
} mac_state;

static void wipe_key(const jm_implementation *self, void *key_state) {
    mac_state *state = key_state;
    (void)self;
    gcry_mac_close(state->handle);
    if (state->key) jm_wipe(state->key, state->key_bytes);
    gcry_free(state->key);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    mac_state *state = key_state;
    const gcrypt_number *of = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memset(state, 0, sizeof *state);
    state->key = gcry_malloc(key_bytes + 1);
    if (!state->key) return JM_ERR_MEMORY;
    memcpy(state->key, some_bytes(key), key_bytes);
    state->key_bytes = key_bytes;
    state->nonce_bytes = self->nonce_bytes;
    if (!gcry_mac_open(&state->handle, of->number, 0, NULL) &&
        !gcry_mac_setkey(state->handle, state->key, key_bytes))
        return JM_OK;
    wipe_key(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                           size_t nonce_bytes) {
    mac_state *state = key_state;
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    memcpy(state->nonce, nonce, nonce_bytes);
    state->nonce_bytes = nonce_bytes;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const mac_state *source = from;
    const jm_status status = set_key(self, to, source->key, source->key_bytes);
    if (status != JM_OK || !source->nonce_bytes) return status;
    return set_nonce(self, to, source->nonce, source->nonce_bytes);
}

static jm_status begin_kept(const mac_state *state) {
    (void)state;
    return JM_OK;
}

static jm_status begin_rekeyed(const mac_state *state) {
    return status_of(gcry_mac_setkey(state->handle, state->key, state->key_bytes));
}

static jm_status begin_with_nonce(const mac_state *state) {
    return status_of(gcry_mac_setiv(state->handle, state->nonce, state->nonce_bytes));
}

static jm_status add(gcry_mac_hd_t handle, const uint8_t *message, size_t message_bytes) {
    return status_of(gcry_mac_write(handle, some_bytes(message), message_bytes));
}

static jm_status finish(gcry_mac_hd_t handle, uint8_t *tag, size_t tag_bytes) {
    size_t written = tag_bytes;
    return gcry_mac_read(handle, tag, &written) || written != tag_bytes ? JM_ERR_LIBRARY : JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    return copy_key(self, stream, key_state);
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    return add(((mac_state *)stream)->handle, message, message_bytes);
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    jm_status status = JM_OK;
    if (tag) status = finish(((mac_state *)stream)->handle, tag, self->output_bytes);
    wipe_key(self, stream);
    return status;
}

/* A function for each way to begin: an indirect call's time would be charged to the library. */
#define TAG(name, begin_call)                                                                      \
    static jm_status name(const jm_implementation *self, const void *key_state,                    \
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {            \
        const mac_state *state = key_state;                                                        \
        jm_status status = begin_call(state);                                                      \
        if (status == JM_OK) status = add(state->handle, message, message_bytes);                  \
        if (status == JM_OK) status = finish(state->handle, tag, self->output_bytes);              \
        const jm_status reset = status_of(gcry_mac_reset(state->handle));                          \
        return status == JM_OK ? reset : status;                                                   \
    }

TAG(tag_kept, begin_kept)
TAG(tag_rekeyed, begin_rekeyed)
TAG(tag_with_nonce, begin_with_nonce)

#define STREAMED(tag_function)                                                                     \
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

static const jm_mac_functions kept = STREAMED(tag_kept), rekeyed = STREAMED(tag_rekeyed);

static const jm_mac_functions with_nonce = {
    .key_state_bytes = sizeof(mac_state),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag_with_nonce,
    .set_nonce = set_nonce,
};

#define MAC(id, functions, sentence, gcrypt, block, tag, key_min, key_max, key_default, ...)       \
    &(const jm_implementation){.algorithm = id,                                                    \
                               .variant = "libgcrypt",                                             \
                               .note = sentence,                                                   \
                               .kind = JM_KIND_MAC,                                                \
                               .lanes = 1,                                                         \
                               .block_bytes = block,                                               \
                               .output_bytes = tag,                                                \
                               .key_bytes_min = key_min,                                           \
                               .key_bytes_max = key_max,                                           \
                               .key_bytes = key_default,                                           \
                               .mac = &functions,                                                  \
                               .over = &(const gcrypt_number){gcrypt},                             \
                               __VA_ARGS__}

#define KEPT "gcry_mac handle keyed once; per message write, read, reset"
#define HMAC(hash, gcrypt, block, tag)                                                             \
    MAC("hmac-" hash, kept, KEPT, GCRY_MAC_HMAC_##gcrypt, block, tag, 0, SIZE_MAX, tag)
#define CMAC(cipher, gcrypt, key)                                                                  \
    MAC("cmac-" cipher, kept, KEPT, GCRY_MAC_CMAC_##gcrypt, 16, 16, key, key, key)
#define GMAC(bits)                                                                                 \
    MAC("gmac-aes" #bits, with_nonce,                                                              \
        "gcry_mac handle keyed once; per message setiv, write, "                                   \
        "read, reset",                                                                             \
        GCRY_MAC_GMAC_AES, 16, 16, bits / 8, bits / 8, bits / 8, .nonce_bytes_min = 1,             \
        .nonce_bytes_max = NONCE_BYTES_MAX, .nonce_bytes = NONCE_BYTES)

static const jm_implementation *const implementations[] = {
    HMAC("md5", MD5, 64, 16),
    HMAC("sha1", SHA1, 64, 20),
    HMAC("sha224", SHA224, 64, 28),
    HMAC("sha256", SHA256, 64, 32),
    HMAC("sha384", SHA384, 128, 48),
    HMAC("sha512", SHA512, 128, 64),
    HMAC("sha512-256", SHA512_256, 128, 32),
    HMAC("sha3-224", SHA3_224, 144, 28),
    HMAC("sha3-256", SHA3_256, 136, 32),
    HMAC("sha3-384", SHA3_384, 104, 48),
    HMAC("sha3-512", SHA3_512, 72, 64),
    HMAC("blake2b-512", BLAKE2B_512, 128, 64),
    HMAC("blake2s-256", BLAKE2S_256, 64, 32),
    HMAC("ripemd160", RMD160, 64, 20),
    HMAC("sm3", SM3, 64, 32),
    HMAC("whirlpool", WHIRLPOOL, 64, 64),
    CMAC("aes128", AES, 16),
    CMAC("aes192", AES, 24),
    CMAC("aes256", AES, 32),
    CMAC("serpent128", SERPENT, 16),
    CMAC("twofish128", TWOFISH, 16),
    GMAC(128),
    GMAC(192),
    GMAC(256),
    MAC("poly1305", rekeyed, "gcry_mac handle kept; per message setkey, write, read, reset",
        GCRY_MAC_POLY1305, 16, 16, 32, 32, 32),
    MAC("poly1305-aes", with_nonce,
        "gcry_mac handle keyed once; per message setiv, write, read, reset", GCRY_MAC_POLY1305_AES,
        16, 16, 32, 32, 32, .nonce_bytes_min = 16, .nonce_bytes_max = 16, .nonce_bytes = 16),
};

const jm_table jm_gcrypt_mac = {JM_COUNT(implementations), implementations};
