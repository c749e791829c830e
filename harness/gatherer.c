/* SPDX-License-Identifier: Apache-2.0
 * The thread of a gatherer: waits until a batch is due, gathers it, tags it. */
#define _GNU_SOURCE
#include "gatherer.h"

#include <string.h>

#include "arith.h"
#include "clock/pause_once.h"
#include "common/load_store.h"

/* Ticks at which the message `ahead` places behind the next message arrives. */
static uint64_t arrival(const jm_gatherer *one, size_t ahead) {
    const jm_gathering *shared = one->shared;
    const size_t place = one->place + ahead, arrivals = shared->request->arrivals;
    return place < arrivals
               ? one->base + shared->arrival_ticks[place]
               : one->base + shared->cycle_ticks + shared->arrival_ticks[place - arrivals];
}

/* Puts the next message into the batch. */
static void take(jm_gatherer *one, uint64_t arrived) {
    const jm_gathering *shared = one->shared;
    const jm_gather_request *request = shared->request;
    const size_t cores = request->core_count;
    const size_t own = (request->sessions - one->number - 1) / cores + 1;
    const size_t session = one->number + cores * (request->senders[one->place] % own);
    const size_t message_bytes = request->lengths[one->length], slot = one->gathered++;
    one->list[slot] = (jm_mac_message){
        .key_state = shared->key_states + session * shared->key_state_stride,
        .message = shared->messages + session * shared->message_stride,
        .message_bytes = message_bytes,
        .tag = one->tags + slot * one->tag_stride,
    };
    one->last[slot] = (jm_gather_last){(uint32_t)session, message_bytes, 0};
    one->arrived[slot] = arrived;
    if (++one->length == request->length_count) one->length = 0;
    if (++one->place == request->arrivals) {
        one->place = 0;
        one->base += shared->cycle_ticks;
    }
}

/* Puts the messages that have arrived into the batch. */
static void gather(jm_gatherer *one, uint64_t now) {
    const size_t most = one->shared->request->batch_most;
    one->gathered = 0;
    if (!one->shared->arrival_ticks) {
        while (one->gathered < most) take(one, now);
        return;
    }
    for (uint64_t next; one->gathered < most && (next = arrival(one, 0)) <= now;) take(one, next);
}

/* Tags the messages one by one, each under a nonce of its session counted up in the first bytes. */
static unsigned tag_with_nonces(jm_gatherer *one) {
    const jm_implementation *self = one->shared->request->implementation;
    unsigned status = 0;
    for (size_t i = 0; i < one->gathered; i++) {
        const jm_mac_message *m = &one->list[i];
        uint8_t *nonce = one->shared->nonces + UINT8_MAX * (size_t)one->last[i].session;
        for (size_t at = 0; at < self->nonce_bytes && ++nonce[at] == 0; at++) continue;
        one->last[i].nonce = load_le64(nonce);
        void *key_state = (void *)(uintptr_t)m->key_state;
        status |= self->mac->set_nonce(self, key_state, nonce, self->nonce_bytes);
        status |= self->mac->tag(self, key_state, m->message, m->message_bytes, m->tag);
    }
    return status;
}

static unsigned tag(jm_gatherer *one) {
    const jm_implementation *self = one->shared->request->implementation;
    if (one->shared->nonces) return tag_with_nonces(one);
    if (self->mac->tag_batch && one->gathered > 1)
        return self->mac->tag_batch(self, one->list, one->gathered);
    const jm_mac_functions mac = *self->mac;
    unsigned status = 0;
    for (size_t i = 0; i < one->gathered; i++) {
        const jm_mac_message *m = &one->list[i];
        status |= mac.tag(self, m->key_state, m->message, m->message_bytes, m->tag);
    }
    return status;
}

/* Ticks at which the next batch is due. */
static uint64_t due(const jm_gatherer *one) {
    if (!one->shared->arrival_ticks) return 0;
    const uint64_t full = arrival(one, one->shared->request->batch_most - 1);
    const uint64_t waited = arrival(one, 0) + one->shared->wait_ticks;
    return full < waited ? full : waited;
}

static uint64_t backlog(const jm_gatherer *one, uint64_t now) {
    if (!one->shared->arrival_ticks) return 0;
    jm_gatherer ahead = {.shared = one->shared, .place = one->place, .base = one->base};
    uint64_t found = 0;
    for (; arrival(&ahead, 0) <= now; found++)
        if (++ahead.place == one->shared->request->arrivals) {
            ahead.place = 0;
            ahead.base += one->shared->cycle_ticks;
        }
    return found;
}

/* The counters now; the caller reports the difference of two readings. */
static jm_gather_counts read_counters(const jm_gatherer *one, uint64_t ticks) {
    jm_gather_counts now = one->total;
    now.ticks = ticks;
    now.wall_ns = jm_monotonic_ns();
    now.thread_cpu_ns = jm_thread_cpu_ns();
    now.involuntary_switches = jm_read_context_switches().involuntary;
    return now;
}

static void begin_window(jm_gatherer *one, uint64_t now) {
    one->in_window = true;
    one->counts = read_counters(one, now);
    one->counts.backlog_before = backlog(one, now);
}

static void end_window(jm_gatherer *one, uint64_t now) {
    const jm_gather_counts end = read_counters(one, now), start = one->counts;
    one->counts = (jm_gather_counts){
        .messages = end.messages - start.messages,
        .bytes = end.bytes - start.bytes,
        .batches = end.batches - start.batches,
        .busy_ticks = end.busy_ticks - start.busy_ticks,
        .ticks = jm_counter_delta(start.ticks, end.ticks),
        .wall_ns = jm_counter_delta(start.wall_ns, end.wall_ns),
        .thread_cpu_ns = jm_counter_delta(start.thread_cpu_ns, end.thread_cpu_ns),
        .involuntary_switches = end.involuntary_switches - start.involuntary_switches,
        .backlog_before = start.backlog_before,
        .backlog_after = backlog(one, now),
    };
}

/* Gathers and tags a batch; returns the clock after its last tag. */
static uint64_t serve(jm_gatherer *one, uint64_t now) {
    gather(one, now);
    one->status |= tag(one);
    const uint64_t end = jm_ticks();
    one->total.busy_ticks += end - now;
    one->total.batches++;
    one->total.messages += one->gathered;
    for (size_t i = 0; i < one->gathered; i++) {
        one->total.bytes += one->list[i].message_bytes;
        if (one->in_window) one->latencies[jm_latency_bucket(end - one->arrived[i])]++;
    }
    if (one->in_window && end < one->shared->t2) {
        const uint64_t part = (end - one->shared->t1) / one->shared->part_ticks;
        one->part_messages[part] += one->gathered;
        one->part_batches[part]++;
        one->part_busy_ticks[part] += end - now;
    }
    return end;
}

static void work(jm_gatherer *one) {
    const jm_gathering *shared = one->shared;
    const int *stop = &shared->stop;
    /* Each gatherer begins at another place of the cycle; its first message arrives at once. */
    one->place = one->number * (shared->request->arrivals / shared->request->core_count);
    one->base = shared->begin;
    if (shared->arrival_ticks) one->base -= shared->arrival_ticks[one->place];
    uint64_t now = jm_ticks();
    while (!one->in_window || now < shared->t2) {
        const uint64_t edge = one->in_window ? shared->t2 : shared->t1, at = due(one);
        while (now < at && now < edge) {
            jm_pause_once();
            now = jm_ticks();
        }
        if (now >= at) now = serve(one, now);
        if (one->status != JM_OK) __atomic_store_n(&one->shared->stop, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(stop, __ATOMIC_RELAXED)) return;
        if (!one->in_window && now >= shared->t1) begin_window(one, now);
    }
    end_window(one, now);
}

void *jm_gatherer_main(void *argument) {
    jm_gatherer *one = argument;
    const jm_gather_request *request = one->shared->request;
    const bool right_core = jm_start_on_cores(&request->cores[one->number], 1);
    /* The thread that will use the pages touches them first. */
    memset(one->tags, JM_GATHER_CANARY, request->batch_most * one->tag_stride);
    if (jm_start_wait(&one->shared->start, right_core)) work(one);
    return NULL;
}
