/* SPDX-License-Identifier: Apache-2.0
 * Incremental hashing by blocks through a jm_block_hash's pointers. */
#include "common/block_hash.h"

jm_status jm_block_hash_init(const jm_implementation *self, void *state) {
    jm_block_hash_state *hashed = state;
    ((const jm_block_hash *)self->over)->init(hashed->chain);
    hashed->total_bytes = 0;
    hashed->pending_bytes = 0;
    return JM_OK;
}

jm_status jm_block_hash_update(const jm_implementation *self, void *state, const uint8_t *message,
                               size_t message_bytes) {
    const jm_block_hash *hash = self->over;
    jm_block_hash_state *hashed = state;
    if (message_bytes == 0) return JM_OK;
    hashed->total_bytes += message_bytes;
    if (hashed->pending_bytes) {
        const size_t room = hash->block_bytes - hashed->pending_bytes;
        const size_t taken = message_bytes < room ? message_bytes : room;
        memcpy(hashed->pending + hashed->pending_bytes, message, taken);
        hashed->pending_bytes += taken;
        message += taken;
        message_bytes -= taken;
        const bool waits = hash->keeps_last && message_bytes == 0;
        if (hashed->pending_bytes < hash->block_bytes || waits) return JM_OK;
        hash->absorb(hashed->chain, hashed->pending, 1);
        hashed->pending_bytes = 0;
    }
    const size_t whole = jm_block_hash_whole(hash, message_bytes);
    if (whole) hash->absorb(hashed->chain, message, whole / hash->block_bytes);
    hashed->pending_bytes = message_bytes - whole;
    if (hashed->pending_bytes) memcpy(hashed->pending, message + whole, hashed->pending_bytes);
    return JM_OK;
}

jm_status jm_block_hash_final(const jm_implementation *self, void *state, uint8_t *digest) {
    jm_block_hash_state *hashed = state;
    ((const jm_block_hash *)self->over)
        ->finish(hashed->chain, hashed->pending, hashed->pending_bytes, hashed->total_bytes,
                 digest);
    jm_wipe(state, sizeof(jm_block_hash_state));
    return JM_OK;
}
