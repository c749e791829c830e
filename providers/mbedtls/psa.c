/* SPDX-License-Identifier: Apache-2.0
 *
 * All calls of Mbed TLS 4, by psa/crypto.h.
 *   mac    psa_import_key once per key; psa_mac_compute for each message. A stream is
 *          psa_mac_sign_setup, update, finish
 *   gmac   psa_aead_encrypt with PSA_ALG_GCM, without a plaintext
 *   aes    psa_cipher_encrypt with PSA_ALG_ECB_NO_PADDING; a chain is an operation with
 *          PSA_ALG_CBC_NO_PADDING
 *   hash   psa_hash_compute; a stream is psa_hash_setup, update, finish
 * Between messages PSA keeps only the key. It computes the midstates of HMAC, the subkeys of CMAC
 * and the schedule of AES again for each message, so that their cost is measured.
 *
 * Threads: PSA allows calls in several threads that use one key, if no two use one operation and
 * none destroys the key meanwhile. The library keeps this promise where it was built with
 * MBEDTLS_THREADING_C, which its default leaves out. Its tests try threads with the management of
 * keys, and not yet with MACs. Here each key state has a key of its own, which one thread at a time
 * uses; all keys are in one store of the process, which a MAC only reads, except for a count of the
 * readers of its own key. So keys must be imported, copied and destroyed in one thread, as the
 * harness does, or in a library with threads. */
#include "mbedtls.h"

#if JM_MBEDTLS_PSA

enum { BLOCK = 16, CBC_PIECE = 4096, NONCE_BYTES_MAX = 128 };

/* A key of the store. Its identifier is all that a state holds of it. */
typedef mbedtls_svc_key_id_t key_id;

static psa_key_attributes_t attributes_of(jm_psa_key_use use) {
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_type(&attributes, use.type);
    psa_set_key_algorithm(&attributes, use.algorithm);
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_COPY | (PSA_ALG_IS_MAC(use.algorithm)
                                                                   ? PSA_KEY_USAGE_SIGN_MESSAGE
                                                                   : PSA_KEY_USAGE_ENCRYPT));
    return attributes;
}

static const jm_psa_key_use *use_of(const jm_implementation *self) {
    return self->over;
}

static jm_status import(jm_psa_key_use use, key_id *to, const uint8_t *key, size_t key_bytes) {
    const psa_key_attributes_t attributes = attributes_of(use);
    return status_of(psa_import_key(&attributes, some_bytes(key), key_bytes, to));
}

/* ---- HMAC and CMAC ---- */

static jm_status mac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                             size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    return import(*use_of(self), key_state, key, key_bytes);
}

static jm_status mac_copy(const jm_implementation *self, void *to, const void *from) {
    const psa_key_attributes_t attributes = attributes_of(*use_of(self));
    return status_of(psa_copy_key(*(const key_id *)from, &attributes, to));
}

static void mac_wipe(const jm_implementation *self, void *key_state) {
    psa_destroy_key(*(key_id *)key_state);
    jm_wipe(key_state, self->mac->key_state_bytes);
}

static jm_status mac_tag(const jm_implementation *self, const void *key_state,
                         const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    size_t tag_bytes;
    return status_of(psa_mac_compute(*(const key_id *)key_state, use_of(self)->algorithm,
                                     some_bytes(message), message_bytes, tag, self->output_bytes,
                                     &tag_bytes));
}

static jm_status mac_begin(const jm_implementation *self, void *stream, const void *key_state) {
    *(psa_mac_operation_t *)stream = psa_mac_operation_init();
    return status_of(
        psa_mac_sign_setup(stream, *(const key_id *)key_state, use_of(self)->algorithm));
}

static jm_status mac_update(const jm_implementation *self, void *stream, const uint8_t *message,
                            size_t message_bytes) {
    (void)self;
    return status_of(psa_mac_update(stream, some_bytes(message), message_bytes));
}

static jm_status mac_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    size_t tag_bytes;
    const psa_status_t code =
        tag ? psa_mac_sign_finish(stream, tag, self->output_bytes, &tag_bytes) : PSA_SUCCESS;
    psa_mac_abort(stream);
    jm_wipe(stream, sizeof(psa_mac_operation_t));
    return status_of(code);
}

const jm_mac_functions jm_psa_mac = {
    .key_state_bytes = sizeof(key_id),
    .stream_bytes = sizeof(psa_mac_operation_t),
    .set_key = mac_set_key,
    .copy_key = mac_copy,
    .wipe_key = mac_wipe,
    .tag = mac_tag,
    .stream_begin = mac_begin,
    .stream_update = mac_update,
    .stream_finish = mac_finish,
};

/* ---- GMAC ---- */

typedef struct {
    key_id key; /* first, so that the functions above work on this state too */
    uint8_t nonce[NONCE_BYTES_MAX];
    size_t nonce_bytes;
} gmac_state;

static jm_status gmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                              size_t key_bytes) {
    gmac_state *state = key_state;
    memset(state, 0, sizeof *state);
    state->nonce_bytes = self->nonce_bytes;
    return mac_set_key(self, &state->key, key, key_bytes);
}

static jm_status gmac_set_nonce(const jm_implementation *self, void *key_state,
                                const uint8_t *nonce, size_t nonce_bytes) {
    gmac_state *state = key_state;
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    memcpy(state->nonce, nonce, nonce_bytes);
    state->nonce_bytes = nonce_bytes;
    return JM_OK;
}

static jm_status gmac_copy(const jm_implementation *self, void *to, const void *from) {
    gmac_state *copy = to;
    memcpy(copy, from, sizeof *copy);
    return mac_copy(self, &copy->key, from);
}

static jm_status gmac_tag(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const gmac_state *state = key_state;
    size_t tag_bytes;
    return status_of(psa_aead_encrypt(state->key, use_of(self)->algorithm, state->nonce,
                                      state->nonce_bytes, some_bytes(message), message_bytes,
                                      some_bytes(NULL), 0, tag, self->output_bytes, &tag_bytes));
}

const jm_mac_functions jm_psa_gmac = {
    .key_state_bytes = sizeof(gmac_state),
    .set_key = gmac_set_key,
    .copy_key = gmac_copy,
    .wipe_key = mac_wipe,
    .tag = gmac_tag,
    .set_nonce = gmac_set_nonce,
};

/* ---- AES ---- */

/* PSA ties a key to one mode. */
typedef struct {
    key_id ecb, cbc;
} aes_keys;

static jm_status aes_set_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                             size_t key_bytes) {
    static const jm_psa_key_use ecb = {PSA_KEY_TYPE_AES, PSA_ALG_ECB_NO_PADDING};
    static const jm_psa_key_use cbc = {PSA_KEY_TYPE_AES, PSA_ALG_CBC_NO_PADDING};
    aes_keys *keys = schedule;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    jm_status status = import(ecb, &keys->ecb, key, key_bytes);
    if (status != JM_OK) return status;
    status = import(cbc, &keys->cbc, key, key_bytes);
    if (status != JM_OK) psa_destroy_key(keys->ecb);
    return status;
}

static void aes_wipe(const jm_implementation *self, void *schedule) {
    aes_keys *keys = schedule;
    (void)self;
    psa_destroy_key(keys->ecb);
    psa_destroy_key(keys->cbc);
    jm_wipe(keys, sizeof *keys);
}

/* The calls below can fail for want of memory. The output is then zeroed, and no check accepts
 * zeros. */
static void aes_encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in,
                        uint8_t *out, size_t blocks) {
    const aes_keys *keys = schedule;
    size_t written;
    (void)self;
    if (psa_cipher_encrypt(keys->ecb, PSA_ALG_ECB_NO_PADDING, in, blocks * BLOCK, out,
                           blocks * BLOCK, &written))
        memset(out, 0, blocks * BLOCK);
}

/* The library's own CBC mode with the chain as its IV, whose last block is the new chain. */
static void aes_chain(const jm_implementation *self, const void *schedule, uint8_t *value,
                      const uint8_t *in, size_t blocks) {
    const aes_keys *keys = schedule;
    psa_cipher_operation_t operation = psa_cipher_operation_init();
    uint8_t links[CBC_PIECE];
    size_t left = blocks * BLOCK, used = left < CBC_PIECE ? left : CBC_PIECE, written;
    psa_status_t code = psa_cipher_encrypt_setup(&operation, keys->cbc, PSA_ALG_CBC_NO_PADDING);
    (void)self;
    if (!code) code = psa_cipher_set_iv(&operation, value, BLOCK);
    while (left > 0 && !code) {
        const size_t piece = left < CBC_PIECE ? left : CBC_PIECE;
        code = psa_cipher_update(&operation, in, piece, links, sizeof links, &written);
        if (!code) memcpy(value, links + piece - BLOCK, BLOCK);
        in += piece;
        left -= piece;
    }
    psa_cipher_abort(&operation);
    if (code) memset(value, 0, BLOCK);
    jm_wipe(links, used);
}

const jm_cipher_functions jm_psa_aes = {
    .schedule_bytes = sizeof(aes_keys),
    .set_key = aes_set_key,
    .wipe_key = aes_wipe,
    .encrypt = aes_encrypt,
    .chain = aes_chain,
};

/* ---- hashes ---- */

static psa_algorithm_t hash_of(const jm_implementation *self) {
    return *(const psa_algorithm_t *)self->over;
}

static jm_status hash_init(const jm_implementation *self, void *state) {
    *(psa_hash_operation_t *)state = psa_hash_operation_init();
    return status_of(psa_hash_setup(state, hash_of(self)));
}

static jm_status hash_update(const jm_implementation *self, void *state, const uint8_t *message,
                             size_t message_bytes) {
    (void)self;
    return status_of(psa_hash_update(state, some_bytes(message), message_bytes));
}

static jm_status hash_final(const jm_implementation *self, void *state, uint8_t *digest) {
    size_t digest_bytes;
    const psa_status_t code = psa_hash_finish(state, digest, self->output_bytes, &digest_bytes);
    psa_hash_abort(state);
    jm_wipe(state, sizeof(psa_hash_operation_t));
    return status_of(code);
}

static jm_status hash_whole(const jm_implementation *self, const uint8_t *message,
                            size_t message_bytes, uint8_t *digest) {
    size_t digest_bytes;
    return status_of(psa_hash_compute(hash_of(self), some_bytes(message), message_bytes, digest,
                                      self->output_bytes, &digest_bytes));
}

const jm_hash_functions jm_psa_hash = {
    .state_bytes = sizeof(psa_hash_operation_t),
    .init = hash_init,
    .update = hash_update,
    .final = hash_final,
    .digest = hash_whole,
};

#endif
