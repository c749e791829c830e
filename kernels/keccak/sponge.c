/* SPDX-License-Identifier: Apache-2.0
 * The hashes of the Keccak family (FIPS 202, section 4: the sponge), for any implementation whose
 * `over` is a keccak_sponge. */
#include "common/secret.h"
#include "keccak/keccak.h"

void jm_keccak_state_update(const keccak_sponge *sponge, keccak_state *state,
                            const uint8_t *message, size_t message_bytes) {
    const size_t rate_bytes = sponge->rate_bytes;
    if (state->at) {
        const size_t room = rate_bytes - state->at;
        const size_t taken = message_bytes < room ? message_bytes : room;
        keccak_add(state->state, state->at, message, taken);
        state->at += taken;
        if (taken < room) return;
        sponge->absorb(state->state, NULL, 0, 1);
        state->at = 0;
        message += taken;
        message_bytes -= taken;
    }
    const size_t blocks = message_bytes / rate_bytes, whole = blocks * rate_bytes;
    if (blocks) sponge->absorb(state->state, message, rate_bytes / 8, blocks);
    state->at = message_bytes - whole;
    if (state->at) keccak_add(state->state, 0, message + whole, state->at);
}

static jm_status init(const jm_implementation *self, void *state) {
    (void)self;
    memset(state, 0, sizeof(keccak_state));
    return JM_OK;
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t message_bytes) {
    if (message_bytes) jm_keccak_state_update(self->over, state, message, message_bytes);
    return JM_OK;
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *digest) {
    keccak_state *absorbed = state;
    keccak_pad(self->over, absorbed->state, absorbed->at);
    keccak_output(self->over, absorbed->state, digest);
    jm_wipe(state, sizeof(keccak_state));
    return JM_OK;
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *out) {
    uint64_t state[KECCAK_WORDS];
    keccak_clear(state);
    keccak_finish(self->over, state, message, message_bytes);
    keccak_output(self->over, state, out);
    keccak_clear(state);
    return JM_OK;
}

const jm_hash_functions jm_keccak_hash = {
    .state_bytes = sizeof(keccak_state),
    .init = init,
    .update = update,
    .final = final,
    .digest = digest,
};
