/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps LANES lanes busy with a batch of messages of any lengths, for algorithms that can mask
 * lanes. A lane is the place of one message; how lanes lie in vectors, the algorithm alone knows. A
 * message is a number of whole chunks of 64 bytes (of Keccak: of a block), read where they lie, and
 * a tail chunk, which the algorithm builds in a buffer of its lane: it holds the padding and may be
 * shorter, counted in the algorithm's units (a block of CMAC or Keccak, a word of SipHash).
 *
 * Lanes advance together. While every lane has whole chunks left, they are absorbed in one call;
 * then follows one chunk in which the lanes that have reached their tail absorb it, each up to its
 * last unit, and the others one chunk more. The lanes that are done give their tags and take the
 * next messages. Messages of equal length thus cost two calls for LANES of them. Of other batches
 * the longest messages come first, so that the lanes run dry at about the same time.
 *
 * The includer defines, above:
 *     LANES                   messages at once, 2 to 32
 *     LANES_CHUNK_BYTES_MAX   if chunks may be longer than 64 bytes
 * and, below, a constant `lanes_code`, a struct of functions, which it passes to lanes_run: all is
 * inlined.
 *
 * No branch depends on anything but lengths and the order of the messages. hmac/hmac_lanes.h
 * schedules without masks; kernels/README.md tells why there are two schedulers. */
#ifndef JM_LANES_SCHEDULER_H
#define JM_LANES_SCHEDULER_H

#ifndef LANES
#error "a parameter of lanes/scheduler.h is missing: LANES"
#endif
_Static_assert(LANES >= 2 && LANES <= 32, "a set of lanes is a word of 32 bits");

#include "common/secret.h"
#include "joulemark/kernel.h"

#include <string.h>

#define JM_CHUNK_BYTES 64u
#ifndef LANES_CHUNK_BYTES_MAX
#define LANES_CHUNK_BYTES_MAX JM_CHUNK_BYTES
#endif
#define LANES_UNITS_MAX 8u
#define LANES_ALL ((uint32_t)((UINT64_C(1) << LANES) - 1))

enum { LANES_SLICE = 1024, LANES_BUCKETS = 64 };

/* Bit l of a mask stands for lane l. Time is counted in chunks absorbed since the slice began, the
 * same for all lanes: a lane reads its next chunk at at[lane] + time * chunk_bytes, so that
 * nothing has to be updated in lanes that only go on. */
typedef struct {
    _Alignas(64) uint8_t tail[LANES][LANES_CHUNK_BYTES_MAX];
    uintptr_t at[LANES]; /* reduced modulo the size of the address space */
    size_t due[LANES];   /* the time at which the lane absorbs its tail */
    const jm_mac_message *message[LANES];
    uint32_t live[LANES_UNITS_MAX]; /* the lanes that absorb unit u of the chunk with tails */
    size_t time;
    uint32_t busy;
    uint32_t ending; /* the lanes that absorb their tails next, at `next_due` */
    size_t next_due;
    uint16_t buckets[LANES_SLICE]; /* the order of a slice */
    bool equal;                    /* all messages of the batch have one length */
} lanes_schedule;

typedef struct {
    size_t chunk_bytes;   /* at most LANES_CHUNK_BYTES_MAX */
    unsigned chunk_units; /* at most LANES_UNITS_MAX */
    /* The number of whole chunks before the tail of a message. */
    size_t (*chunks_before_tail)(size_t message_bytes);
    /* Begins the messages of the lanes in `started`; lanes->busy has them already. */
    void (*start)(void *code, const lanes_schedule *lanes, uint32_t started);
    /* Every lane absorbs `chunks` >= 1 chunks, the first at at[lane] + offset. */
    void (*absorb)(void *code, const lanes_schedule *lanes, size_t offset, size_t chunks);
    /* Writes the tail chunk, made of the last `bytes` of the message, which lie at `from`, and
     * returns its units, 1 to chunk_units. */
    unsigned (*build_tail)(const jm_mac_message *message, const uint8_t *from, size_t bytes,
                           uint8_t *tail);
    /* Every lane absorbs the tail chunk of a message of which the last `bytes` lie at at[lane] +
     * offset, for messages of one length. NULL: tail chunks are built first. */
    void (*absorb_equal_tails)(void *code, const lanes_schedule *lanes, size_t offset,
                               size_t bytes);
    /* Every lane absorbs the first `units` of the chunk at at[lane] + offset; if `masked`, each
     * unit only in the lanes of live[unit]. */
    void (*absorb_units)(void *code, const lanes_schedule *lanes, size_t offset, unsigned units,
                         bool masked);
    /* Writes the tags of the lanes in `done`. */
    void (*finish)(void *code, const lanes_schedule *lanes, uint32_t done);
} lanes_code;

/* Puts the indices of `count` messages in `order`, the longest first to within 1/64 of the longest;
 * returns false, with `order` unspecified, if all have the same number of whole chunks. */
JM_INLINE bool lanes_sort(const lanes_code *code, const jm_mac_message *messages, size_t count,
                          uint16_t *order) {
    size_t longest = 0, shortest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t chunks = code->chunks_before_tail(messages[i].message_bytes);
        longest = chunks > longest ? chunks : longest;
        shortest = chunks < shortest ? chunks : shortest;
    }
    if (longest == shortest) return false;
    unsigned shift = 0;
    while (longest >> shift >= LANES_BUCKETS) shift++;
    uint16_t begin[LANES_BUCKETS] = {0};
    for (size_t i = 0; i < count; i++)
        begin[code->chunks_before_tail(messages[i].message_bytes) >> shift]++;
    uint16_t at = 0;
    for (size_t bucket = LANES_BUCKETS; bucket-- > 0;) {
        const uint16_t size = begin[bucket];
        begin[bucket] = at;
        at = (uint16_t)(at + size);
    }
    for (size_t i = 0; i < count; i++)
        order[begin[code->chunks_before_tail(messages[i].message_bytes) >> shift]++] = (uint16_t)i;
    return true;
}

/* The lane will absorb its tail at `due`. */
JM_INLINE void lanes_set_due(lanes_schedule *lanes, unsigned l, size_t due) {
    const uint32_t bit = UINT32_C(1) << l;
    lanes->due[l] = due;
    lanes->ending = due < lanes->next_due    ? bit
                    : due == lanes->next_due ? lanes->ending | bit
                                             : lanes->ending;
    lanes->next_due = due < lanes->next_due ? due : lanes->next_due;
}

/* Gives messages from number `taken` on to the lanes of `idle`, the lowest first; returns the
 * number of messages taken so far. `order` is NULL if they are taken as they come. */
JM_INLINE size_t lanes_refill(const lanes_code *code, void *state, lanes_schedule *lanes,
                              const jm_mac_message *messages, const uint16_t *order, size_t taken,
                              size_t count, uint32_t idle) {
    uint32_t started = 0;
    for (; idle && taken < count; idle &= idle - 1, taken++) {
        const unsigned l = (unsigned)__builtin_ctz(idle);
        const jm_mac_message *message = &messages[order ? order[taken] : taken];
        lanes->message[l] = message;
        lanes->at[l] = (uintptr_t)message->message - lanes->time * code->chunk_bytes;
        lanes_set_due(lanes, l, lanes->time + code->chunks_before_tail(message->message_bytes));
        started |= UINT32_C(1) << l;
    }
    lanes->busy |= started;
    if (started) code->start(state, lanes, started);
    return taken;
}

/* Idle lanes read where a busy one does. */
JM_INLINE void lanes_point_idle(lanes_schedule *lanes) {
    const uintptr_t readable = lanes->at[__builtin_ctz(lanes->busy)];
    for (uint32_t idle = LANES_ALL & ~lanes->busy; idle; idle &= idle - 1)
        lanes->at[__builtin_ctz(idle)] = readable;
}

/* Writes the tails of the lanes in `ending`, which need not be all busy lanes, and absorbs the
 * chunk. */
JM_INLINE void lanes_absorb_tails(const lanes_code *code, void *state, lanes_schedule *lanes) {
    const size_t offset = lanes->time * code->chunk_bytes;
    unsigned most = 0, least = LANES_UNITS_MAX;
    uint32_t ends[LANES_UNITS_MAX + 1] = {0};
    for (uint32_t left = lanes->ending; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const jm_mac_message *message = lanes->message[l];
        const size_t before = code->chunks_before_tail(message->message_bytes) * code->chunk_bytes;
        const uint8_t *from = (const uint8_t *)(lanes->at[l] + offset);
        const unsigned units =
            code->build_tail(message, from, message->message_bytes - before, lanes->tail[l]);
        ends[units] |= UINT32_C(1) << l;
        most = units > most ? units : most;
        least = units < least ? units : least;
        lanes->at[l] = (uintptr_t)lanes->tail[l] - offset;
    }
    lanes_point_idle(lanes);
    const bool all_end = lanes->ending == lanes->busy;
    if (all_end && most == least) {
        code->absorb_units(state, lanes, offset, most, false);
        return;
    }
    lanes->live[0] = LANES_ALL;
    for (unsigned u = 1; u < code->chunk_units; u++) lanes->live[u] = lanes->live[u - 1] & ~ends[u];
    code->absorb_units(state, lanes, offset, all_end ? most : code->chunk_units, true);
}

/* Finds the lanes that end next among the busy ones. */
JM_INLINE void lanes_find_ending(lanes_schedule *lanes) {
    size_t due[LANES], next = SIZE_MAX;
    uint32_t ending = 0;
    for (unsigned l = 0; l < LANES; l++) {
        due[l] = lanes->busy >> l & 1 ? lanes->due[l] : SIZE_MAX;
        next = due[l] < next ? due[l] : next;
    }
    for (unsigned l = 0; l < LANES; l++) ending |= (uint32_t)(due[l] == next) << l;
    lanes->next_due = next;
    lanes->ending = ending & lanes->busy;
}

/* Absorbs `chunks` chunks and a tail chunk that is built first. */
JM_INLINE void lanes_absorb_built(const lanes_code *code, void *state, lanes_schedule *lanes,
                                  size_t chunks, size_t message_bytes) {
    const size_t offset = chunks * code->chunk_bytes;
    unsigned units = 0;
    for (unsigned l = 0; l < LANES; l++) {
        const uint8_t *from = (const uint8_t *)(lanes->at[l] + offset);
        units = code->build_tail(lanes->message[l], from, message_bytes - offset, lanes->tail[l]);
    }
    if (chunks) code->absorb(state, lanes, 0, chunks);
    for (unsigned l = 0; l < LANES; l++) lanes->at[l] = (uintptr_t)lanes->tail[l];
    code->absorb_units(state, lanes, 0, units, false);
}

/* Tags `count` >= 1 messages of the same length, LANES at a time: nothing to sort, to refill or to
 * mask. Idle lanes repeat the first message of their turn. */
JM_INLINE void lanes_run_equal(const lanes_code *code, void *state, lanes_schedule *lanes,
                               const jm_mac_message *messages, size_t count) {
    const size_t message_bytes = messages[0].message_bytes;
    const size_t chunks = code->chunks_before_tail(message_bytes);
    const size_t offset = chunks * code->chunk_bytes;
    lanes->busy = LANES_ALL;
    while (count) {
        const size_t now = count < LANES ? count : LANES;
        for (unsigned l = 0; l < LANES; l++) {
            lanes->message[l] = &messages[l < now ? l : 0];
            lanes->at[l] = (uintptr_t)lanes->message[l]->message;
        }
        code->start(state, lanes, LANES_ALL);
        if (code->absorb_equal_tails) {
            if (chunks) code->absorb(state, lanes, 0, chunks);
            code->absorb_equal_tails(state, lanes, offset, message_bytes - offset);
        } else {
            lanes_absorb_built(code, state, lanes, chunks, message_bytes);
        }
        code->finish(state, lanes, LANES_ALL >> (LANES - now));
        messages += now;
        count -= now;
    }
}

JM_INLINE bool lanes_all_equal(const jm_mac_message *messages, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (messages[i].message_bytes != messages[0].message_bytes) return false;
    return true;
}

/* Tags `count` <= LANES_SLICE messages. */
JM_INLINE void lanes_run_slice(const lanes_code *code, void *state, lanes_schedule *lanes,
                               const jm_mac_message *messages, size_t count) {
    const uint16_t *order =
        count > LANES && lanes_sort(code, messages, count, lanes->buckets) ? lanes->buckets : NULL;
    lanes->time = 0;
    lanes->busy = 0;
    lanes->next_due = SIZE_MAX;
    size_t taken = lanes_refill(code, state, lanes, messages, order, 0, count, LANES_ALL);
    while (lanes->busy) {
        const size_t chunks = lanes->next_due - lanes->time;
        if (chunks) {
            lanes_point_idle(lanes);
            code->absorb(state, lanes, lanes->time * code->chunk_bytes, chunks);
            lanes->time = lanes->next_due;
        }
        lanes_absorb_tails(code, state, lanes);
        lanes->time++;
        const uint32_t done = lanes->ending;
        code->finish(state, lanes, done);
        lanes->busy &= ~done;
        lanes->next_due = SIZE_MAX;
        if (lanes->busy) lanes_find_ending(lanes);
        taken = lanes_refill(code, state, lanes, messages, order, taken, count, done);
    }
}

/* Tags the batch. `state` and `lanes` belong to the caller, who wipes them. */
JM_INLINE void lanes_run(const lanes_code *code, void *state, lanes_schedule *lanes,
                         const jm_mac_message *messages, size_t count) {
    lanes->equal = count && lanes_all_equal(messages, count);
    if (lanes->equal) {
        lanes_run_equal(code, state, lanes, messages, count);
        return;
    }
    while (count) {
        const size_t slice = count < LANES_SLICE ? count : LANES_SLICE;
        lanes_run_slice(code, state, lanes, messages, slice);
        messages += slice;
        count -= slice;
    }
}

/* ---- lanes that read messages in step, and the first-level cache ----
 *
 * A page of 4096 bytes covers its 64 sets of 64 bytes once, on all x86 CPUs with AVX2 or AVX-512; a
 * set has 8 to 12 ways. Messages at distances of 4096 bytes have their blocks in one set, which
 * cannot hold the blocks of 16 lanes. */

/* The set of an address, as a bit. */
static inline uint64_t jm_cache_set(uintptr_t address) {
    return UINT64_C(1) << (address / 64 % 64);
}

/* `sets` has a bit for each set in which the next block of one of `lanes` lanes begins. */
static inline bool jm_crowded(uint64_t sets, size_t lanes) {
    return lanes > 16 * (size_t)__builtin_popcountll(sets);
}

#endif
