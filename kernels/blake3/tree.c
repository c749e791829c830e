/* SPDX-License-Identifier: Apache-2.0
 * BLAKE3's tree (section 2.4) and its incremental form (section 5.1.2), for any implementation
 * whose `over` is a blake3_code. */
#include "blake3/blake3.h"

enum { PARENTS_IN_LANES = 3 };

static void begin_chunk(blake3_state *state) {
    memcpy(state->chain, blake3_initial, sizeof blake3_initial);
    state->blocks = 0;
    state->pending_bytes = 0;
}

/* Sets what update and final read. */
static void begin(blake3_state *state) {
    begin_chunk(state);
    state->chunks = 0;
    state->levels = 0;
}

static void to_bytes(uint8_t *to, const uint32_t chain[8]) {
    for (size_t i = 0; i < 8; i++) store_le32(to + 4 * i, chain[i]);
}

/* The parent of `left` and of `chain`, in place of `chain`. */
static void join(const blake3_code *code, const uint32_t left[8], uint32_t chain[8],
                 uint32_t flags) {
    uint8_t block[BLAKE3_BLOCK_BYTES];
    to_bytes(block, left);
    to_bytes(block + 32, chain);
    memcpy(chain, blake3_initial, sizeof blake3_initial);
    code->compress(chain, block, 0, BLAKE3_BLOCK_BYTES, BLAKE3_PARENT | flags);
    jm_wipe(block, sizeof block);
}

/* Adds the value of a subtree of `count` chunks, a power of two that divides the number of those
 * before. More of the message follows, so that no parent here is the root. */
static void push(const blake3_code *code, blake3_state *state, uint32_t chain[8], uint64_t count) {
    state->chunks += count;
    for (uint64_t subtrees = state->chunks / count; subtrees % 2 == 0; subtrees /= 2)
        join(code, state->stack[--state->levels], chain, 0);
    memcpy(state->stack[state->levels++], chain, 8 * sizeof *chain);
}

/* Absorbs the block at hand, which is not the message's last. */
static void absorb_block(const blake3_code *code, blake3_state *state, const uint8_t *block) {
    const bool last = state->blocks == BLAKE3_CHUNK_BLOCKS - 1;
    const uint32_t start = state->blocks == 0 ? BLAKE3_CHUNK_START : 0;
    code->compress(state->chain, block, state->chunks, BLAKE3_BLOCK_BYTES,
                   start | (last ? BLAKE3_CHUNK_END : 0));
    state->blocks++;
    state->pending_bytes = 0;
    if (!last) return;
    push(code, state, state->chain, 1);
    begin_chunk(state);
}

/* Replaces 2 * count values of subtrees by those of `count` parents. Few are computed sooner one
 * after the other. */
static void join_pairs(const blake3_code *code, uint32_t (*chains)[8], size_t count) {
    if (code->parents && count >= PARENTS_IN_LANES) {
        code->parents(chains, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        join(code, chains[2 * i], chains[2 * i + 1], 0);
        memcpy(chains[i], chains[2 * i + 1], sizeof *chains);
    }
}

/* Adds the values of `count` chunks, by subtrees as large as there are. With `ends` the message
 * ends after them, and the last subtree, or its right half, is kept in `chain`: its parent may be
 * the root. */
static void push_chunks(const blake3_code *code, blake3_state *state, uint32_t (*chains)[8],
                        size_t count, bool ends) {
    while (count) {
        size_t size = 1;
        while (2 * size <= count && state->chunks % (2 * size) == 0) size *= 2;
        const bool kept = ends && size == count;
        const size_t values = kept && size > 1 ? 2 : 1;
        for (size_t left = size / 2; left >= values; left /= 2) join_pairs(code, chains, left);
        if (!kept || values == 2) push(code, state, chains[0], size / values);
        if (kept) memcpy(state->chain, chains[values - 1], sizeof state->chain);
        chains += size;
        count -= size;
    }
}

/* Absorbs whole chunks, where none is begun. */
static void absorb_chunks(const blake3_code *code, blake3_state *state, const uint8_t *message,
                          size_t whole, bool ends) {
    uint32_t chains[BLAKE3_LANES_MAX][8];
    while (whole) {
        const size_t room = code->lanes - state->chunks % code->lanes;
        const size_t count = whole < room ? whole : room;
        code->chunks(chains, message, count, state->chunks);
        message += count * BLAKE3_CHUNK_BYTES;
        whole -= count;
        push_chunks(code, state, chains, count, ends && whole == 0);
    }
    jm_wipe(chains, sizeof chains);
}

static void absorb(const blake3_code *code, blake3_state *state, const uint8_t *message,
                   size_t bytes) {
    while (bytes) {
        if (state->pending_bytes == BLAKE3_BLOCK_BYTES) absorb_block(code, state, state->pending);
        size_t taken = 0;
        if (state->blocks == 0 && state->pending_bytes == 0 && bytes > BLAKE3_CHUNK_BYTES) {
            const size_t whole = (bytes - 1) / BLAKE3_CHUNK_BYTES;
            absorb_chunks(code, state, message, whole, false);
            taken = whole * BLAKE3_CHUNK_BYTES;
        }
        if (taken == 0 && state->pending_bytes == 0 && bytes > BLAKE3_BLOCK_BYTES) {
            absorb_block(code, state, message);
            taken = BLAKE3_BLOCK_BYTES;
        }
        if (taken == 0) {
            const size_t room = BLAKE3_BLOCK_BYTES - state->pending_bytes;
            taken = bytes < room ? bytes : room;
            memcpy(state->pending + state->pending_bytes, message, taken);
            state->pending_bytes += (uint32_t)taken;
        }
        message += taken;
        bytes -= taken;
    }
}

/* The last block of the last chunk. */
static void finish_chunk(const blake3_code *code, blake3_state *state) {
    const uint32_t start = state->blocks == 0 ? BLAKE3_CHUNK_START : 0;
    const uint32_t root = state->levels == 0 ? BLAKE3_ROOT : 0;
    memset(state->pending + state->pending_bytes, 0, BLAKE3_BLOCK_BYTES - state->pending_bytes);
    code->compress(state->chain, state->pending, state->chunks, state->pending_bytes,
                   start | BLAKE3_CHUNK_END | root);
}

/* The parents of the last subtree, from the lowest to the root. */
static void finish_tree(const blake3_code *code, blake3_state *state, uint8_t *digest) {
    while (state->levels) {
        state->levels--;
        join(code, state->stack[state->levels], state->chain, state->levels ? 0 : BLAKE3_ROOT);
    }
    to_bytes(digest, state->chain);
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
    finish_chunk(self->over, state);
    finish_tree(self->over, state, digest);
    jm_wipe(state, sizeof(blake3_state));
    return JM_OK;
}

/* Of the stack only the values that it has held are wiped: at most one for each doubling. */
static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *out) {
    blake3_state state;
    const size_t whole =
        message_bytes > BLAKE3_CHUNK_BYTES ? message_bytes / BLAKE3_CHUNK_BYTES : 0;
    const size_t rest = message_bytes - whole * BLAKE3_CHUNK_BYTES;
    begin(&state);
    if (whole) {
        absorb_chunks(self->over, &state, message, whole, rest == 0);
        message += whole * BLAKE3_CHUNK_BYTES;
    }
    if (!whole || rest) {
        absorb(self->over, &state, message, rest);
        finish_chunk(self->over, &state);
    }
    size_t used = 1;
    for (uint64_t chunks = state.chunks; chunks; chunks /= 2) used++;
    finish_tree(self->over, &state, out);
    jm_wipe(state.stack, used * sizeof *state.stack);
    jm_wipe(state.chain, sizeof state.chain);
    jm_wipe(state.pending, sizeof state.pending);
    return JM_OK;
}

const jm_hash_functions jm_blake3_hash = {
    .state_bytes = sizeof(blake3_state),
    .init = init,
    .update = update,
    .final = final,
    .digest = digest,
};
