/* SPDX-License-Identifier: Apache-2.0
 * BLAKE3's tree (section 2.4) and its incremental form (section 5.1.2), for any implementation
 * whose `over` is a blake3_code, in its two modes. */
#include "blake3/blake3_keyed.h"

enum { PARENTS_IN_LANES = 3 };

/* The functions and the mode by which a tree is computed. */
typedef struct {
    const blake3_code *code;
    const blake3_mode *mode;
} tree;

static const blake3_mode hash_mode = {.start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

static tree hash_tree(const jm_implementation *self) {
    return (tree){self->over, &hash_mode};
}

static void begin_chunk(const blake3_mode *mode, blake3_state *state) {
    memcpy(state->chain, mode->start, sizeof state->chain);
    state->blocks = 0;
    state->pending_bytes = 0;
}

/* Sets the members that update and final read. */
static void begin(const blake3_mode *mode, blake3_state *state) {
    begin_chunk(mode, state);
    state->chunks = 0;
    state->levels = 0;
}

static void to_bytes(uint8_t *to, const uint32_t chain[8]) {
    for (size_t i = 0; i < 8; i++) store_le32(to + 4 * i, chain[i]);
}

/* The parent of `left` and of `chain`, in place of `chain`. */
static void join(tree by, const uint32_t left[8], uint32_t chain[8], uint32_t flags) {
    uint8_t block[BLAKE3_BLOCK_BYTES];
    to_bytes(block, left);
    to_bytes(block + 32, chain);
    memcpy(chain, by.mode->start, sizeof by.mode->start);
    by.code->compress(chain, block, 0, BLAKE3_BLOCK_BYTES, by.mode->flags | BLAKE3_PARENT | flags);
    jm_wipe(block, sizeof block);
}

/* Adds the value of a subtree of `count` chunks, a power of two that divides the number of chunks
 * before. More of the message follows, so that no parent here is the root. */
static void push(tree by, blake3_state *state, uint32_t chain[8], uint64_t count) {
    state->chunks += count;
    for (uint64_t subtrees = state->chunks / count; subtrees % 2 == 0; subtrees /= 2)
        join(by, state->stack[--state->levels], chain, 0);
    memcpy(state->stack[state->levels++], chain, 8 * sizeof *chain);
}

/* Absorbs the block at hand, which is not the message's last. */
static void absorb_block(tree by, blake3_state *state, const uint8_t *block) {
    const bool last = state->blocks == BLAKE3_CHUNK_BLOCKS - 1;
    const uint32_t start = state->blocks == 0 ? BLAKE3_CHUNK_START : 0;
    by.code->compress(state->chain, block, state->chunks, BLAKE3_BLOCK_BYTES,
                      by.mode->flags | start | (last ? BLAKE3_CHUNK_END : 0));
    state->blocks++;
    state->pending_bytes = 0;
    if (!last) return;
    push(by, state, state->chain, 1);
    begin_chunk(by.mode, state);
}

/* Replaces 2 * count values of subtrees by those of `count` parents. A few parents are computed
 * faster one after the other. */
static void join_pairs(tree by, uint32_t (*chains)[8], size_t count) {
    size_t i = 0;
    while (by.code->parents && count - i >= PARENTS_IN_LANES) {
        const size_t left = count - i, taken = left < by.code->lanes ? left : by.code->lanes;
        by.code->parents(by.mode, chains + i, chains + 2 * i, taken);
        i += taken;
    }
    for (; i < count; i++) {
        join(by, chains[2 * i], chains[2 * i + 1], 0);
        memcpy(chains[i], chains[2 * i + 1], sizeof *chains);
    }
}

/* Adds the values of `count` chunks in subtrees as large as possible. With `ends` the message ends
 * after these chunks, and the last subtree, or its right half, is kept in `chain`: its parent may
 * be the root. */
static void push_chunks(tree by, blake3_state *state, uint32_t (*chains)[8], size_t count,
                        bool ends) {
    while (count) {
        size_t size = 1;
        while (2 * size <= count && state->chunks % (2 * size) == 0) size *= 2;
        const bool kept = ends && size == count;
        const size_t values = kept && size > 1 ? 2 : 1;
        for (size_t left = size / 2; left >= values; left /= 2) join_pairs(by, chains, left);
        if (!kept || values == 2) push(by, state, chains[0], size / values);
        if (kept) memcpy(state->chain, chains[values - 1], sizeof state->chain);
        chains += size;
        count -= size;
    }
}

/* The value of one chunk: block by block is faster than in lanes of which the others are empty. */
static void chain_chunk(tree by, uint32_t chain[8], const uint8_t *message, uint64_t number) {
    memcpy(chain, by.mode->start, 8 * sizeof *chain);
    for (size_t block = 0; block < BLAKE3_CHUNK_BLOCKS; block++) {
        const uint32_t start = block == 0 ? BLAKE3_CHUNK_START : 0;
        const uint32_t end = block == BLAKE3_CHUNK_BLOCKS - 1 ? BLAKE3_CHUNK_END : 0;
        by.code->compress(chain, message + block * BLAKE3_BLOCK_BYTES, number, BLAKE3_BLOCK_BYTES,
                          by.mode->flags | start | end);
    }
}

/* The values of `count` chunks, of which the first has the number `first`. */
static void chain_chunks(tree by, uint32_t (*chains)[8], const uint8_t *message, size_t count,
                         uint64_t first) {
    while (count) {
        const size_t taken = count < by.code->lanes ? count : by.code->lanes;
        if (taken == 1 && by.code->lanes > 1)
            chain_chunk(by, chains[0], message, first);
        else
            by.code->chunks(by.mode, chains, message, taken, first);
        chains += taken, message += taken * BLAKE3_CHUNK_BYTES;
        count -= taken, first += taken;
    }
}

/* Absorbs whole chunks, while no chunk is incomplete. Several passes of lanes at a time: the more
 * chunks a subtree has, the larger the share of its parents that fill all lanes. */
static void absorb_chunks(tree by, blake3_state *state, const uint8_t *message, size_t whole,
                          bool ends) {
    uint32_t chains[BLAKE3_PASSES * BLAKE3_LANES_MAX][8];
    const size_t most = BLAKE3_PASSES * by.code->lanes, used = whole < most ? whole : most;
    while (whole) {
        const size_t room = most - state->chunks % most, count = whole < room ? whole : room;
        chain_chunks(by, chains, message, count, state->chunks);
        message += count * BLAKE3_CHUNK_BYTES;
        whole -= count;
        push_chunks(by, state, chains, count, ends && whole == 0);
    }
    jm_wipe(chains, used * sizeof *chains);
}

/* Not inlined: it passes bytes of the message to memcpy, and tests know that call by this
 * function's name. */
JM_ONCE void absorb(tree by, blake3_state *state, const uint8_t *message, size_t bytes) {
    while (bytes) {
        if (state->pending_bytes == BLAKE3_BLOCK_BYTES) absorb_block(by, state, state->pending);
        size_t taken = 0;
        if (state->blocks == 0 && state->pending_bytes == 0 && bytes > BLAKE3_CHUNK_BYTES) {
            const size_t whole = (bytes - 1) / BLAKE3_CHUNK_BYTES;
            absorb_chunks(by, state, message, whole, false);
            taken = whole * BLAKE3_CHUNK_BYTES;
        }
        if (taken == 0 && state->pending_bytes == 0 && bytes > BLAKE3_BLOCK_BYTES) {
            absorb_block(by, state, message);
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
static void finish_chunk(tree by, blake3_state *state) {
    const uint32_t start = state->blocks == 0 ? BLAKE3_CHUNK_START : 0;
    const uint32_t root = state->levels == 0 ? BLAKE3_ROOT : 0;
    memset(state->pending + state->pending_bytes, 0, BLAKE3_BLOCK_BYTES - state->pending_bytes);
    by.code->compress(state->chain, state->pending, state->chunks, state->pending_bytes,
                      by.mode->flags | start | BLAKE3_CHUNK_END | root);
}

/* The parents of the last subtree, from the lowest to the root. */
static void finish_tree(tree by, blake3_state *state, uint8_t *digest) {
    while (state->levels) {
        state->levels--;
        join(by, state->stack[state->levels], state->chain, state->levels ? 0 : BLAKE3_ROOT);
    }
    to_bytes(digest, state->chain);
}

static jm_status init(const jm_implementation *self, void *state) {
    (void)self;
    begin(&hash_mode, state);
    return JM_OK;
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t message_bytes) {
    absorb(hash_tree(self), state, message, message_bytes);
    return JM_OK;
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *digest) {
    finish_chunk(hash_tree(self), state);
    finish_tree(hash_tree(self), state, digest);
    jm_wipe(state, sizeof(blake3_state));
    return JM_OK;
}

/* Wipes only the values that the stack has held: at most one for each doubling of the chunks. */
static void whole(tree by, blake3_state *state, const uint8_t *message, size_t message_bytes,
                  uint8_t *out) {
    const size_t chunks =
        message_bytes > BLAKE3_CHUNK_BYTES ? message_bytes / BLAKE3_CHUNK_BYTES : 0;
    const size_t rest = message_bytes - chunks * BLAKE3_CHUNK_BYTES;
    begin(by.mode, state);
    if (chunks) {
        absorb_chunks(by, state, message, chunks, rest == 0);
        message += chunks * BLAKE3_CHUNK_BYTES;
    }
    if (!chunks || rest) {
        absorb(by, state, message, rest);
        finish_chunk(by, state);
    }
    size_t used = 1;
    for (uint64_t count = state->chunks; count; count /= 2) used++;
    finish_tree(by, state, out);
    jm_wipe(state->stack, used * sizeof *state->stack);
    jm_wipe(state->chain, sizeof state->chain);
    jm_wipe(state->pending, sizeof state->pending);
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *out) {
    blake3_state state;
    whole(hash_tree(self), &state, message, message_bytes, out);
    return JM_OK;
}

const jm_hash_functions jm_blake3_hash = {
    .state_bytes = sizeof(blake3_state),
    .init = init,
    .update = update,
    .final = final,
    .digest = digest,
};

jm_status jm_blake3_keyed_set(blake3_key *to, const uint8_t *key) {
    for (size_t i = 0; i < 8; i++) to->mode.start[i] = load_le32(key + 4 * i);
    to->mode.flags = BLAKE3_KEYED_HASH;
    to->live = BLAKE3_LIVE;
    return JM_OK;
}

jm_status jm_blake3_keyed_tag(const blake3_code *code, blake3_state *state, const blake3_key *key,
                              const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    if (key->live != BLAKE3_LIVE) return JM_ERR_ENDED;
    whole((tree){code, &key->mode}, state, message, message_bytes, tag);
    return JM_OK;
}

jm_status jm_blake3_keyed_begin(blake3_stream *stream, const blake3_key *key) {
    if (key->live != BLAKE3_LIVE) return JM_ERR_ENDED;
    begin(&key->mode, &stream->state);
    stream->key = key;
    stream->live = BLAKE3_LIVE;
    return JM_OK;
}

static bool goes_on(const blake3_stream *stream) {
    return stream->live == BLAKE3_LIVE && stream->key->live == BLAKE3_LIVE;
}

jm_status jm_blake3_keyed_update(const blake3_code *code, blake3_stream *stream,
                                 const uint8_t *message, size_t message_bytes) {
    if (!goes_on(stream)) return JM_ERR_ENDED;
    absorb((tree){code, &stream->key->mode}, &stream->state, message, message_bytes);
    return JM_OK;
}

jm_status jm_blake3_keyed_finish(const blake3_code *code, blake3_stream *stream, uint8_t *tag) {
    if (!goes_on(stream)) return JM_ERR_ENDED;
    const tree by = {code, &stream->key->mode};
    finish_chunk(by, &stream->state);
    finish_tree(by, &stream->state, tag);
    return JM_OK;
}
