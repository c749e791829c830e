/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle (tried: 3.8, 3.10). Call styles, from the manual's "Keyed Hash Functions" and "Cipher
 * functions": a context is a plain struct; set_key once, then update and digest per message.
 * `digest` resets the context to its keyed state, so no context is copied or keyed again.
 * A MAC with nonces takes its nonce before each message: GCM without a plaintext, UMAC, and
 * Poly1305-AES. Not offered: SipHash (absent in 3.8) and Poly1305 under a key for one message (only
 * Poly1305-AES is public). */
#include <nettle/aes.h>
#include <nettle/cmac.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/memxor.h>
#include <nettle/poly1305.h>
#include <nettle/ripemd160.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/umac.h>
#include <nettle/version.h>
#include <pthread.h>
#include <stdio.h>

#include "offered.h"
#include "provider.h"

/* Functions common to MAC and hash contexts. Each primitive has typed functions, which call the
 * library directly: the time of an indirect call would be charged to the library. */
#define CONTEXT(name)                                                                              \
    static jm_status name##_add(const jm_implementation *self, void *context,                      \
                                const uint8_t *message, size_t message_bytes) {                    \
        (void)self;                                                                                \
        name##_update(context, message_bytes, message);                                            \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_finish(const jm_implementation *self, void *context, uint8_t *tag) {   \
        if (tag) name##_digest(context, self->output_bytes, tag);                                  \
        jm_wipe(context, sizeof(struct name##_ctx));                                               \
        return JM_OK;                                                                              \
    }

/* `set_key_call` keys `context` with the `key_bytes` bytes at `key`. */
#define MAC_FUNCTIONS(name, output, set_key_call)                                                  \
    CONTEXT(name)                                                                                  \
    static jm_status name##_key(const jm_implementation *self, void *context, const uint8_t *key,  \
                                size_t key_bytes) {                                                \
        if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;                               \
        set_key_call;                                                                              \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_copy(const jm_implementation *self, void *to, const void *from) {      \
        (void)self;                                                                                \
        memcpy(to, from, sizeof(struct name##_ctx));                                               \
        return JM_OK;                                                                              \
    }                                                                                              \
    static void name##_wipe(const jm_implementation *self, void *context) {                        \
        (void)self;                                                                                \
        jm_wipe(context, sizeof(struct name##_ctx));                                               \
    }                                                                                              \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        (void)self;                                                                                \
        struct name##_ctx *context = (struct name##_ctx *)key_state; /* `digest` restores it */    \
        name##_update(context, message_bytes, message);                                            \
        name##_digest(context, output, tag);                                                       \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_mac_functions name##_functions = {                                             \
        .key_state_bytes = sizeof(struct name##_ctx),                                              \
        .stream_bytes = sizeof(struct name##_ctx),                                                 \
        .set_key = name##_key,                                                                     \
        .copy_key = name##_copy,                                                                   \
        .wipe_key = name##_wipe,                                                                   \
        .tag = name##_tag,                                                                         \
        .stream_begin = name##_copy,                                                               \
        .stream_update = name##_add,                                                               \
        .stream_finish = name##_finish,                                                            \
    };

MAC_FUNCTIONS(hmac_md5, 16, hmac_md5_set_key(context, key_bytes, key))
MAC_FUNCTIONS(hmac_sha1, 20, hmac_sha1_set_key(context, key_bytes, key))
MAC_FUNCTIONS(hmac_sha224, 28, hmac_sha224_set_key(context, key_bytes, key))
MAC_FUNCTIONS(hmac_ripemd160, 20, hmac_ripemd160_set_key(context, key_bytes, key))
MAC_FUNCTIONS(hmac_sha256, 32, hmac_sha256_set_key(context, key_bytes, key))
MAC_FUNCTIONS(hmac_sha384, 48, hmac_sha384_set_key(context, key_bytes, key))
MAC_FUNCTIONS(hmac_sha512, 64, hmac_sha512_set_key(context, key_bytes, key))
MAC_FUNCTIONS(cmac_aes128, 16, cmac_aes128_set_key(context, key))
MAC_FUNCTIONS(cmac_aes256, 16, cmac_aes256_set_key(context, key))

/* `set_nonce_call` begins a message with `state->nonce`, of `state->nonce_bytes` bytes. The context
 * itself counts nonces up, so each message sets its nonce. */
#define NONCE_MAC_FUNCTIONS(name, output, set_key_call, set_nonce_call)                            \
    typedef struct {                                                                               \
        struct name##_ctx context;                                                                 \
        uint8_t nonce[UINT8_MAX];                                                                  \
        size_t nonce_bytes;                                                                        \
    } name##_state;                                                                                \
    static jm_status name##_key(const jm_implementation *self, void *key_state,                    \
                                const uint8_t *key, size_t key_bytes) {                            \
        name##_state *state = key_state;                                                           \
        if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;                               \
        set_key_call;                                                                              \
        memset(state->nonce, 0, sizeof state->nonce);                                              \
        state->nonce_bytes = self->nonce_bytes;                                                    \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_copy(const jm_implementation *self, void *to, const void *from) {      \
        (void)self;                                                                                \
        memcpy(to, from, sizeof(name##_state));                                                    \
        return JM_OK;                                                                              \
    }                                                                                              \
    static void name##_wipe(const jm_implementation *self, void *key_state) {                      \
        (void)self;                                                                                \
        jm_wipe(key_state, sizeof(name##_state));                                                  \
    }                                                                                              \
    static jm_status name##_nonce(const jm_implementation *self, void *key_state,                  \
                                  const uint8_t *nonce, size_t nonce_bytes) {                      \
        name##_state *state = key_state;                                                           \
        if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;                         \
        memcpy(state->nonce, nonce, nonce_bytes);                                                  \
        state->nonce_bytes = nonce_bytes;                                                          \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        name##_state *state = (name##_state *)key_state;                                           \
        (void)self;                                                                                \
        set_nonce_call;                                                                            \
        name##_update(&state->context, message_bytes, message);                                    \
        name##_digest(&state->context, output, tag);                                               \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_mac_functions name##_functions = {                                             \
        .key_state_bytes = sizeof(name##_state),                                                   \
        .set_key = name##_key,                                                                     \
        .copy_key = name##_copy,                                                                   \
        .wipe_key = name##_wipe,                                                                   \
        .tag = name##_tag,                                                                         \
        .set_nonce = name##_nonce,                                                                 \
    };

#define GMAC_FUNCTIONS(bits)                                                                       \
    NONCE_MAC_FUNCTIONS(gcm_aes##bits, GCM_DIGEST_SIZE,                                            \
                        gcm_aes##bits##_set_key(&state->context, key),                             \
                        gcm_aes##bits##_set_iv(&state->context, state->nonce_bytes, state->nonce))
GMAC_FUNCTIONS(128)
GMAC_FUNCTIONS(192)
GMAC_FUNCTIONS(256)

#define UMAC_FUNCTIONS(bits)                                                                       \
    NONCE_MAC_FUNCTIONS(umac##bits, bits / 8, umac##bits##_set_key(&state->context, key),          \
                        umac##bits##_set_nonce(&state->context, state->nonce_bytes, state->nonce))
UMAC_FUNCTIONS(32)
UMAC_FUNCTIONS(64)
UMAC_FUNCTIONS(96)
UMAC_FUNCTIONS(128)

NONCE_MAC_FUNCTIONS(poly1305_aes, POLY1305_AES_DIGEST_SIZE,
                    poly1305_aes_set_key(&state->context, key),
                    poly1305_aes_set_nonce(&state->context, state->nonce))

#define HASH_FUNCTIONS(name, output)                                                               \
    CONTEXT(name)                                                                                  \
    static jm_status name##_start(const jm_implementation *self, void *context) {                  \
        (void)self;                                                                                \
        name##_init(context);                                                                      \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_whole(const jm_implementation *self, const uint8_t *message,           \
                                  size_t message_bytes, uint8_t *digest) {                         \
        (void)self;                                                                                \
        struct name##_ctx context;                                                                 \
        name##_init(&context);                                                                     \
        name##_update(&context, message_bytes, message);                                           \
        name##_digest(&context, output, digest);                                                   \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_hash_functions name##_functions = {                                            \
        .state_bytes = sizeof(struct name##_ctx),                                                  \
        .init = name##_start,                                                                      \
        .update = name##_add,                                                                      \
        .final = name##_finish,                                                                    \
        .digest = name##_whole,                                                                    \
    };

HASH_FUNCTIONS(md5, 16)
HASH_FUNCTIONS(sha1, 20)
HASH_FUNCTIONS(sha224, 28)
HASH_FUNCTIONS(sha256, 32)
HASH_FUNCTIONS(sha384, 48)
HASH_FUNCTIONS(sha512, 64)
HASH_FUNCTIONS(ripemd160, 20)

#define CIPHER_FUNCTIONS(name)                                                                     \
    static jm_status name##_key(const jm_implementation *self, void *schedule, const uint8_t *key, \
                                size_t key_bytes) {                                                \
        if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;                               \
        name##_set_encrypt_key(schedule, key);                                                     \
        return JM_OK;                                                                              \
    }                                                                                              \
    static void name##_wipe(const jm_implementation *self, void *schedule) {                       \
        (void)self;                                                                                \
        jm_wipe(schedule, sizeof(struct name##_ctx));                                              \
    }                                                                                              \
    static void name##_blocks(const jm_implementation *self, const void *schedule,                 \
                              const uint8_t *in, uint8_t *out, size_t blocks) {                    \
        (void)self;                                                                                \
        name##_encrypt(schedule, blocks * AES_BLOCK_SIZE, out, in);                                \
    }                                                                                              \
    static void name##_chain(const jm_implementation *self, const void *schedule, uint8_t *chain,  \
                             const uint8_t *in, size_t blocks) {                                   \
        (void)self;                                                                                \
        for (; blocks > 0; blocks--, in += AES_BLOCK_SIZE) {                                       \
            memxor(chain, in, AES_BLOCK_SIZE);                                                     \
            name##_encrypt(schedule, AES_BLOCK_SIZE, chain, chain);                                \
        }                                                                                          \
    }                                                                                              \
    static const jm_cipher_functions name##_functions = {                                          \
        .schedule_bytes = sizeof(struct name##_ctx),                                               \
        .set_key = name##_key,                                                                     \
        .wipe_key = name##_wipe,                                                                   \
        .encrypt = name##_blocks,                                                                  \
        .chain = name##_chain,                                                                     \
    };

CIPHER_FUNCTIONS(aes128)
CIPHER_FUNCTIONS(aes192)
CIPHER_FUNCTIONS(aes256)

#define MAC(id, name, block, tag, key_min, key_max, key_default)                                   \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "nettle",                                                                       \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .note = "keyed context kept; update and digest per message, digest restores the key",      \
        .block_bytes = block,                                                                      \
        .output_bytes = tag,                                                                       \
        .key_bytes_min = key_min,                                                                  \
        .key_bytes_max = key_max,                                                                  \
        .key_bytes = key_default,                                                                  \
        .mac = &name##_functions,                                                                  \
    }

#define NONCE_MAC(id, name, note_, block, tag, key_size, nonce_min, nonce_max, nonce_default)      \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "nettle",                                                                       \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .note = note_,                                                                             \
        .nonce_bytes_min = nonce_min,                                                              \
        .nonce_bytes_max = nonce_max,                                                              \
        .nonce_bytes = nonce_default,                                                              \
        .block_bytes = block,                                                                      \
        .output_bytes = tag,                                                                       \
        .key_bytes_min = key_size,                                                                 \
        .key_bytes_max = key_size,                                                                 \
        .key_bytes = key_size,                                                                     \
        .mac = &name##_functions,                                                                  \
    }

#define GMAC(bits)                                                                                 \
    NONCE_MAC("gmac-aes" #bits, gcm_aes##bits,                                                     \
              "GCM context kept; set_iv, update and digest per message", GCM_BLOCK_SIZE,           \
              GCM_DIGEST_SIZE, bits / 8, 1, UINT8_MAX, GCM_IV_SIZE)

#define UMAC(bits)                                                                                 \
    NONCE_MAC("umac-" #bits "-aes128", umac##bits,                                                 \
              "keyed context kept; set_nonce, update and digest per message", UMAC_BLOCK_SIZE,     \
              bits / 8, UMAC_KEY_SIZE, UMAC_MIN_NONCE_SIZE, UMAC_MAX_NONCE_SIZE, 8)

#define HASH(name, block, digest_bytes)                                                            \
    &(const jm_implementation){                                                                    \
        .algorithm = #name,                                                                        \
        .variant = "nettle",                                                                       \
        .kind = JM_KIND_HASH,                                                                      \
        .lanes = 1,                                                                                \
        .note = "init, update, digest",                                                            \
        .block_bytes = block,                                                                      \
        .output_bytes = digest_bytes,                                                              \
        .hash = &name##_functions,                                                                 \
    }

#define CIPHER(name, size)                                                                         \
    &(const jm_implementation){                                                                    \
        .algorithm = #name,                                                                        \
        .variant = "nettle",                                                                       \
        .kind = JM_KIND_CIPHER,                                                                    \
        .lanes = 1,                                                                                \
        .note = "one call for all blocks; chain calls it once per block",                          \
        .block_bytes = AES_BLOCK_SIZE,                                                             \
        .output_bytes = AES_BLOCK_SIZE,                                                            \
        .key_bytes_min = size,                                                                     \
        .key_bytes_max = size,                                                                     \
        .key_bytes = size,                                                                         \
        .cipher = &name##_functions,                                                               \
    }

static const jm_implementation *const implementations[] = {
    MAC("hmac-md5", hmac_md5, 64, 16, 0, SIZE_MAX, 16),
    MAC("hmac-sha1", hmac_sha1, 64, 20, 0, SIZE_MAX, 20),
    MAC("hmac-sha224", hmac_sha224, 64, 28, 0, SIZE_MAX, 28),
    MAC("hmac-ripemd160", hmac_ripemd160, 64, 20, 0, SIZE_MAX, 20),
    MAC("hmac-sha256", hmac_sha256, 64, 32, 0, SIZE_MAX, 32),
    MAC("hmac-sha384", hmac_sha384, 128, 48, 0, SIZE_MAX, 48),
    MAC("hmac-sha512", hmac_sha512, 128, 64, 0, SIZE_MAX, 64),
    MAC("cmac-aes128", cmac_aes128, 16, 16, 16, 16, 16),
    MAC("cmac-aes256", cmac_aes256, 16, 16, 32, 32, 32),
    GMAC(128),
    GMAC(192),
    GMAC(256),
    UMAC(32),
    UMAC(64),
    UMAC(96),
    UMAC(128),
    NONCE_MAC("poly1305-aes", poly1305_aes,
              "keyed context kept; set_nonce, update and digest per message", 16,
              POLY1305_AES_DIGEST_SIZE, POLY1305_AES_KEY_SIZE, POLY1305_AES_NONCE_SIZE,
              POLY1305_AES_NONCE_SIZE, POLY1305_AES_NONCE_SIZE),
    HASH(md5, 64, 16),
    HASH(sha1, 64, 20),
    HASH(sha224, 64, 28),
    HASH(sha256, 64, 32),
    HASH(sha384, 128, 48),
    HASH(sha512, 128, 64),
    HASH(ripemd160, 64, 20),
    CIPHER(aes128, 16),
    CIPHER(aes192, 24),
    CIPHER(aes256, 32),
};

/* The library reports no patch level; the SHA-256 of its file tells builds apart. */
static const char *library_version(void) {
    static _Thread_local char text[32];
    snprintf(text, sizeof text, "%d.%d (no patch level)", nettle_version_major(),
             nettle_version_minor());
    return text;
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "nettle",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    jm_gather(&plugin, implementations, JM_COUNT(implementations), NULL);
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
