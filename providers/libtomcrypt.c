/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt (tried: 1.18.2), its MACs alone. Call style, from its manual's chapter "Message
 * Authentication Codes": init with the key, process, done for each message, since `done` erases the
 * state. The key state is the key. Hashes and ciphers are found by their place in the library's
 * tables; the plugin registers them there when it is loaded. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tomcrypt.h>

#include "offered.h"
#include "provider.h"

typedef struct {
    uint8_t *key; /* key_bytes bytes; never NULL */
    size_t key_bytes;
} key_copy;

static jm_status status_of(int code) {
    return code == CRYPT_OK ? JM_OK : JM_ERR_LIBRARY;
}

static const uint8_t *some_bytes(const uint8_t *bytes) {
    return bytes ? bytes : (const uint8_t *)"";
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    key_copy *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    state->key = malloc(key_bytes + 1);
    if (!state->key) return JM_ERR_MEMORY;
    memcpy(state->key, some_bytes(key), key_bytes);
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
    jm_wipe(state->key, state->key_bytes);
    free(state->key);
    jm_wipe(state, sizeof *state);
}

/* Place in the library's tables of the hash or cipher that the MAC is built on. */
static int place_of(const jm_implementation *self) {
    return *(const int *)self->over;
}

/* The library has no call that abandons a message: an abandoned message is finished, and its tag
 * thrown away. `init_call` keys `context` with `state`. */
#define MAC_FUNCTIONS(name, type, api, init_call)                                                  \
    static jm_status name##_begin(const jm_implementation *self, void *context,                    \
                                  const void *key_state) {                                         \
        const key_copy *state = key_state;                                                         \
        (void)self;                                                                                \
        return status_of(init_call);                                                               \
    }                                                                                              \
    static jm_status name##_add(const jm_implementation *self, void *context,                      \
                                const uint8_t *message, size_t message_bytes) {                    \
        (void)self;                                                                                \
        return status_of(api##_process(context, some_bytes(message), message_bytes));              \
    }                                                                                              \
    static jm_status name##_finish(const jm_implementation *self, void *context, uint8_t *tag) {   \
        uint8_t unused[MAXBLOCKSIZE];                                                              \
        unsigned long tag_bytes = self->output_bytes;                                              \
        const jm_status status = status_of(api##_done(context, tag ? tag : unused, &tag_bytes));   \
        if (!tag) jm_wipe(unused, sizeof unused);                                                  \
        jm_wipe(context, sizeof(type));                                                            \
        return status;                                                                             \
    }                                                                                              \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        type context;                                                                              \
        jm_status status = name##_begin(self, &context, key_state);                                \
        if (status != JM_OK) return status;                                                        \
        status = name##_add(self, &context, message, message_bytes);                               \
        const jm_status finished = name##_finish(self, &context, status == JM_OK ? tag : NULL);    \
        return status == JM_OK ? finished : status;                                                \
    }                                                                                              \
    static const jm_mac_functions name = {                                                         \
        .key_state_bytes = sizeof(key_copy),                                                       \
        .stream_bytes = sizeof(type),                                                              \
        .set_key = set_key,                                                                        \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = name##_tag,                                                                         \
        .stream_begin = name##_begin,                                                              \
        .stream_update = name##_add,                                                               \
        .stream_finish = name##_finish,                                                            \
    };

MAC_FUNCTIONS(hmac, hmac_state, hmac,
              hmac_init(context, place_of(self), state->key, state->key_bytes))
MAC_FUNCTIONS(cmac, omac_state, omac,
              omac_init(context, place_of(self), state->key, state->key_bytes))
MAC_FUNCTIONS(pmac, pmac_state, pmac,
              pmac_init(context, place_of(self), state->key, state->key_bytes))
MAC_FUNCTIONS(xcbc, xcbc_state, xcbc,
              xcbc_init(context, place_of(self), state->key, state->key_bytes))
MAC_FUNCTIONS(poly1305, poly1305_state, poly1305,
              poly1305_init(context, state->key, state->key_bytes))
MAC_FUNCTIONS(blake2b, blake2bmac_state, blake2bmac,
              blake2bmac_init(context, self->output_bytes, state->key, state->key_bytes))
MAC_FUNCTIONS(blake2s, blake2smac_state, blake2smac,
              blake2smac_init(context, self->output_bytes, state->key, state->key_bytes))

static int md5_place, sha1_place, sha224_place, sha256_place, sha384_place, sha512_place,
    sha512_256_place, sha3_224_place, sha3_256_place, sha3_384_place, sha3_512_place, rmd160_place,
    whirlpool_place, blake2b_place, blake2s_place, aes_place, rc6_place, twofish_place;

static void register_parts(void) {
    md5_place = register_hash(&md5_desc);
    sha1_place = register_hash(&sha1_desc);
    sha224_place = register_hash(&sha224_desc);
    sha256_place = register_hash(&sha256_desc);
    sha384_place = register_hash(&sha384_desc);
    sha512_place = register_hash(&sha512_desc);
    sha512_256_place = register_hash(&sha512_256_desc);
    sha3_224_place = register_hash(&sha3_224_desc);
    sha3_256_place = register_hash(&sha3_256_desc);
    sha3_384_place = register_hash(&sha3_384_desc);
    sha3_512_place = register_hash(&sha3_512_desc);
    rmd160_place = register_hash(&rmd160_desc);
    whirlpool_place = register_hash(&whirlpool_desc);
    blake2b_place = register_hash(&blake2b_512_desc);
    blake2s_place = register_hash(&blake2s_256_desc);
    aes_place = register_cipher(&aes_desc);
    rc6_place = register_cipher(&rc6_desc);
    twofish_place = register_cipher(&twofish_desc);
}

#define MAC(id, functions, on, block, tag, key_min, key_max, key_default)                          \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "libtomcrypt",                                                                  \
        .note = "keyed for each message; process, done",                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = tag,                                                                       \
        .key_bytes_min = key_min,                                                                  \
        .key_bytes_max = key_max,                                                                  \
        .key_bytes = key_default,                                                                  \
        .mac = &functions,                                                                         \
        .over = &on##_place,                                                                       \
    }
#define HMAC(hash, on, block, tag) MAC("hmac-" hash, hmac, on, block, tag, 1, SIZE_MAX, tag)
#define OVER_CIPHER(id, functions, on, key) MAC(id, functions, on, 16, 16, key, key, key)

static const jm_implementation *const implementations[] = {
    HMAC("md5", md5, 64, 16),
    HMAC("sha1", sha1, 64, 20),
    HMAC("sha224", sha224, 64, 28),
    HMAC("sha256", sha256, 64, 32),
    HMAC("sha384", sha384, 128, 48),
    HMAC("sha512", sha512, 128, 64),
    HMAC("sha512-256", sha512_256, 128, 32),
    HMAC("sha3-224", sha3_224, 144, 28),
    HMAC("sha3-256", sha3_256, 136, 32),
    HMAC("sha3-384", sha3_384, 104, 48),
    HMAC("sha3-512", sha3_512, 72, 64),
    HMAC("ripemd160", rmd160, 64, 20),
    HMAC("whirlpool", whirlpool, 64, 64),
    HMAC("blake2b-512", blake2b, 128, 64),
    HMAC("blake2s-256", blake2s, 64, 32),
    OVER_CIPHER("cmac-aes128", cmac, aes, 16),
    OVER_CIPHER("cmac-aes192", cmac, aes, 24),
    OVER_CIPHER("cmac-aes256", cmac, aes, 32),
    OVER_CIPHER("cmac-rc6-128", cmac, rc6, 16),
    OVER_CIPHER("cmac-twofish128", cmac, twofish, 16),
    OVER_CIPHER("pmac-aes128", pmac, aes, 16),
    OVER_CIPHER("xcbc-aes128", xcbc, aes, 16),
    MAC("poly1305", poly1305, aes, 16, 16, 32, 32, 32),
    MAC("blake2b-mac", blake2b, blake2b, 128, 64, 1, 64, 64),
    MAC("blake2s-mac", blake2s, blake2s, 64, 32, 1, 32, 32),
};

/* The first line of the library's build settings: "LibTomCrypt 1.18.2 (www.libtom.net)". */
static const char *library_version(void) {
    static _Thread_local char text[64];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(crypt_build_settings, "\n"),
             crypt_build_settings);
    return text;
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "libtomcrypt",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    register_parts();
    jm_gather(&plugin, implementations, JM_COUNT(implementations), NULL);
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
