/* SPDX-License-Identifier: Apache-2.0
 * Sets key states up by the functions that the library's manual gives for preparing keys: one
 * hashed block for each HMAC pad (RFC 2104, section 4), the AES schedule and both CMAC subkeys.
 * States hold no pointers. */
#include "ipsec_mb.h"

#define INNER_PAD 0x36
#define OUTER_PAD 0x5c

static void hash_one_block(const IMB_MGR *manager, IMB_HASH_ALG hash, const void *block,
                           void *chain) {
    switch (hash) {
    case IMB_AUTH_MD5:
        IMB_MD5_ONE_BLOCK(manager, block, chain);
        break;
    case IMB_AUTH_HMAC_SHA_1:
        IMB_SHA1_ONE_BLOCK(manager, block, chain);
        break;
    case IMB_AUTH_HMAC_SHA_256:
        IMB_SHA256_ONE_BLOCK(manager, block, chain);
        break;
    case IMB_AUTH_HMAC_SHA_384:
        IMB_SHA384_ONE_BLOCK(manager, block, chain);
        break;
    default:
        IMB_SHA512_ONE_BLOCK(manager, block, chain);
    }
}

/* Hashes a key longer than a block. The library offers no MD5 of a message, so that HMAC-MD5 takes
 * no key longer than a block. */
static void hash_key(const IMB_MGR *manager, IMB_HASH_ALG hash, const uint8_t *key,
                     size_t key_bytes, uint8_t *digest) {
    switch (hash) {
    case IMB_AUTH_HMAC_SHA_1:
        IMB_SHA1(manager, key, key_bytes, digest);
        break;
    case IMB_AUTH_HMAC_SHA_256:
        IMB_SHA256(manager, key, key_bytes, digest);
        break;
    case IMB_AUTH_HMAC_SHA_384:
        IMB_SHA384(manager, key, key_bytes, digest);
        break;
    default:
        IMB_SHA512(manager, key, key_bytes, digest);
    }
}

jm_status hmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                       size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    const context *mine = context_of(self);
    if (!mine) return JM_ERR_LIBRARY;
    const IMB_HASH_ALG hash = ((const call *)self->over)->algorithm->hash;
    hmac_key *state = key_state;
    uint8_t block[HMAC_BLOCK_BYTES_MAX] = {0};
    if (key_bytes > self->block_bytes)
        hash_key(mine->manager, hash, key, key_bytes, block);
    else if (key_bytes > 0)
        memcpy(block, key, key_bytes);
    for (size_t i = 0; i < self->block_bytes; i++) block[i] ^= INNER_PAD;
    hash_one_block(mine->manager, hash, block, state->inner);
    for (size_t i = 0; i < self->block_bytes; i++) block[i] ^= INNER_PAD ^ OUTER_PAD;
    hash_one_block(mine->manager, hash, block, state->outer);
    jm_wipe(block, sizeof block);
    return JM_OK;
}

jm_status cmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                       size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    const context *mine = context_of(self);
    if (!mine) return JM_ERR_LIBRARY;
    cmac_key *state = key_state;
    _Alignas(16) uint8_t decryption[sizeof state->schedule]; /* also computed, but not needed */
    if (key_bytes == IMB_KEY_128_BYTES) {
        IMB_AES_KEYEXP_128(mine->manager, key, state->schedule, decryption);
        IMB_AES_CMAC_SUBKEY_GEN_128(mine->manager, state->schedule, state->whole, state->padded);
    } else {
        IMB_AES_KEYEXP_256(mine->manager, key, state->schedule, decryption);
        IMB_AES_CMAC_SUBKEY_GEN_256(mine->manager, state->schedule, state->whole, state->padded);
    }
    jm_wipe(decryption, sizeof decryption);
    return JM_OK;
}

jm_status poly1305_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    if (!context_of(self)) return JM_ERR_LIBRARY;
    memcpy(key_state, key, key_bytes);
    return JM_OK;
}

jm_status gmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                       size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    const context *mine = context_of(self);
    if (!mine) return JM_ERR_LIBRARY;
    gmac_key *state = key_state;
    memset(state, 0, sizeof *state);
    if (key_bytes == IMB_KEY_128_BYTES)
        IMB_AES128_GCM_PRE(mine->manager, key, &state->key);
    else if (key_bytes == IMB_KEY_192_BYTES)
        IMB_AES192_GCM_PRE(mine->manager, key, &state->key);
    else
        IMB_AES256_GCM_PRE(mine->manager, key, &state->key);
    return JM_OK;
}

jm_status gmac_set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                         size_t nonce_bytes) {
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    memcpy(((gmac_key *)key_state)->nonce, nonce, GMAC_NONCE_BYTES);
    return JM_OK;
}

jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    memcpy(to, from, self->mac->key_state_bytes);
    return JM_OK;
}

void wipe_key(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, self->mac->key_state_bytes);
}
