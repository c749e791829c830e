/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC's key set-up and stream (RFC 2104; FIPS 198-1), through a jm_compression's pointers. The
 * one-shot tag is in common/merkle_damgard.h, which also states the parts of a key state, and has
 * the outer halves of these functions (common/secret.h).
 */
#include "common/merkle_damgard.h"

enum { IPAD = 0x36, OPAD = 0x5c };

static void xor_all(uint8_t *block, size_t block_bytes, uint8_t with) {
    for (size_t i = 0; i < block_bytes; i++) block[i] ^= with;
}

/* A key longer than a block is replaced by its digest (RFC 2104, section 2). */
static void load_key(const jm_compression *compression, uint8_t *block, const uint8_t *key,
                     size_t key_bytes) {
    memset(block, 0, JM_BLOCK_BYTES_MAX);
    if (key_bytes > compression->block_bytes)
        jm_md_digest(compression, key, key_bytes, block);
    else if (key_bytes)
        jm_copy_secret(block, key, key_bytes);
}

jm_status jm_hmac_set_key_inner(const jm_implementation *self, void *key_state, const uint8_t *key,
                                size_t key_bytes) {
    const jm_compression *compression = self->over;
    jm_hmac_key *state =
        (jm_hmac_key *)(void *)((uint8_t *)key_state + JM_HMAC_KEY_AT(compression->block_bytes));
    uint8_t block[JM_BLOCK_BYTES_MAX];
    memset(key_state, 0, JM_HMAC_KEY_BYTES(compression->block_bytes));
    load_key(compression, block, key, key_bytes);
    xor_all(block, compression->block_bytes, IPAD);
    compression->init(state->inner);
    compression->compress(state->inner, block, 1);
    xor_all(block, compression->block_bytes, IPAD ^ OPAD);
    compression->init(state->outer);
    compression->compress(state->outer, block, 1);
    *jm_hmac_live(key_state, compression->block_bytes) = self->live;
    return JM_OK;
}

jm_status jm_hmac_copy_key(const jm_implementation *self, void *to, const void *from) {
    const size_t block_bytes = ((const jm_compression *)self->over)->block_bytes;
    if (!jm_hmac_is_live(from, block_bytes, self->live)) return JM_ERR_ENDED;
    jm_copy_secret(to, from, JM_HMAC_KEY_BYTES(block_bytes));
    return JM_OK;
}

void jm_hmac_wipe_key(const jm_implementation *self, void *key_state) {
    jm_wipe(key_state, self->mac->key_state_bytes);
}

jm_status jm_hmac_begin_inner(const jm_implementation *self, void *stream, const void *key_state) {
    const jm_compression *compression = self->over;
    const jm_hmac_key *key = jm_hmac_key_of(key_state, compression->block_bytes);
    jm_hmac_stream *hmac = stream;
    if (!jm_hmac_is_live(key_state, compression->block_bytes, self->live)) return JM_ERR_ENDED;
    memcpy(hmac->inner.chain, key->inner, sizeof key->inner);
    memcpy(hmac->outer, key->outer, sizeof key->outer);
    hmac->inner.total_bytes = compression->block_bytes;
    hmac->live = self->live;
    return JM_OK;
}

jm_status jm_hmac_update_inner(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    jm_hmac_stream *hmac = stream;
    if (hmac->live != self->live) return JM_ERR_ENDED;
    jm_md_state_update(self->over, &hmac->inner, message, message_bytes);
    return JM_OK;
}

jm_status jm_hmac_finish_inner(const jm_implementation *self, void *stream, uint8_t *tag) {
    const jm_compression *compression = self->over;
    jm_hmac_stream *hmac = stream;
    jm_md_state *inner = &hmac->inner;
    jm_md_state_finish(compression, inner);
    jm_hmac_close(compression, inner->chain, inner->pending, hmac->outer, tag);
    return JM_OK;
}
