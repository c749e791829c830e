/* SPDX-License-Identifier: Apache-2.0
 *
 * openssl_lowlevel: HMAC (RFC 2104) by hand over SHA256_Update and the like. The state is the two
 * hash contexts after key ^ ipad and key ^ opad, copied for each message. The cost is that of the
 * library's block code without its object layer. A copy of a state's bytes is a state. */

/* These calls are deprecated since 3.0. They are used here because no newer call reaches the block
 * code without contexts on the heap and indirect calls: this variant measures their cost. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>

#include "openssl.h"

#define LOWLEVEL_HMAC(name, api, context, block, output)                                           \
    typedef struct {                                                                               \
        context inner, outer;                                                                      \
    } name##_state;                                                                                \
                                                                                                   \
    static int name##_pad(context *c, const uint8_t *key, uint8_t byte) {                          \
        uint8_t padded[block];                                                                     \
        for (size_t i = 0; i < block; i++) padded[i] = key[i] ^ byte;                              \
        int done = api##_Init(c) && api##_Update(c, padded, block);                                \
        jm_wipe(padded, block);                                                                    \
        return done;                                                                               \
    }                                                                                              \
                                                                                                   \
    static jm_status name##_set_key(const jm_implementation *self, void *key_state,                \
                                    const uint8_t *key, size_t key_bytes) {                        \
        name##_state *state = key_state;                                                           \
        uint8_t short_key[block] = {0};                                                            \
        int done = 1;                                                                              \
        (void)self;                                                                                \
        if (key_bytes > block)                                                                     \
            done = api##_Init(&state->inner) && api##_Update(&state->inner, key, key_bytes) &&     \
                   api##_Final(short_key, &state->inner);                                          \
        else                                                                                       \
            memcpy(short_key, some_key(key), key_bytes);                                           \
        done = done && name##_pad(&state->inner, short_key, 0x36) &&                               \
               name##_pad(&state->outer, short_key, 0x5c);                                         \
        jm_wipe(short_key, block);                                                                 \
        return done ? JM_OK : JM_ERR_LIBRARY;                                                      \
    }                                                                                              \
                                                                                                   \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        context working = ((const name##_state *)key_state)->inner;                                \
        uint8_t inner_digest[output];                                                              \
        (void)self;                                                                                \
        int done =                                                                                 \
            api##_Update(&working, message, message_bytes) && api##_Final(inner_digest, &working); \
        working = ((const name##_state *)key_state)->outer;                                        \
        done = done && api##_Update(&working, inner_digest, output) && api##_Final(tag, &working); \
        jm_wipe(&working, sizeof working);                                                         \
        return done ? JM_OK : JM_ERR_LIBRARY;                                                      \
    }                                                                                              \
                                                                                                   \
    static const jm_mac_functions name = {                                                         \
        .key_state_bytes = sizeof(name##_state),                                                   \
        .set_key = name##_set_key,                                                                 \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = name##_tag,                                                                         \
    };

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    memcpy(to, from, self->mac->key_state_bytes);
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, self->mac->key_state_bytes);
}

LOWLEVEL_HMAC(md5, MD5, MD5_CTX, MD5_CBLOCK, MD5_DIGEST_LENGTH)
LOWLEVEL_HMAC(sha1, SHA1, SHA_CTX, SHA_CBLOCK, SHA_DIGEST_LENGTH)
LOWLEVEL_HMAC(sha256, SHA256, SHA256_CTX, SHA256_CBLOCK, SHA256_DIGEST_LENGTH)
LOWLEVEL_HMAC(sha384, SHA384, SHA512_CTX, SHA512_CBLOCK, SHA384_DIGEST_LENGTH)
LOWLEVEL_HMAC(sha512, SHA512, SHA512_CTX, SHA512_CBLOCK, SHA512_DIGEST_LENGTH)

#define IMPLEMENTATION(name, block, tag)                                                           \
    OPENSSL_MAC("hmac-" #name, "openssl_lowlevel",                                                 \
                "kept pad states copied per message; the hash's low-level update and final", name, \
                block, tag, 0, SIZE_MAX, tag)

static const jm_implementation *const implementations[] = {
    IMPLEMENTATION(md5, 64, 16),     IMPLEMENTATION(sha1, 64, 20),
    IMPLEMENTATION(sha256, 64, 32),  IMPLEMENTATION(sha384, 128, 48),
    IMPLEMENTATION(sha512, 128, 64),
};

const jm_table jm_openssl_lowlevel = {JM_COUNT(implementations), implementations};
