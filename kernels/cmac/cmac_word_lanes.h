/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B) for a batch of messages in LANES lanes, over a cipher of four 32-bit words
 * (cmac/word_cipher.h) whose schedule is an array of words.
 *
 * The includer defines, above:
 *
 *   LANES       messages at once, a multiple of VEC_LANES, at most 32
 *   a vector    the header of lanes/ that it includes (v32_*.h), of one word of VEC_LANES lanes
 *   KEY_WORDS   words of a schedule
 *
 * and below:
 *
 *   word_lanes_encrypt   a function, whose declaration here says what it does
 *
 * With more than one vector the cipher takes each step in all vectors before the next step, so that
 * the latency of one vector hides behind the others.
 *
 * Keys: if all messages of the call have the same key state, its words are broadcast where they are
 * used; otherwise the words of a lane are copied beside those of the other lanes when its message
 * begins. The key state is that of CMAC over the cipher's `portable`. */
#ifndef JM_CMAC_WORD_LANES_H
#define JM_CMAC_WORD_LANES_H

#if !defined(LANES) || !defined(VEC_LANES) || !defined(KEY_WORDS)
#error "a parameter of cmac/cmac_word_lanes.h is missing"
#endif
_Static_assert(LANES % VEC_LANES == 0, "whole vectors");

#include "cmac/cmac.h"
#include "common/batch_variant.h"
#include "common/secret.h"
#include "common/words.h"
#include "lanes/scheduler.h"

enum {
    VECTORS = LANES / VEC_LANES,
    CHUNK_BLOCKS = JM_CHUNK_BYTES / JM_CMAC_BLOCK_BYTES,
    BLOCK_WORDS = JM_CMAC_BLOCK_BYTES / 4,
};

/* The four words of a block in all lanes. */
typedef struct {
    vec v[VECTORS][BLOCK_WORDS];
} word_lanes_block;

/* Word i of the round keys in vector v. `key` is one schedule for all lanes or, if lanes have their
 * `own` keys, the words of all lanes: word i of vector 0, of vector 1, and so on. */
JM_INLINE vec word_lanes_key(const vec_word *key, bool own, unsigned i, unsigned v) {
    if (own) return vec_load(key + (i * VECTORS + v) * VEC_LANES);
    return vec_set1(key[i]);
}

/* Encrypts the blocks of all lanes with round keys of word_lanes_key. */
JM_INLINE void word_lanes_encrypt(word_lanes_block *x, const vec_word *key, bool own);

enum {
    /* Words are loaded by rows of eight. */
    KEY_ROWS = (KEY_WORDS + 7) / 8,
    STORES_PAY = 2, /* up to so many lanes of a vector are faster written word by word */
};
_Static_assert(sizeof(jm_cmac_subkeys) + KEY_ROWS * 8 * 4 <= JM_CMAC_KEY_STATE_BYTES(KEY_WORDS * 4),
               "rows end in the state");

typedef struct {
    word_lanes_block chain, block[CHUNK_BLOCKS];
    const void *one_key; /* the key state of all messages, or NULL */
    vec key[KEY_ROWS * 8][VECTORS];
} word_lanes;

JM_INLINE size_t word_lanes_chunks_before_tail(size_t message_bytes) {
    return message_bytes ? (message_bytes - 1) / JM_CHUNK_BYTES : 0;
}

/* Writes the last 1 to 64 bytes, or none of the empty message, pads the last block if it is not
 * whole, and adds its subkey. Returns the blocks. */
JM_INLINE unsigned word_lanes_build_tail(const jm_mac_message *message, const uint8_t *from,
                                         size_t bytes, uint8_t tail[JM_CHUNK_BYTES]) {
    const jm_cmac_subkeys *subkeys = message->key_state;
    const size_t before_last = bytes ? (bytes - 1) / JM_CMAC_BLOCK_BYTES : 0;
    const size_t rest = bytes - before_last * JM_CMAC_BLOCK_BYTES;
    for (size_t i = 0; i < before_last; i++) {
        memcpy(tail, from, JM_CMAC_BLOCK_BYTES);
        JM_SYNC_MEMORY(); /* or it becomes a call of memcpy: see common/secret.h */
        tail += JM_CMAC_BLOCK_BYTES;
        from += JM_CMAC_BLOCK_BYTES;
    }
    const bool whole = rest == JM_CMAC_BLOCK_BYTES;
    const uint8_t *subkey = whole ? subkeys->complete : subkeys->padded;
    uint64_t word[2];
    if (whole) {
        word[0] = load_le64(from);
        word[1] = load_le64(from + 8);
    } else {
        load_le128_partial(from, rest, 0x80, word);
    }
    store_le64(tail, word[0] ^ load_le64(subkey));
    store_le64(tail + 8, word[1] ^ load_le64(subkey + 8));
    return (unsigned)before_last + 1;
}

/* Loads the keys of vector v, in which the lanes of `started` have new messages. */
JM_INLINE void word_lanes_load_keys(word_lanes *c, const lanes_schedule *lanes, uint32_t started,
                                    unsigned v) {
    const uint32_t here = started >> (v * VEC_LANES) & (uint32_t)((UINT64_C(1) << VEC_LANES) - 1);
    if (!here) return;
    const uint8_t *from[VEC_LANES];
    const unsigned first = (unsigned)__builtin_ctz(here);
    for (unsigned i = 0; i < VEC_LANES; i++) {
        const unsigned l = v * VEC_LANES + i;
        const unsigned busy = lanes->busy >> l & 1 ? l : v * VEC_LANES + first;
        from[i] = jm_cmac_schedule(lanes->message[busy]->key_state);
    }
    if (__builtin_popcount(here) <= STORES_PAY) {
        for (uint32_t left = here; left; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            vec_word *to = (vec_word *)c->key + v * VEC_LANES + i;
            for (unsigned w = 0; w < KEY_WORDS; w++) to[w * LANES] = load_le32(from[i] + 4 * w);
        }
        return;
    }
    for (unsigned row = 0; row < KEY_ROWS; row++) {
        vec w[8];
        vec_load_rows(from, w);
        for (unsigned i = 0; i < 8; i++) c->key[8 * row + i][v] = w[i];
        for (unsigned i = 0; i < VEC_LANES; i++) from[i] += 8 * 4;
    }
}

static void word_lanes_start(void *code, const lanes_schedule *lanes, uint32_t started) {
    word_lanes *c = code;
    for (unsigned v = 0; v < VECTORS; v++) {
        for (unsigned w = 0; w < BLOCK_WORDS; w++)
            c->chain.v[v][w] =
                vec_select(started >> (v * VEC_LANES), vec_set1(0), c->chain.v[v][w]);
        if (!c->one_key) word_lanes_load_keys(c, lanes, started, v);
    }
}

JM_INLINE void word_lanes_load_chunk(word_lanes *c, const lanes_schedule *lanes, size_t offset) {
    for (unsigned v = 0; v < VECTORS; v++) {
        const uint8_t *from[VEC_LANES];
        vec w[CHUNK_BLOCKS * BLOCK_WORDS];
        for (unsigned i = 0; i < VEC_LANES; i++)
            from[i] = (const uint8_t *)(lanes->at[v * VEC_LANES + i] + offset);
        vec_load_chunk(from, 0, w);
        for (unsigned s = 0; s < CHUNK_BLOCKS; s++)
            for (unsigned i = 0; i < BLOCK_WORDS; i++) c->block[s].v[v][i] = w[BLOCK_WORDS * s + i];
    }
}

/* Absorbs blocks `first` to `end` - 1 of the chunk, with one key for all lanes or their `own`: each
 * has one copy of the rounds. */
JM_INLINE void word_lanes_chain(word_lanes *c, unsigned first, unsigned end, const vec_word *key,
                                bool own) {
    word_lanes_block x = c->chain;
    for (unsigned s = first; s < end; s++) {
        JM_SYNC_MEMORY(); /* or Clang keeps all words of the key in the frame, from block to block
                           */
        for (unsigned v = 0; v < VECTORS; v++)
            for (unsigned i = 0; i < BLOCK_WORDS; i++)
                x.v[v][i] = vec_xor(x.v[v][i], c->block[s].v[v][i]);
        word_lanes_encrypt(&x, key, own);
    }
    c->chain = x;
}
JM_ONCE void word_lanes_chain_one(word_lanes *c, unsigned first, unsigned end) {
    const void *schedule = jm_cmac_schedule(c->one_key);
    word_lanes_chain(c, first, end, schedule, false);
}
JM_ONCE void word_lanes_chain_own(word_lanes *c, unsigned first, unsigned end) {
    word_lanes_chain(c, first, end, (const vec_word *)c->key, true);
}
JM_INLINE void word_lanes_chain_any(word_lanes *c, unsigned first, unsigned end) {
    if (c->one_key)
        word_lanes_chain_one(c, first, end);
    else
        word_lanes_chain_own(c, first, end);
}

static void word_lanes_absorb(void *code, const lanes_schedule *lanes, size_t offset,
                              size_t chunks) {
    for (; chunks; chunks--, offset += JM_CHUNK_BYTES) {
        word_lanes_load_chunk(code, lanes, offset);
        word_lanes_chain_any(code, 0, CHUNK_BLOCKS);
    }
}

static void word_lanes_absorb_units(void *code, const lanes_schedule *lanes, size_t offset,
                                    unsigned units, bool masked) {
    word_lanes *c = code;
    word_lanes_load_chunk(c, lanes, offset);
    if (!masked) {
        word_lanes_chain_any(c, 0, units);
        return;
    }
    for (unsigned s = 0; s < units; s++) {
        const word_lanes_block before = c->chain;
        word_lanes_chain_any(c, s, s + 1);
        for (unsigned v = 0; v < VECTORS; v++)
            for (unsigned i = 0; i < BLOCK_WORDS; i++)
                c->chain.v[v][i] =
                    vec_select(lanes->live[s] >> (v * VEC_LANES), c->chain.v[v][i], before.v[v][i]);
    }
}

static void word_lanes_finish(void *code, const lanes_schedule *lanes, uint32_t done) {
    const word_lanes *c = code;
    for (; done; done &= done - 1) {
        const unsigned l = (unsigned)__builtin_ctz(done);
        const vec_word *from = (const vec_word *)c->chain.v[l / VEC_LANES] + l % VEC_LANES;
        for (unsigned i = 0; i < BLOCK_WORDS; i++)
            store_le32(lanes->message[l]->tag + 4 * i, from[i * VEC_LANES]);
    }
}

/* Working memory of a batch, in the frame of the outer half (common/secret.h). */
typedef struct {
    word_lanes c;
    lanes_schedule lanes;
} word_lanes_work;

/* `count` >= 1. */
JM_APART jm_status word_lanes_tag_batch_inner(word_lanes_work *work, uint64_t live,
                                              const jm_mac_message *messages, size_t count) {
    static const lanes_code code = {
        .chunk_bytes = JM_CHUNK_BYTES,
        .chunk_units = CHUNK_BLOCKS,
        .chunks_before_tail = word_lanes_chunks_before_tail,
        .start = word_lanes_start,
        .absorb = word_lanes_absorb,
        .build_tail = word_lanes_build_tail,
        .absorb_units = word_lanes_absorb_units,
        .finish = word_lanes_finish,
    };
    word_lanes *const c = &work->c;
    c->one_key = messages[0].key_state;
    for (size_t i = 1; i < count; i++)
        if (messages[i].key_state != messages[0].key_state) c->one_key = NULL;
    if (!jm_all_live(messages, c->one_key ? 1 : count, offsetof(jm_cmac_subkeys, live), live))
        return JM_ERR_ENDED;
    memset(&c->chain, 0, sizeof c->chain);
    lanes_run(&code, c, &work->lanes, messages, count);
    return JM_OK;
}

/* Spilled vectors of the cipher, words of a chunk and pointers of the lanes. */
#if defined(__clang__)
#define WORD_LANES_STACK_BYTES (VEC_LANES == 8 ? 3072 : 5632)
#else
#define WORD_LANES_STACK_BYTES (VEC_LANES == 8 ? 2048 : 4096)
#endif

static jm_status word_lanes_tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                                      size_t count) {
    word_lanes_work work;
    if (!count) return JM_OK;
    const jm_status status = word_lanes_tag_batch_inner(&work, self->live, messages, count);
    if (!work.c.one_key) jm_wipe(work.c.key, sizeof work.c.key);
    jm_wipe(&work.c.chain, sizeof work.c.chain);
    jm_wipe(work.c.block, sizeof work.c.block);
    jm_wipe(work.lanes.tail, sizeof work.lanes.tail);
    if (status != JM_OK) jm_take_back(messages, count, JM_CMAC_BLOCK_BYTES);
    return JM_FORGET(status, WORD_LANES_STACK_BYTES);
}

/* The implementation jm_cmac_<cipher>_<name>, over the schedule of jm_cmac_<cipher>_portable. */
#define JM_CMAC_WORD_LANES(cipher_, algorithm_, name_, key_bytes_, features_, constant_time_,      \
                           note_)                                                                  \
    static const jm_mac_functions word_lanes_functions = JM_BATCH_FUNCTIONS(                       \
        JM_CMAC_KEY_STATE_BYTES(KEY_WORDS * 4), sizeof(jm_cmac_stream), word_lanes_tag_batch);     \
    const jm_implementation jm_cmac_##cipher_##_##name_ = {.algorithm = (algorithm_),              \
                                                           .variant = #name_,                      \
                                                           .note = (note_),                        \
                                                           .kind = JM_KIND_MAC,                    \
                                                           .cpu_features = (features_),            \
                                                           .lanes = LANES,                         \
                                                           .constant_time = (constant_time_),      \
                                                           .block_bytes = JM_CMAC_BLOCK_BYTES,     \
                                                           .output_bytes = JM_CMAC_BLOCK_BYTES,    \
                                                           .key_bytes_min = (key_bytes_),          \
                                                           .key_bytes_max = (key_bytes_),          \
                                                           .key_bytes = (key_bytes_),              \
                                                           .mac = &word_lanes_functions,           \
                                                           .over = &jm_cmac_##cipher_##_portable,  \
                                                           .live =                                 \
                                                               JM_LIVE(algorithm_, "portable")};

#endif
