/* SPDX-License-Identifier: Apache-2.0
 *
 * MACs that take the key with each message: SipHash-2-4 (wc_SipHash), Poly1305 (wc_Poly1305SetKey,
 * update, final), and BLAKE2 with a key (wc_InitBlake2b_WithKey, update, final). The state is the
 * key. SipHash has no streams here: in 5.5.4 wc_SipHashUpdate gives a wrong tag where a piece
 * completes a word of 8 bytes that an earlier piece began. */
#include "wolfssl.h"

#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/poly1305.h>
#include <wolfssl/wolfcrypt/siphash.h>

enum { KEY_BYTES_MAX = 64 };

typedef struct {
    word32 key_bytes;
    byte key[KEY_BYTES_MAX];
} key_copy;

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    key_copy *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memcpy(state->key, key, key_bytes);
    state->key_bytes = (word32)key_bytes;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    memcpy(to, from, sizeof(key_copy));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(key_copy));
}

/* `begin_call` keys `context` with `state`, `final_call` writes `tag`; both return 0 on success. */
#define MAC_FUNCTIONS(name, type, begin_call, update_function, final_call)                         \
    static jm_status name##_begin(const jm_implementation *self, void *context,                    \
                                  const void *key_state) {                                         \
        const key_copy *state = key_state;                                                         \
        (void)self;                                                                                \
        return status_of(begin_call);                                                              \
    }                                                                                              \
    static jm_status name##_add(const jm_implementation *self, void *context,                      \
                                const uint8_t *message, size_t message_bytes) {                    \
        (void)self;                                                                                \
        IN_PIECES(message, message_bytes, update_function(context, bytes, count));                 \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_finish(const jm_implementation *self, void *context, uint8_t *tag) {   \
        (void)self;                                                                                \
        const int code = tag ? final_call : 0;                                                     \
        jm_wipe(context, sizeof(type));                                                            \
        return status_of(code);                                                                    \
    }                                                                                              \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        type context;                                                                              \
        jm_status status = name##_begin(self, &context, key_state);                                \
        if (status == JM_OK) status = name##_add(self, &context, message, message_bytes);          \
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

#ifdef WOLFSSL_SIPHASH
static jm_status siphash_tag(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const key_copy *state = key_state;
    if (message_bytes > UINT32_MAX) return JM_ERR_MESSAGE_BYTES;
    return status_of(wc_SipHash(state->key, message, (word32)message_bytes, tag,
                                (unsigned char)self->output_bytes));
}

static const jm_mac_functions siphash = {
    .key_state_bytes = sizeof(key_copy),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = siphash_tag,
};
#endif
#ifdef HAVE_POLY1305
MAC_FUNCTIONS(poly1305, Poly1305, wc_Poly1305SetKey(context, state->key, state->key_bytes),
              wc_Poly1305Update, wc_Poly1305Final(context, tag))
#endif
#ifdef HAVE_BLAKE2B
MAC_FUNCTIONS(blake2b_mac, Blake2b,
              wc_InitBlake2b_WithKey(context, (word32)self->output_bytes, state->key,
                                     state->key_bytes),
              wc_Blake2bUpdate, wc_Blake2bFinal(context, tag, (word32)self->output_bytes))
#endif
#ifdef HAVE_BLAKE2S
MAC_FUNCTIONS(blake2s_mac, Blake2s,
              wc_InitBlake2s_WithKey(context, (word32)self->output_bytes, state->key,
                                     state->key_bytes),
              wc_Blake2sUpdate, wc_Blake2sFinal(context, tag, (word32)self->output_bytes))
#endif

#define MAC(id, name, block, tag, key_min, key_max)                                                \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "wolfssl",                                                                      \
        .note = "keyed for each message; update, final",                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = tag,                                                                       \
        .key_bytes_min = key_min,                                                                  \
        .key_bytes_max = key_max,                                                                  \
        .key_bytes = key_max,                                                                      \
        .mac = &name,                                                                              \
    }

static const jm_implementation *const implementations[] = {
#ifdef WOLFSSL_SIPHASH
    MAC("siphash-2-4", siphash, 8, 8, 16, 16),
    MAC("siphash-2-4-128", siphash, 8, 16, 16, 16),
#endif
#ifdef HAVE_POLY1305
    MAC("poly1305", poly1305, 16, 16, 32, 32),
#endif
#ifdef HAVE_BLAKE2B
    MAC("blake2b-mac", blake2b_mac, 128, 64, 1, 64),
#endif
#ifdef HAVE_BLAKE2S
    MAC("blake2s-mac", blake2s_mac, 64, 32, 1, 32),
#endif
    NULL, /* since an array must not be empty; the NULL is not counted */
};

const jm_table jm_wolfssl_oneshot = {JM_COUNT(implementations) - 1, implementations};
