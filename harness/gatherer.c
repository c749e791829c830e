/* SPDX-License-Identifier: Apache-2.0
 * The thread of a gatherer: waits until a batch is due, gathers it, tags it. */
#define _GNU_SOURCE
#include "gatherer.h"

#include <string.h>

#include "arith.h"
#include "clock/pause_once.h"
#include "common/words.h"

/* Ticks at which the message `ahead` places behind the next message arrives. */
static uint64_t arrival(const jm_gatherer *gatherer, size_t ahead) {
    const jm_gathering *shared = gatherer->shared;
    const size_t place = gatherer->place + ahead, arrivals = shared->request->arrivals;
    return place < arrivals
               ? gatherer->base + shared->arrival_ticks[place]
               : gatherer->base + shared->cycle_ticks + shared->arrival_ticks[place - arrivals];
}

/* Puts the next message into the batch. */
static void take(jm_gatherer *gatherer, uint64_t arrived) {
    const jm_gathering *shared = gatherer->shared;
    const jm_gather_request *request = shared->request;
    const size_t cores = request->core_count;
    const size_t own = (request->sessions - gatherer->number - 1) / cores + 1;
    const size_t session = gatherer->number + cores * (request->senders[gatherer->place] % own);
    const size_t message_bytes = request->lengths[gatherer->length], slot = gatherer->gathered++;
    gatherer->list[slot] = (jm_mac_message){
        .key_state = shared->key_states + session * shared->key_state_stride,
        .message = shared->messages + session * shared->message_stride,
        .message_bytes = message_bytes,
        .tag = gatherer->tags + slot * gatherer->tag_stride,
    };
    gatherer->last[slot] = (jm_gather_last){(uint32_t)session, message_bytes, 0};
    gatherer->arrived[slot] = arrived;
    if (++gatherer->length == request->length_count) gatherer->length = 0;
    if (++gatherer->place == request->arrivals) {
        gatherer->place = 0;
        gatherer->base += shared->cycle_ticks;
    }
}

/* Puts the messages that have arrived into the batch. */
static void gather(jm_gatherer *gatherer, uint64_t now) {
    const size_t most = gatherer->shared->request->batch_most;
    gatherer->gathered = 0;
    if (!gatherer->shared->arrival_ticks) {
        while (gatherer->gathered < most) take(gatherer, now);
        return;
    }
    for (uint64_t next; gatherer->gathered < most && (next = arrival(gatherer, 0)) <= now;)
        take(gatherer, next);
}

/* Tags the messages one by one, each under a nonce of its session counted up in the first bytes. */
static unsigned tag_with_nonces(jm_gatherer *gatherer) {
    const jm_implementation *self = gatherer->shared->request->implementation;
    unsigned status = 0;
    for (size_t i = 0; i < gatherer->gathered; i++) {
        const jm_mac_message *m = &gatherer->list[i];
        uint8_t *nonce = gatherer->shared->nonces + UINT8_MAX * (size_t)gatherer->last[i].session;
        for (size_t at = 0; at < self->nonce_bytes && ++nonce[at] == 0; at++) continue;
        gatherer->last[i].nonce = load_le64(nonce);
        void *key_state = (void *)(uintptr_t)m->key_state;
        status |= self->mac->set_nonce(self, key_state, nonce, self->nonce_bytes);
        status |= self->mac->tag(self, key_state, m->message, m->message_bytes, m->tag);
    }
    return status;
}

static unsigned tag(jm_gatherer *gatherer) {
    const jm_implementation *self = gatherer->shared->request->implementation;
    if (gatherer->shared->nonces) return tag_with_nonces(gatherer);
    if (self->mac->tag_batch && gatherer->gathered > 1)
        return self->mac->tag_batch(self, gatherer->list, gatherer->gathered);
    const jm_mac_functions mac = *self->mac;
    unsigned status = 0;
    for (size_t i = 0; i < gatherer->gathered; i++) {
        const jm_mac_message *m = &gatherer->list[i];
        status |= mac.tag(self, m->key_state, m->message, m->message_bytes, m->tag);
    }
    return status;
}

/* Ticks at which the next batch is due. */
static uint64_t due(const jm_gatherer *gatherer) {
    if (!gatherer->shared->arrival_ticks) return 0;
    const uint64_t full = arrival(gatherer, gatherer->shared->request->batch_most - 1);
    const uint64_t waited = arrival(gatherer, 0) + gatherer->shared->wait_ticks;
    return full < waited ? full : waited;
}

static uint64_t backlog(const jm_gatherer *gatherer, uint64_t now) {
    if (!gatherer->shared->arrival_ticks) return 0;
    jm_gatherer ahead = {
        .shared = gatherer->shared, .place = gatherer->place, .base = gatherer->base};
    uint64_t found = 0;
    for (; arrival(&ahead, 0) <= now; found++)
        if (++ahead.place == gatherer->shared->request->arrivals) {
            ahead.place = 0;
            ahead.base += gatherer->shared->cycle_ticks;
        }
    return found;
}

/* The counters now; the caller reports the difference of two readings. */
static jm_gather_counts read_counters(const jm_gatherer *gatherer, uint64_t ticks) {
    jm_gather_counts now = gatherer->total;
    now.ticks = ticks;
    now.wall_ns = jm_monotonic_ns();
    now.thread_cpu_ns = jm_thread_cpu_ns();
    now.involuntary_switches = jm_read_context_switches().involuntary;
    return now;
}

static void begin_window(jm_gatherer *gatherer, uint64_t now) {
    gatherer->in_window = true;
    gatherer->counts = read_counters(gatherer, now);
    gatherer->counts.backlog_before = backlog(gatherer, now);
}

static void end_window(jm_gatherer *gatherer, uint64_t now) {
    const jm_gather_counts end = read_counters(gatherer, now), start = gatherer->counts;
    gatherer->counts = (jm_gather_counts){
        .messages = end.messages - start.messages,
        .bytes = end.bytes - start.bytes,
        .batches = end.batches - start.batches,
        .busy_ticks = end.busy_ticks - start.busy_ticks,
        .ticks = jm_counter_delta(start.ticks, end.ticks),
        .wall_ns = jm_counter_delta(start.wall_ns, end.wall_ns),
        .thread_cpu_ns = jm_counter_delta(start.thread_cpu_ns, end.thread_cpu_ns),
        .involuntary_switches = end.involuntary_switches - start.involuntary_switches,
        .backlog_before = start.backlog_before,
        .backlog_after = backlog(gatherer, now),
    };
}

/* Gathers and tags a batch; returns the clock after its last tag. */
static uint64_t serve(jm_gatherer *gatherer, uint64_t now) {
    gather(gatherer, now);
    gatherer->status |= tag(gatherer);
    const uint64_t end = jm_ticks();
    gatherer->total.busy_ticks += end - now;
    gatherer->total.batches++;
    gatherer->total.messages += gatherer->gathered;
    for (size_t i = 0; i < gatherer->gathered; i++) {
        gatherer->total.bytes += gatherer->list[i].message_bytes;
        if (gatherer->in_window)
            gatherer->latencies[jm_latency_bucket(end - gatherer->arrived[i])]++;
    }
    if (gatherer->in_window && end < gatherer->shared->t2) {
        const uint64_t part = (end - gatherer->shared->t1) / gatherer->shared->part_ticks;
        gatherer->part_messages[part] += gatherer->gathered;
        gatherer->part_batches[part]++;
        gatherer->part_busy_ticks[part] += end - now;
    }
    return end;
}

static void work(jm_gatherer *gatherer) {
    const jm_gathering *shared = gatherer->shared;
    const int *stop = &shared->stop;
    /* Each gatherer begins at another place of the cycle; its first message arrives at once. */
    gatherer->place = gatherer->number * (shared->request->arrivals / shared->request->core_count);
    gatherer->base = shared->begin;
    if (shared->arrival_ticks) gatherer->base -= shared->arrival_ticks[gatherer->place];
    uint64_t now = jm_ticks();
    while (!gatherer->in_window || now < shared->t2) {
        const uint64_t edge = gatherer->in_window ? shared->t2 : shared->t1, at = due(gatherer);
        while (now < at && now < edge) {
            jm_pause_once();
            now = jm_ticks();
        }
        if (now >= at) now = serve(gatherer, now);
        if (gatherer->status != JM_OK)
            __atomic_store_n(&gatherer->shared->stop, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(stop, __ATOMIC_RELAXED)) return;
        if (!gatherer->in_window && now >= shared->t1) begin_window(gatherer, now);
    }
    end_window(gatherer, now);
}

void *jm_gatherer_main(void *argument) {
    jm_gatherer *gatherer = argument;
    const jm_gather_request *request = gatherer->shared->request;
    const bool right_core = jm_start_on_cores(&request->cores[gatherer->number], 1);
    /* The thread that will use the pages touches them first. */
    memset(gatherer->tags, JM_GATHER_CANARY, request->batch_most * gatherer->tag_stride);
    if (jm_start_wait(&gatherer->shared->start, right_core)) work(gatherer);
    return NULL;
}
