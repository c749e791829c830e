/* SPDX-License-Identifier: Apache-2.0
 *
 * openssl_evp, AES: two contexts keyed once, fetched once per key. `encrypt` is EVP_EncryptUpdate
 * in ECB mode without padding; `chain` is the library's own CBC mode with the chain as its IV,
 * since E(chain ^ block) is exactly a CBC block.
 * EVP_EncryptUpdate counts in int, so long inputs are cut into pieces. Neither call can fail once
 * keyed; if one fails, the output is zeroed, and no check accepts zeros. */
#include <openssl/evp.h>

#include "openssl.h"

enum { AES_BLOCK = 16, ECB_PIECE = 1 << 30, CBC_PIECE = 4096 };

/* The contexts change with every call; the state itself does not. */
typedef struct {
    EVP_CIPHER_CTX *ecb, *cbc;
} aes_state;

typedef struct {
    const char *ecb, *cbc;
} aes_modes;

static EVP_CIPHER_CTX *keyed_context(const char *name, const uint8_t *key) {
    static const uint8_t zero_iv[AES_BLOCK];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *context = cipher ? EVP_CIPHER_CTX_new() : NULL;
    int keyed = context && EVP_EncryptInit_ex2(context, cipher, key, zero_iv, NULL) &&
                EVP_CIPHER_CTX_set_padding(context, 0);
    EVP_CIPHER_free(cipher); /* the context holds another reference */
    if (keyed) return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

static void wipe_key(const jm_implementation *self, void *schedule) {
    aes_state *state = schedule;
    (void)self;
    EVP_CIPHER_CTX_free(state->ecb);
    EVP_CIPHER_CTX_free(state->cbc);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                         size_t key_bytes) {
    aes_state *state = schedule;
    const aes_modes *modes = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    state->ecb = keyed_context(modes->ecb, key);
    state->cbc = keyed_context(modes->cbc, key);
    if (state->ecb && state->cbc) return JM_OK;
    wipe_key(self, schedule);
    return JM_ERR_LIBRARY;
}

static void encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in,
                    uint8_t *out, size_t blocks) {
    EVP_CIPHER_CTX *context = ((const aes_state *)schedule)->ecb;
    size_t left = blocks * AES_BLOCK;
    (void)self;
    while (left > 0) {
        int piece = left < ECB_PIECE ? (int)left : ECB_PIECE, written;
        if (!EVP_EncryptUpdate(context, out, &written, in, piece)) memset(out, 0, (size_t)piece);
        in += piece;
        out += piece;
        left -= (size_t)piece;
    }
}

static void chain(const jm_implementation *self, const void *schedule, uint8_t *value,
                  const uint8_t *in, size_t blocks) {
    EVP_CIPHER_CTX *context = ((const aes_state *)schedule)->cbc;
    uint8_t links[CBC_PIECE];
    size_t left = blocks * AES_BLOCK, used = left < CBC_PIECE ? left : CBC_PIECE;
    int done = EVP_EncryptInit_ex2(context, NULL, NULL, value, NULL);
    (void)self;
    while (left > 0) {
        int piece = left < CBC_PIECE ? (int)left : CBC_PIECE, written;
        done = done && EVP_EncryptUpdate(context, links, &written, in, piece);
        if (done) memcpy(value, links + piece - AES_BLOCK, AES_BLOCK);
        in += piece;
        left -= (size_t)piece;
    }
    if (!done) memset(value, 0, AES_BLOCK);
    jm_wipe(links, used);
}

static const jm_cipher_functions functions = {
    .schedule_bytes = sizeof(aes_state),
    .set_key = set_key,
    .wipe_key = wipe_key,
    .encrypt = encrypt,
    .chain = chain,
};

#define IMPLEMENTATION(id, size, ecb_name, cbc_name)                                               \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "openssl_evp",                                                                  \
        .kind = JM_KIND_CIPHER,                                                                    \
        .lanes = 1,                                                                                \
        .note = "EVP in ECB mode on a kept context; chain is EVP in CBC mode on another",          \
        .block_bytes = AES_BLOCK,                                                                  \
        .output_bytes = AES_BLOCK,                                                                 \
        .key_bytes_min = size,                                                                     \
        .key_bytes_max = size,                                                                     \
        .key_bytes = size,                                                                         \
        .cipher = &functions,                                                                      \
        .over = &(const aes_modes){ecb_name, cbc_name},                                            \
    }

static const jm_implementation *const implementations[] = {
    IMPLEMENTATION("aes128", 16, "AES-128-ECB", "AES-128-CBC"),
    IMPLEMENTATION("aes192", 24, "AES-192-ECB", "AES-192-CBC"),
    IMPLEMENTATION("aes256", 32, "AES-256-ECB", "AES-256-CBC"),
};

const jm_table jm_openssl_cipher = {JM_COUNT(implementations), implementations};
