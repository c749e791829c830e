/* SPDX-License-Identifier: Apache-2.0
 * KangarooTwelve's tree of two levels (RFC 9861, section 3), for any implementation whose `over` is
 * a kt128_code. */
#include "common/secret.h"
#include "kt128/kt128.h"

/* From this number on, lanes are faster than one chunk after the other. */
enum { CHUNKS_IN_LANES = 2 };

static void begin(kt128_state *state) {
    keccak_clear(state->final_node.state);
    keccak_clear(state->leaf.state);
    state->final_node.at = state->leaf.at = 0;
    state->chunks = state->chunk_bytes = 0;
}

static void add_to_final_node(const kt128_code *code, kt128_state *state, const uint8_t *bytes,
                              size_t count) {
    jm_keccak_state_update(&code->final_node, &state->final_node, bytes, count);
}

/* Section 3.2: two bits 1 and zeros stand between the first chunk and the values. */
static void end_first_chunk(const kt128_code *code, kt128_state *state) {
    static const uint8_t between[8] = {0x03};
    add_to_final_node(code, state, between, sizeof between);
    state->chunks = 1;
}

static void add_value(const kt128_code *code, kt128_state *state,
                      const uint64_t value[KT128_VALUE_WORDS]) {
    uint8_t bytes[8 * KT128_VALUE_WORDS];
    for (size_t i = 0; i < KT128_VALUE_WORDS; i++) store_le64(bytes + 8 * i, value[i]);
    add_to_final_node(code, state, bytes, sizeof bytes);
    jm_wipe(bytes, sizeof bytes);
}

/* Ends the incomplete leaf, which has absorbed its last byte of the message. */
static void end_leaf(const kt128_code *code, kt128_state *state, const keccak_sponge *sponge) {
    keccak_pad(sponge, state->leaf.state, state->leaf.at);
    add_value(code, state, state->leaf.state);
    keccak_clear(state->leaf.state);
    state->leaf.at = 0;
    state->chunks++;
}

/* Absorbs whole chunks, as many as lanes at once, while no chunk is incomplete. At least the length
 * of the customization string follows each, so that none is the last. */
static void absorb_chunks(const kt128_code *code, kt128_state *state, const uint8_t *message,
                          size_t count) {
    uint64_t values[KT128_LANES_MAX][KT128_VALUE_WORDS];
    size_t leaf = 0;
    code->chunks(values, message, count, state->chunks ? NULL : state->final_node.state);
    if (state->chunks == 0) {
        const uint8_t *rest = message + KT128_CHUNK_BYTES - KT128_CHUNK_REST;
        keccak_add(state->final_node.state, 0, rest, KT128_CHUNK_REST);
        state->final_node.at = KT128_CHUNK_REST;
        end_first_chunk(code, state);
        leaf = 1;
    }
    for (; leaf < count; leaf++) {
        add_value(code, state, values[leaf]);
        state->chunks++;
    }
    jm_wipe(values, sizeof values);
}

static void absorb(const kt128_code *code, kt128_state *state, const uint8_t *message,
                   size_t bytes) {
    while (bytes) {
        const size_t room = KT128_CHUNK_BYTES - state->chunk_bytes;
        size_t taken = bytes < room ? bytes : room, chunks = bytes / KT128_CHUNK_BYTES;
        if (chunks > code->lanes) chunks = code->lanes;
        if (state->chunk_bytes == 0 && chunks >= CHUNKS_IN_LANES) {
            absorb_chunks(code, state, message, chunks);
            taken = chunks * KT128_CHUNK_BYTES;
        } else {
            keccak_state *sponge = state->chunks ? &state->leaf : &state->final_node;
            jm_keccak_state_update(&code->leaf, sponge, message, taken);
            state->chunk_bytes += taken;
            if (state->chunk_bytes == KT128_CHUNK_BYTES) {
                if (state->chunks)
                    end_leaf(code, state, &code->leaf);
                else
                    end_first_chunk(code, state);
                state->chunk_bytes = 0;
            }
        }
        message += taken;
        bytes -= taken;
    }
}

/* Section 3.3: writes length_encode of the number of leaves, which is not 0, and the end of the
 * node. */
static size_t encode_leaves(uint8_t to[11], uint64_t leaves) {
    uint8_t length = 0;
    for (uint64_t left = leaves; left; left >>= 8) length++;
    for (unsigned i = 0; i < length; i++) to[i] = (uint8_t)(leaves >> 8 * (length - 1 - i));
    to[length] = length;
    to[length + 1] = to[length + 2] = 0xff;
    return length + 3u;
}

static void finish(const kt128_code *code, kt128_state *state, uint8_t *digest) {
    const keccak_sponge *sponge = &code->single;
    if (state->chunks) {
        uint8_t end[11];
        end_leaf(code, state, &code->last_leaf);
        add_to_final_node(code, state, end, encode_leaves(end, state->chunks - 1));
        sponge = &code->final_node;
    }
    keccak_pad(sponge, state->final_node.state, state->final_node.at);
    keccak_output(sponge, state->final_node.state, digest);
}

static jm_status init(const jm_implementation *self, void *state) {
    (void)self;
    begin(state);
    return JM_OK;
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t message_bytes) {
    absorb(self->over, state, message, message_bytes);
    return JM_OK;
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *digest) {
    finish(self->over, state, digest);
    jm_wipe(state, sizeof(kt128_state));
    return JM_OK;
}

static void digest_tree(const kt128_code *code, const uint8_t *message, size_t message_bytes,
                        uint8_t *digest) {
    kt128_state state;
    begin(&state);
    absorb(code, &state, message, message_bytes);
    finish(code, &state, digest);
    jm_wipe(&state, sizeof state);
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *out) {
    const kt128_code *code = self->over;
    if (message_bytes < KT128_CHUNK_BYTES) {
        uint64_t state[KECCAK_WORDS];
        keccak_clear(state);
        keccak_finish(&code->single, state, message, message_bytes);
        keccak_output(&code->single, state, out);
        keccak_clear(state);
    } else {
        digest_tree(code, message, message_bytes, out);
    }
    return JM_OK;
}

const jm_hash_functions jm_kt128_hash = {
    .state_bytes = sizeof(kt128_state),
    .init = init,
    .update = update,
    .final = final,
    .digest = digest,
};

const jm_implementation *jm_kt128_longer(const jm_implementation *self) {
    return self->hash == &jm_kt128_hash ? ((const kt128_code *)self->over)->longer : NULL;
}
