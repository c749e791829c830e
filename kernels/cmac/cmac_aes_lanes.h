/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC over AES (NIST SP 800-38B; RFC 4493) for a batch of messages in LANES lanes.
 *
 * The includer defines, above:
 *     LANES      messages at once, a multiple of AES_BLOCKS, at most 32
 *     a vector   the header that it includes, aes/aes_blocks_*.h, of AES_BLOCKS chaining values
 *
 * All vectors take a round before any takes the next: the latency of one hides behind the others.
 * Four message blocks of a lane are loaded at once and brought to the vectors in their order
 * through memory, `block`. Long messages are loaded in runs, 256 bytes of a lane after 256 of
 * another, while the run before is absorbed: a CPU fetches ahead for fewer sequential reads at once
 * than there are lanes.
 *
 * Keys: if all messages of the call have the same key state, its round keys are broadcast and stay
 * in registers; otherwise the round keys of a lane are copied beside those of the other lanes of
 * its vector when its message begins, and each round reads its keys from memory.
 *
 * The key state is that of jm_cmac over the cipher `aesni`: subkeys, then round keys in order. */
#ifndef JM_CMAC_AES_LANES_H
#define JM_CMAC_AES_LANES_H

#if !defined(LANES) || !defined(AES_BLOCKS)
#error "a parameter of cmac/cmac_aes_lanes.h is missing"
#endif
_Static_assert(LANES % AES_BLOCKS == 0, "whole vectors");

#include "aes/aes.h"
#include "cmac/cmac.h"
#include "common/batch_variant.h"
#include "common/secret.h"
#include "lanes/scheduler.h"

enum {
    CMAC_VECTORS = LANES / AES_BLOCKS,
    CMAC_CHUNK_BLOCKS = JM_CHUNK_BYTES / JM_CMAC_BLOCK_BYTES,
    CMAC_RUN = 4, /* chunks */
    CMAC_RUN_BLOCKS = CMAC_RUN * CMAC_CHUNK_BLOCKS,
    CMAC_RUNS_PAY = 32,          /* chunks from which on runs with one key are faster, on Zen 5 */
    CMAC_RUNS_PAY_OWN_KEYS = 56, /* the same if lanes have different keys and crowd the cache */
    /* Up to 16 lanes wait for their rounds more than for memory. */
    CMAC_RUNS = LANES > 16,
};

/* The offset of a chunk that is already in cmac_lanes.block: other offsets are multiples of
 * chunks. */
#define CMAC_LOADED ((size_t)1)

typedef struct {
    const uint8_t *one_key; /* the key state of all messages, or NULL */
    aes_blocks chain[CMAC_VECTORS];
    bool runs_used;
    union {
        aes_blocks block[CMAC_CHUNK_BLOCKS][CMAC_VECTORS];
        aes_blocks run[2][CMAC_RUN_BLOCKS][CMAC_VECTORS];
    };
    aes_blocks key[JM_AES256_ROUNDS + 1][CMAC_VECTORS];
} cmac_lanes;

/* The lanes of vector v in a mask of lanes. */
JM_INLINE uint32_t cmac_lanes_of(uint32_t mask, unsigned v) {
    return mask >> (v * AES_BLOCKS) & ((1u << AES_BLOCKS) - 1);
}

JM_INLINE size_t cmac_chunks_before_tail(size_t message_bytes) {
    return message_bytes ? (message_bytes - 1) / JM_CHUNK_BYTES : 0;
}

JM_INLINE unsigned cmac_build_tail(const jm_mac_message *message, const uint8_t *from, size_t bytes,
                                   uint8_t tail[JM_CHUNK_BYTES]) {
    const jm_cmac_subkeys *subkeys = message->key_state;
    return aes_blocks_cmac_tail(from, bytes, subkeys->complete, subkeys->padded, tail);
}

/* Loads the round keys of vector v, in which the lanes of `started` have a new key state. */
JM_INLINE void cmac_load_keys(cmac_lanes *c, unsigned rounds, const lanes_schedule *lanes,
                              uint32_t started, unsigned v) {
    const uint8_t *from[AES_BLOCKS];
    const unsigned first = (unsigned)__builtin_ctz(started);
    for (unsigned i = 0; i < AES_BLOCKS; i++) {
        uint32_t new_key = started >> i & 1;
#if defined(__clang__)
        JM_HIDE("r", new_key); /* or Clang chooses in a vector, and then extracts the lanes */
#endif
        const unsigned l = new_key ? i : first;
        from[i] = jm_cmac_schedule(lanes->message[v * AES_BLOCKS + l]->key_state);
    }
    if (cmac_lanes_of(lanes->busy, v) == started) {
        for (unsigned r = 0; r <= rounds; r++) c->key[r][v] = aes_blocks_gather(from, 16 * r);
        return;
    }
    for (unsigned i = 0; i < AES_BLOCKS; i++)
        if (started >> i & 1)
            for (unsigned r = 0; r <= rounds; r++)
                c->key[r][v] = aes_blocks_replace(1u << i, from[i] + 16 * r, c->key[r][v]);
}

JM_INLINE void cmac_start(cmac_lanes *c, unsigned rounds, const lanes_schedule *lanes,
                          uint32_t started) {
    for (unsigned v = 0; v < CMAC_VECTORS; v++) {
        const uint32_t here = cmac_lanes_of(started, v);
        if (!here) continue;
        c->chain[v] = aes_blocks_select(here, aes_blocks_zero(), c->chain[v]);
        if (!c->one_key) cmac_load_keys(c, rounds, lanes, here, v);
    }
}

JM_INLINE void cmac_load_chunk(cmac_lanes *c, const lanes_schedule *lanes, size_t offset) {
    for (unsigned v = 0; v < CMAC_VECTORS; v++) {
        aes_blocks block[CMAC_CHUNK_BLOCKS];
        aes_blocks_load_chunks(lanes->at + v * AES_BLOCKS, offset, block);
        for (unsigned s = 0; s < CMAC_CHUNK_BLOCKS; s++) c->block[s][v] = block[s];
    }
}

/* Round r of all vectors; x, key, stride and next are those of `cmac_encrypt`. */
#define CMAC_ROUND(r)                                                                              \
    _Pragma("GCC unroll 32") for (unsigned v = 0; v < CMAC_VECTORS; v++) x[v] =                    \
        aes_blocks_round(x[v], key[(r) * stride + v * next])

/* x = E(x ^ block) in every lane; round key r of vector v is key[r * stride + v * (stride > 1)]:
 * stride 1 stands for one key in all lanes. `in_loop`: the caller is in a loop over chunks. There
 * Clang before 19 leaves the rounds a loop; written out they are a tenth slower (AMD EPYC), because
 * Clang then spills. */
JM_INLINE void cmac_encrypt(aes_blocks x[CMAC_VECTORS], const aes_blocks block[CMAC_VECTORS],
                            const aes_blocks *key, unsigned stride, unsigned rounds, bool in_loop) {
    const unsigned next = stride > 1;
    /* Round keys of many vectors are read where they are used: left to itself, gcc first copies
     * them all to the stack. */
    if (next) JM_HIDE_WITH_MEMORY(key);
#pragma GCC unroll 32
    for (unsigned v = 0; v < CMAC_VECTORS; v++)
        x[v] = aes_blocks_xor3(x[v], block[v], key[v * next]);
    if (in_loop) {
#pragma GCC unroll 16
        for (unsigned r = 1; r < rounds; r++) CMAC_ROUND(r);
    } else {
        JM_UNROLL(16)
        for (unsigned r = 1; r < rounds; r++) CMAC_ROUND(r);
    }
#pragma GCC unroll 32
    for (unsigned v = 0; v < CMAC_VECTORS; v++)
        x[v] = aes_blocks_last_round(x[v], key[rounds * stride + v * next]);
}

/* Round key `round` of vector v, laid out as for `cmac_encrypt`. */
JM_INLINE aes_blocks cmac_key(const aes_blocks *key, unsigned stride, unsigned round, unsigned v) {
    return key[round * stride + v * (stride > 1)];
}

/* Loads `count` chunks of a run at `offset`, lane after lane, from chunk number `first` on, and
 * adds to each block the last round key before it and the first round key after it. */
JM_INLINE void cmac_load_run(aes_blocks run[CMAC_RUN_BLOCKS][CMAC_VECTORS],
                             const lanes_schedule *lanes, size_t offset, unsigned first,
                             unsigned count, const aes_blocks *key, unsigned stride,
                             unsigned rounds) {
    for (unsigned i = first; i < first + count; i++) {
        const unsigned v = i / CMAC_RUN, chunk = i % CMAC_RUN;
        const aes_blocks around = aes_blocks_xor3(
            cmac_key(key, stride, 0, v), cmac_key(key, stride, rounds, v), aes_blocks_zero());
        aes_blocks block[CMAC_CHUNK_BLOCKS];
        aes_blocks_load_chunks(lanes->at + v * AES_BLOCKS, offset + chunk * JM_CHUNK_BYTES, block);
        for (unsigned s = 0; s < CMAC_CHUNK_BLOCKS; s++)
            run[chunk * CMAC_CHUNK_BLOCKS + s][v] =
                aes_blocks_xor3(block[s], around, aes_blocks_zero());
        /* Prefetches the next run. If lanes have different keys, the ports of the first-level cache
         * are busy enough. */
        if (stride == 1)
            for (unsigned l = 0; l < AES_BLOCKS; l++)
                __builtin_prefetch((const void *)(lanes->at[v * AES_BLOCKS + l] + offset +
                                                  CMAC_RUN * JM_CHUNK_BYTES +
                                                  chunk * JM_CHUNK_BYTES));
    }
}

/* Absorbs `runs` >= 2 runs. The last round key of one block, the next block and the first round key
 * are added at once, with the last round: x is the chaining value with the next block and the first
 * round key added. Different keys of lanes are read from memory in every step, but for the keys of
 * two rounds, for which there are registers. */
JM_INLINE void cmac_absorb_runs(cmac_lanes *c, const lanes_schedule *lanes, size_t offset,
                                size_t runs, const aes_blocks *key, unsigned stride,
                                unsigned rounds) {
    const unsigned kept_rounds = stride > 1 ? 2 : 0;
    const unsigned per_step = CMAC_VECTORS / CMAC_CHUNK_BLOCKS;
    unsigned now = 0;
    c->runs_used = true;
    cmac_load_run(c->run[0], lanes, offset, 0, CMAC_VECTORS * CMAC_RUN, key, stride, rounds);
    aes_blocks x[CMAC_VECTORS], kept[2][CMAC_VECTORS];
#pragma GCC unroll 32
    for (unsigned v = 0; v < CMAC_VECTORS; v++) {
        x[v] = aes_blocks_xor3(c->chain[v], c->run[0][0][v], cmac_key(key, stride, rounds, v));
#pragma GCC unroll 2
        for (unsigned r = 0; r < kept_rounds; r++) {
            kept[r][v] = cmac_key(key, stride, r + 1, v);
            JM_HIDE(AES_BLOCKS_PLACE, kept[r][v]); /* or it is read again where it is used */
        }
    }
    for (; runs; runs--) {
        offset += CMAC_RUN * JM_CHUNK_BYTES;
        for (unsigned s = 0; s < CMAC_RUN_BLOCKS; s++) {
            if (runs > 1)
                cmac_load_run(c->run[1 - now], lanes, offset, s * per_step, per_step, key, stride,
                              rounds);
            if (stride > 1) JM_HIDE_WITH_MEMORY(key); /* see cmac_encrypt */
            JM_UNROLL(16)
            for (unsigned r = 1; r < rounds; r++)
#pragma GCC unroll 32
                for (unsigned v = 0; v < CMAC_VECTORS; v++)
                    x[v] = aes_blocks_round(x[v], r <= kept_rounds ? kept[r - 1][v]
                                                                   : cmac_key(key, stride, r, v));
            /* After the last run any block will do, since it is taken off again. */
            const aes_blocks *next =
                s + 1 < CMAC_RUN_BLOCKS ? c->run[now][s + 1] : c->run[1 - now][0];
#pragma GCC unroll 32
            for (unsigned v = 0; v < CMAC_VECTORS; v++) x[v] = aes_blocks_last_round(x[v], next[v]);
        }
        now = 1 - now;
    }
    for (unsigned v = 0; v < CMAC_VECTORS; v++)
        c->chain[v] = aes_blocks_xor3(x[v], c->run[now][0][v], cmac_key(key, stride, rounds, v));
}

JM_INLINE bool cmac_runs_pay(const lanes_schedule *lanes, size_t chunks, bool own_keys) {
    if (!own_keys) return chunks >= CMAC_RUNS_PAY;
    if (chunks < CMAC_RUNS_PAY_OWN_KEYS) return false;
    uint64_t sets = 0;
    for (unsigned l = 0; l < LANES; l++) sets |= jm_cache_set(lanes->at[l]);
    return jm_crowded(sets, LANES);
}

JM_INLINE void cmac_absorb_with(cmac_lanes *c, const lanes_schedule *lanes, size_t offset,
                                size_t chunks, const aes_blocks *key, unsigned stride,
                                unsigned rounds) {
    if (CMAC_RUNS && cmac_runs_pay(lanes, chunks, stride > 1)) {
        cmac_absorb_runs(c, lanes, offset, chunks / CMAC_RUN, key, stride, rounds);
        offset += chunks / CMAC_RUN * CMAC_RUN * JM_CHUNK_BYTES;
        chunks %= CMAC_RUN;
    }
    aes_blocks x[CMAC_VECTORS];
    memcpy(x, c->chain, sizeof x);
    for (const size_t end = offset + chunks * JM_CHUNK_BYTES; offset != end;
         offset += JM_CHUNK_BYTES) {
        cmac_load_chunk(c, lanes, offset);
        for (unsigned s = 0; s < CMAC_CHUNK_BLOCKS; s++)
            cmac_encrypt(x, c->block[s], key, stride, rounds, true);
    }
    memcpy(c->chain, x, sizeof x);
}

JM_INLINE void cmac_absorb_units_with(cmac_lanes *c, const lanes_schedule *lanes, size_t offset,
                                      unsigned units, bool masked, const aes_blocks *key,
                                      unsigned stride, unsigned rounds) {
    if (AES_BLOCKS == 1 || offset != CMAC_LOADED) cmac_load_chunk(c, lanes, offset);
    for (unsigned s = 0; s < units; s++) {
        aes_blocks x[CMAC_VECTORS];
        memcpy(x, c->chain, sizeof x);
        cmac_encrypt(x, c->block[s], key, stride, rounds, false);
        const uint32_t live = masked ? lanes->live[s] : LANES_ALL;
        for (unsigned v = 0; v < CMAC_VECTORS; v++)
            c->chain[v] = aes_blocks_select(cmac_lanes_of(live, v), x[v], c->chain[v]);
    }
}

JM_INLINE void cmac_broadcast_keys(aes_blocks *key, const cmac_lanes *c, unsigned rounds) {
    for (unsigned r = 0; r <= rounds; r++) {
        const uint8_t *from = jm_cmac_schedule(c->one_key) + 16 * r;
#if defined(__clang__)
        JM_PIN("r", from); /* or it becomes a call of memcpy: see common/secret.h */
#endif
        key[r] = aes_blocks_broadcast(from);
    }
}

JM_INLINE void cmac_absorb(cmac_lanes *c, unsigned rounds, const lanes_schedule *lanes,
                           size_t offset, size_t chunks) {
    if (c->one_key) {
        aes_blocks key[JM_AES256_ROUNDS + 1];
        cmac_broadcast_keys(key, c, rounds);
        cmac_absorb_with(c, lanes, offset, chunks, key, 1, rounds);
    } else {
        cmac_absorb_with(c, lanes, offset, chunks, c->key[0], CMAC_VECTORS, rounds);
    }
}

JM_INLINE void cmac_absorb_units(cmac_lanes *c, unsigned rounds, const lanes_schedule *lanes,
                                 size_t offset, unsigned units, bool masked) {
    if (c->one_key) {
        aes_blocks key[JM_AES256_ROUNDS + 1];
        cmac_broadcast_keys(key, c, rounds);
        cmac_absorb_units_with(c, lanes, offset, units, masked, key, 1, rounds);
    } else {
        cmac_absorb_units_with(c, lanes, offset, units, masked, c->key[0], CMAC_VECTORS, rounds);
    }
}

/* Tails of messages of one length need no tail chunk where a masked load pads them. */
#if AES_BLOCKS > 1
/* Loads the last `bytes` of messages of one length, pads them, and adds to their last blocks the
 * subkeys that belong there; returns the blocks of each, of which the empty message has one. */
JM_INLINE unsigned cmac_load_tails(cmac_lanes *c, const lanes_schedule *lanes, size_t offset,
                                   size_t bytes) {
    const unsigned last = bytes ? (unsigned)(bytes - 1) / JM_CMAC_BLOCK_BYTES : 0;
    const bool whole = bytes && bytes % JM_CMAC_BLOCK_BYTES == 0;
    const aes_blocks mark =
        whole ? aes_blocks_zero() : aes_blocks_mark(bytes % JM_CMAC_BLOCK_BYTES);
    const size_t subkey_at =
        whole ? offsetof(jm_cmac_subkeys, complete) : offsetof(jm_cmac_subkeys, padded);
    for (unsigned v = 0; v < CMAC_VECTORS; v++) {
        aes_blocks block[CMAC_CHUNK_BLOCKS];
        aes_blocks_load_tails(lanes->at + v * AES_BLOCKS, offset, bytes, block);
        for (unsigned s = 0; s < CMAC_CHUNK_BLOCKS; s++) c->block[s][v] = block[s];
    }
    for (unsigned v = 0; v < CMAC_VECTORS; v++) {
        const uint8_t *from[AES_BLOCKS];
        for (unsigned i = 0; i < AES_BLOCKS; i++)
            from[i] = c->one_key ? c->one_key : lanes->message[v * AES_BLOCKS + i]->key_state;
        const aes_blocks subkey = c->one_key ? aes_blocks_broadcast(from[0] + subkey_at)
                                             : aes_blocks_gather(from, subkey_at);
        c->block[last][v] = aes_blocks_xor3(c->block[last][v], subkey, mark);
    }
    return last + 1;
}
#endif

JM_INLINE void cmac_finish(void *code, const lanes_schedule *lanes, uint32_t done) {
    const cmac_lanes *c = code;
    const uint8_t *tags = (const uint8_t *)c->chain;
    for (; done; done &= done - 1) {
        const unsigned l = (unsigned)__builtin_ctz(done);
        memcpy(lanes->message[l]->tag, tags + l * JM_CMAC_BLOCK_BYTES, JM_CMAC_BLOCK_BYTES);
    }
}

/* The key state that all messages share, or NULL. */
JM_INLINE const void *cmac_one_key(const jm_mac_message *messages, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (messages[i].key_state != messages[0].key_state) return NULL;
    return messages[0].key_state;
}

/* Working memory of a batch, in the frame of the outer half (common/secret.h). */
typedef struct {
    cmac_lanes c;
    lanes_schedule lanes;
} cmac_work;

/* Broadcast round keys, and vectors that are spilled beside them. */
#define CMAC_LANES_STACK_BYTES (LANES == 8 ? 2752 : LANES == 16 ? 1792 : 2496)

/* `count` >= 1. */
JM_INLINE jm_status cmac_run_batch(const lanes_code *code, cmac_work *work, uint64_t live,
                                   const jm_mac_message *messages, size_t count) {
    cmac_lanes *const c = &work->c;
    const size_t live_at = offsetof(jm_cmac_subkeys, live);
    c->one_key = cmac_one_key(messages, count);
    c->runs_used = false;
    work->lanes.equal = false; /* cmac_wipe reads it if the batch is refused */
    if (!jm_all_live(messages, c->one_key ? 1 : count, live_at, live)) return JM_ERR_ENDED;
    memset(c->chain, 0, sizeof c->chain);
    lanes_run(code, c, &work->lanes, messages, count);
    return JM_OK;
}

JM_INLINE void cmac_wipe(cmac_work *work, unsigned rounds) {
    cmac_lanes *const c = &work->c;
    if (!c->one_key) jm_wipe(c->key, (rounds + 1) * sizeof *c->key);
    if (c->runs_used) jm_wipe(c->run, sizeof c->run);
    /* Row by row: for longer pieces gcc takes a string instruction, slow to start. */
    for (unsigned s = 0; s < CMAC_CHUNK_BLOCKS; s++)
        for (unsigned v = 0; v < CMAC_VECTORS; v++) jm_wipe(&c->block[s][v], sizeof c->block[s][v]);
    for (unsigned v = 0; v < CMAC_VECTORS; v++) jm_wipe(&c->chain[v], sizeof c->chain[v]);
    if (AES_BLOCKS > 1 && work->lanes.equal) return; /* no tail chunk was built */
    for (unsigned l = 0; l < LANES; l++) jm_wipe(work->lanes.tail[l], JM_CHUNK_BYTES);
}

/* GCC makes a function for each value of `masked` by itself, and slower code if the source does. */
#if defined(__clang__)
enum { CMAC_SPLIT_BY_MASK = 1 };
#else
enum { CMAC_SPLIT_BY_MASK = 0 };
#endif

#if AES_BLOCKS > 1
#define CMAC_EQUAL_TAILS(bits) absorb_equal_tails_##bits
#define CMAC_ABSORB_EQUAL_TAILS(bits)                                                              \
    static void absorb_equal_tails_##bits(void *c, const lanes_schedule *lanes, size_t offset,     \
                                          size_t bytes) {                                          \
        const unsigned units = cmac_load_tails(c, lanes, offset, bytes);                           \
        absorb_units_##bits(c, lanes, CMAC_LOADED, units, false);                                  \
    }
#else
#define CMAC_EQUAL_TAILS(bits) NULL
#define CMAC_ABSORB_EQUAL_TAILS(bits)
#endif

/* The functions for one size of key, with the number of rounds known to the compiler, and the
 * implementation jm_cmac_aes<bits>_<name>. */
#define JM_CMAC_AES_LANES(bits, name, features_, note_)                                            \
    static void start_##bits(void *c, const lanes_schedule *lanes, uint32_t started) {             \
        cmac_start(c, JM_AES##bits##_ROUNDS, lanes, started);                                      \
    }                                                                                              \
    JM_ONCE void absorb_##bits(void *c, const lanes_schedule *lanes, size_t offset,                \
                               size_t chunks) {                                                    \
        cmac_absorb(c, JM_AES##bits##_ROUNDS, lanes, offset, chunks);                              \
    }                                                                                              \
    static unsigned build_tail_##bits(const jm_mac_message *message, const uint8_t *from,          \
                                      size_t bytes, uint8_t tail[JM_CHUNK_BYTES]) {                \
        return cmac_build_tail(message, from, bytes, tail);                                        \
    }                                                                                              \
    JM_ONCE void absorb_units_##bits(void *c, const lanes_schedule *lanes, size_t offset,          \
                                     unsigned units, bool masked) {                                \
        if (CMAC_SPLIT_BY_MASK && !masked)                                                         \
            cmac_absorb_units(c, JM_AES##bits##_ROUNDS, lanes, offset, units, false);              \
        else                                                                                       \
            cmac_absorb_units(c, JM_AES##bits##_ROUNDS, lanes, offset, units, masked);             \
    }                                                                                              \
    CMAC_ABSORB_EQUAL_TAILS(bits)                                                                  \
    JM_APART jm_status tag_batch_inner_##bits(cmac_work *work, uint64_t live,                      \
                                              const jm_mac_message *messages, size_t count) {      \
        static const lanes_code code = {                                                           \
            .chunk_bytes = JM_CHUNK_BYTES,                                                         \
            .chunk_units = CMAC_CHUNK_BLOCKS,                                                      \
            .chunks_before_tail = cmac_chunks_before_tail,                                         \
            .start = start_##bits,                                                                 \
            .absorb = absorb_##bits,                                                               \
            .build_tail = build_tail_##bits,                                                       \
            .absorb_equal_tails = CMAC_EQUAL_TAILS(bits),                                          \
            .absorb_units = absorb_units_##bits,                                                   \
            .finish = cmac_finish,                                                                 \
        };                                                                                         \
        return cmac_run_batch(&code, work, live, messages, count);                                 \
    }                                                                                              \
    static jm_status tag_batch_##bits(const jm_implementation *self,                               \
                                      const jm_mac_message *messages, size_t count) {              \
        cmac_work work;                                                                            \
        if (!count) return JM_OK;                                                                  \
        const jm_status status = tag_batch_inner_##bits(&work, self->live, messages, count);       \
        cmac_wipe(&work, JM_AES##bits##_ROUNDS);                                                   \
        if (status != JM_OK) jm_take_back(messages, count, JM_CMAC_BLOCK_BYTES);                   \
        return JM_FORGET(status, CMAC_LANES_STACK_BYTES);                                          \
    }                                                                                              \
    static const jm_mac_functions functions_##bits =                                               \
        JM_BATCH_FUNCTIONS(JM_CMAC_KEY_STATE_BYTES(JM_AES##bits##_SCHEDULE_BYTES_aesni),           \
                           sizeof(jm_cmac_stream), tag_batch_##bits);                              \
    const jm_implementation jm_cmac_aes##bits##_##name = {                                         \
        .algorithm = "cmac-aes" #bits,                                                             \
        .variant = #name,                                                                          \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = (features_),                                                               \
        .lanes = LANES,                                                                            \
        .constant_time = true,                                                                     \
        .block_bytes = JM_CMAC_BLOCK_BYTES,                                                        \
        .output_bytes = JM_CMAC_BLOCK_BYTES,                                                       \
        .key_bytes_min = JM_AES##bits##_KEY_BYTES,                                                 \
        .key_bytes_max = JM_AES##bits##_KEY_BYTES,                                                 \
        .key_bytes = JM_AES##bits##_KEY_BYTES,                                                     \
        .mac = &functions_##bits,                                                                  \
        .over = &jm_cmac_aes##bits##_aesni,                                                        \
        .live = JM_LIVE("cmac-aes" #bits, "aesni")};

/* XCBC in the same lanes, by the functions of JM_CMAC_AES_LANES(128, ...), which comes before: they
 * read only the key state. */
#define JM_XCBC_AES_LANES(name, features_, note_)                                                  \
    const jm_implementation jm_xcbc_aes128_##name = {.algorithm = "xcbc-aes128",                   \
                                                     .variant = #name,                             \
                                                     .note = (note_),                              \
                                                     .kind = JM_KIND_MAC,                          \
                                                     .cpu_features = (features_),                  \
                                                     .lanes = LANES,                               \
                                                     .constant_time = true,                        \
                                                     .block_bytes = JM_CMAC_BLOCK_BYTES,           \
                                                     .output_bytes = JM_CMAC_BLOCK_BYTES,          \
                                                     .key_bytes_min = JM_AES128_KEY_BYTES,         \
                                                     .key_bytes_max = JM_AES128_KEY_BYTES,         \
                                                     .key_bytes = JM_AES128_KEY_BYTES,             \
                                                     .mac = &functions_128,                        \
                                                     .over = &jm_xcbc_aes128_aesni,                \
                                                     .live = JM_LIVE("xcbc-aes128", "aesni")};

#endif
