/* SPDX-License-Identifier: Apache-2.0
 *
 * AES, and CMAC and GMAC over AES.
 *   aes    wc_AesSetKey once; wc_AesEcbEncrypt, and for a chain wc_AesSetIV and wc_AesCbcEncrypt
 *   cmac   wc_InitCmac, wc_CmacUpdate, wc_CmacFinal for each message, as wc_AesCmacGenerate does:
 *          wc_CmacFinal erases the key
 *   gmac   wc_GmacSetKey once; wc_GmacUpdate for each message, which takes its length in 32 bits */
#include "wolfssl.h"

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/cmac.h>

enum { BLOCK = 16, CBC_PIECE = 4096, KEY_BYTES_MAX = 32 };
enum { NONCE_BYTES = 12, NONCE_BYTES_MAX = 128 };

/* ---- CMAC ---- */

typedef struct {
    word32 key_bytes;
    byte key[KEY_BYTES_MAX];
} key_copy;

static jm_status cmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                              size_t key_bytes) {
    key_copy *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memcpy(state->key, key, key_bytes);
    state->key_bytes = (word32)key_bytes;
    return JM_OK;
}

static jm_status cmac_copy(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    memcpy(to, from, sizeof(key_copy));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, self->mac->key_state_bytes);
}

static jm_status cmac_begin(const jm_implementation *self, void *stream, const void *key_state) {
    const key_copy *state = key_state;
    (void)self;
    return status_of(wc_InitCmac(stream, state->key, state->key_bytes, WC_CMAC_AES, NULL));
}

static jm_status cmac_add(const jm_implementation *self, void *stream, const uint8_t *message,
                          size_t message_bytes) {
    (void)self;
    IN_PIECES(message, message_bytes, wc_CmacUpdate(stream, bytes, count));
    return JM_OK;
}

static jm_status cmac_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    word32 tag_bytes = BLOCK;
    (void)self;
    const int code = tag ? wc_CmacFinal(stream, tag, &tag_bytes) : 0;
    jm_wipe(stream, sizeof(Cmac));
    return status_of(code);
}

static jm_status cmac_tag(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    Cmac cmac;
    jm_status status = cmac_begin(self, &cmac, key_state);
    if (status == JM_OK) status = cmac_add(self, &cmac, message, message_bytes);
    const jm_status finished = cmac_finish(self, &cmac, status == JM_OK ? tag : NULL);
    return status == JM_OK ? finished : status;
}

static const jm_mac_functions cmac = {
    .key_state_bytes = sizeof(key_copy),
    .stream_bytes = sizeof(Cmac),
    .set_key = cmac_set_key,
    .copy_key = cmac_copy,
    .wipe_key = wipe_key,
    .tag = cmac_tag,
    .stream_begin = cmac_begin,
    .stream_update = cmac_add,
    .stream_finish = cmac_finish,
};

/* ---- GMAC ---- */

typedef struct {
    Gmac gmac; /* changes while a tag is computed */
    key_copy key;
    byte nonce[NONCE_BYTES_MAX];
    word32 nonce_bytes;
} gmac_state;

static void gmac_wipe(const jm_implementation *self, void *key_state) {
    wc_AesFree(&((gmac_state *)key_state)->gmac.aes);
    wipe_key(self, key_state);
}

static jm_status gmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                              size_t key_bytes) {
    gmac_state *state = key_state;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memset(state, 0, sizeof *state);
    cmac_set_key(self, &state->key, key, key_bytes);
    state->nonce_bytes = self->nonce_bytes;
    if (!wc_AesInit(&state->gmac.aes, NULL, INVALID_DEVID) &&
        !wc_GmacSetKey(&state->gmac, key, (word32)key_bytes))
        return JM_OK;
    gmac_wipe(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status gmac_set_nonce(const jm_implementation *self, void *key_state,
                                const uint8_t *nonce, size_t nonce_bytes) {
    gmac_state *state = key_state;
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    memcpy(state->nonce, nonce, nonce_bytes);
    state->nonce_bytes = (word32)nonce_bytes;
    return JM_OK;
}

static jm_status gmac_copy(const jm_implementation *self, void *to, const void *from) {
    const gmac_state *source = from;
    const jm_status status = gmac_set_key(self, to, source->key.key, source->key.key_bytes);
    return status == JM_OK ? gmac_set_nonce(self, to, source->nonce, source->nonce_bytes) : status;
}

static jm_status gmac_tag(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    gmac_state *state = (gmac_state *)key_state;
    (void)self;
    if (message_bytes > UINT32_MAX) return JM_ERR_MESSAGE_BYTES;
    return status_of(wc_GmacUpdate(&state->gmac, state->nonce, state->nonce_bytes, message,
                                   (word32)message_bytes, tag, BLOCK));
}

static const jm_mac_functions gmac = {
    .key_state_bytes = sizeof(gmac_state),
    .set_key = gmac_set_key,
    .copy_key = gmac_copy,
    .wipe_key = gmac_wipe,
    .tag = gmac_tag,
    .set_nonce = gmac_set_nonce,
};

/* ---- AES ---- */

static jm_status aes_set_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                             size_t key_bytes) {
    static const byte zero_iv[BLOCK];
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    if (wc_AesInit(schedule, NULL, INVALID_DEVID)) return JM_ERR_LIBRARY;
    return status_of(wc_AesSetKey(schedule, key, (word32)key_bytes, zero_iv, AES_ENCRYPTION));
}

static void aes_wipe(const jm_implementation *self, void *schedule) {
    (void)self;
    wc_AesFree(schedule);
    jm_wipe(schedule, sizeof(Aes));
}

/* The library's calls below cannot fail once keyed; if one fails, the output is zeroed, and no
 * check accepts zeros. They change the IV in the object and no other part of it. */
static void aes_encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in,
                        uint8_t *out, size_t blocks) {
    (void)self;
    for (size_t left = blocks * BLOCK; left > 0;) {
        const word32 piece = left < PIECE_BYTES ? (word32)left : PIECE_BYTES;
        if (wc_AesEcbEncrypt((Aes *)schedule, out, in, piece)) memset(out, 0, piece);
        in += piece;
        out += piece;
        left -= piece;
    }
}

static void aes_chain(const jm_implementation *self, const void *schedule, uint8_t *value,
                      const uint8_t *in, size_t blocks) {
    byte links[CBC_PIECE];
    size_t left = blocks * BLOCK, used = left < CBC_PIECE ? left : CBC_PIECE;
    int code = wc_AesSetIV((Aes *)schedule, value);
    (void)self;
    while (left > 0) {
        const word32 piece = left < CBC_PIECE ? (word32)left : CBC_PIECE;
        code = code ? code : wc_AesCbcEncrypt((Aes *)schedule, links, in, piece);
        if (!code) memcpy(value, links + piece - BLOCK, BLOCK);
        in += piece;
        left -= piece;
    }
    if (code) memset(value, 0, BLOCK);
    jm_wipe(links, used);
}

static const jm_cipher_functions aes = {
    .schedule_bytes = sizeof(Aes),
    .set_key = aes_set_key,
    .wipe_key = aes_wipe,
    .encrypt = aes_encrypt,
    .chain = aes_chain,
};

#define OVER_AES(id, kind_, sentence, bits, ...)                                                   \
    &(const jm_implementation){.algorithm = id #bits,                                              \
                               .variant = "wolfssl",                                               \
                               .note = sentence,                                                   \
                               .kind = kind_,                                                      \
                               .lanes = 1,                                                         \
                               .block_bytes = BLOCK,                                               \
                               .output_bytes = BLOCK,                                              \
                               .key_bytes_min = bits / 8,                                          \
                               .key_bytes_max = bits / 8,                                          \
                               .key_bytes = bits / 8,                                              \
                               __VA_ARGS__}
#define CMAC(bits)                                                                                 \
    OVER_AES("cmac-aes", JM_KIND_MAC, "wc_InitCmac, update, final for each message", bits,         \
             .mac = &cmac)
#define GMAC(bits)                                                                                 \
    OVER_AES("gmac-aes", JM_KIND_MAC, "object keyed once; wc_GmacUpdate for each message", bits,   \
             .nonce_bytes_min = 1, .nonce_bytes_max = NONCE_BYTES_MAX, .nonce_bytes = NONCE_BYTES, \
             .mac = &gmac)
#define AES(bits)                                                                                  \
    OVER_AES("aes", JM_KIND_CIPHER, "wc_AesEcbEncrypt for all blocks; chain is wc_AesCbcEncrypt",  \
             bits, .cipher = &aes)

static const jm_implementation *const implementations[] = {
    CMAC(128), CMAC(192), CMAC(256), GMAC(128), GMAC(192), GMAC(256), AES(128), AES(192), AES(256),
};

const jm_table jm_wolfssl_aes = {JM_COUNT(implementations), implementations};
