/* SPDX-License-Identifier: Apache-2.0
 * Incremental Merkle-Damgard hashing through a jm_compression's pointers. */
#include "common/merkle_damgard.h"

void jm_md_state_update(const jm_compression *compression, jm_md_state *state,
                        const uint8_t *message, size_t message_bytes) {
    if (message_bytes == 0) return;
    const size_t block_bytes = compression->block_bytes;
    const size_t held = (size_t)state->total_bytes & (block_bytes - 1);
    state->total_bytes += message_bytes;
    if (held) {
        const size_t wanted = block_bytes - held;
        const size_t taken = message_bytes < wanted ? message_bytes : wanted;
        memcpy(state->pending + held, message, taken);
        if (taken < wanted) return;
        compression->compress(state->chain, state->pending, 1);
        message += taken;
        message_bytes -= taken;
    }
    const size_t tail = message_bytes & (block_bytes - 1);
    const size_t whole = message_bytes - tail;
    if (whole) compression->compress(state->chain, message, whole / block_bytes);
    if (tail) memcpy(state->pending, message + whole, tail);
}

void jm_md_state_finish(const jm_compression *compression, jm_md_state *state) {
    const size_t tail = (size_t)state->total_bytes & (compression->block_bytes - 1u);
    jm_md_finish(compression, state->chain, state->pending, state->total_bytes - tail,
                 state->pending, tail);
}

jm_status jm_md_init(const jm_implementation *self, void *state) {
    const jm_compression *compression = self->over;
    jm_md_state *md = state;
    compression->init(md->chain);
    md->total_bytes = 0;
    return JM_OK;
}

jm_status jm_md_update(const jm_implementation *self, void *state, const uint8_t *message,
                       size_t message_bytes) {
    jm_md_state_update(self->over, state, message, message_bytes);
    return JM_OK;
}

jm_status jm_md_final(const jm_implementation *self, void *state, uint8_t *digest) {
    const jm_compression *compression = self->over;
    jm_md_state *md = state;
    jm_md_state_finish(compression, md);
    compression->output(md->chain, digest);
    jm_wipe(state, sizeof(jm_md_state));
    return JM_OK;
}
