/* SPDX-License-Identifier: Apache-2.0
 * All gatherers together: memory, keys, threads, the start, the clocks at t1 and t2, the end.
 *
 * As in sessions.c, all memory is allocated before the first thread is created, and after any
 * failure each thread that was created is told to end, and joined. */
#define _GNU_SOURCE
#include "gather.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arith.h"
#include "gatherer.h"
#include "loop.h"

#define LINE_BYTES 64u

typedef struct crew {
    const jm_gather_request *request;
    jm_gathering shared;
    jm_gatherer *gatherers;
    jm_mac_message *lists;
    jm_gather_last *last;
    uint64_t *arrived;
    uint8_t *tags;
    size_t tag_stride, longest;
    size_t keys, threads; /* number of keys set up and of threads running */
} crew;

static size_t stride_of(size_t bytes) {
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + LINE_BYTES;
}

static bool makes_sense(const jm_gather_request *request) {
    if (request->implementation->kind != JM_KIND_MAC || request->window_ns == 0) return false;
    if (request->core_count == 0 || request->core_count > request->sessions) return false;
    if (request->sessions > JM_SESSIONS_MAX || request->length_count == 0) return false;
    if (request->batch_most == 0 || request->batch_most > JM_GATHER_BATCH_MAX) return false;
    if (request->arrivals < request->batch_most || request->arrivals < request->core_count ||
        request->arrivals > JM_GATHER_ARRIVALS_MAX)
        return false;
    for (size_t i = 0; i < request->core_count; i++)
        if (request->cores[i] < 0 || request->cores[i] >= CPU_SETSIZE) return false;
    if (!request->gaps_ps) return true;
    for (size_t i = 0; i < request->arrivals; i++)
        if (request->gaps_ps[i]) return true;
    return false;
}

static void *lines(size_t count, size_t bytes) {
    if (bytes && count > SIZE_MAX / 2 / bytes) return NULL;
    return aligned_alloc(LINE_BYTES, stride_of(count * bytes));
}

static jm_sessions_status allocate(crew *all) {
    const jm_gather_request *request = all->request;
    const jm_implementation *self = request->implementation;
    const size_t n = request->sessions, slots = request->core_count * request->batch_most;
    jm_gathering *shared = &all->shared;
    for (size_t i = 0; i < request->length_count; i++)
        if (request->lengths[i] > all->longest) all->longest = request->lengths[i];
    shared->key_state_stride = stride_of(self->mac->key_state_bytes);
    shared->message_stride = stride_of(all->longest);
    all->tag_stride = stride_of(JM_OUTPUT_BYTES_MAX + JM_GATHER_CANARY_BYTES);
    all->gatherers = lines(request->core_count, sizeof *all->gatherers);
    all->lists = lines(slots, sizeof *all->lists);
    all->last = lines(slots, sizeof *all->last);
    all->arrived = lines(slots, sizeof *all->arrived);
    all->tags = lines(slots, all->tag_stride);
    shared->key_states = lines(n, shared->key_state_stride);
    shared->messages = lines(n, shared->message_stride);
    if (!all->gatherers || !all->lists || !all->last || !all->arrived || !all->tags ||
        !shared->key_states || !shared->messages)
        return JM_SESSIONS_MEMORY;
    if (self->nonce_bytes_max && !(shared->nonces = calloc(n, UINT8_MAX)))
        return JM_SESSIONS_MEMORY;
    if (request->gaps_ps &&
        !(shared->arrival_ticks = lines(request->arrivals, sizeof *shared->arrival_ticks)))
        return JM_SESSIONS_MEMORY;
    for (size_t i = 0; i < request->core_count; i++)
        all->gatherers[i] = (jm_gatherer){
            .shared = shared,
            .number = i,
            .list = all->lists + i * request->batch_most,
            .last = all->last + i * request->batch_most,
            .arrived = all->arrived + i * request->batch_most,
            .tags = all->tags + i * request->batch_most * all->tag_stride,
            .tag_stride = all->tag_stride,
        };
    return JM_SESSIONS_OK;
}

static jm_sessions_status set_up(crew *all) {
    const jm_gather_request *request = all->request;
    const jm_implementation *self = request->implementation;
    const jm_gathering *shared = &all->shared;
    for (; all->keys < request->sessions; all->keys++) {
        const size_t i = all->keys;
        if (self->mac->set_key(self, shared->key_states + i * shared->key_state_stride,
                               request->keys + i * request->key_bytes, request->key_bytes) != JM_OK)
            return JM_SESSIONS_KEY;
        uint8_t *message = shared->messages + i * shared->message_stride;
        for (size_t at = 0; at < all->longest; at++)
            message[at] = jm_message_byte(i * JM_SESSION_APART + at);
    }
    return JM_SESSIONS_OK;
}

static jm_sessions_status make_threads(crew *all) {
    jm_sessions_status status = JM_SESSIONS_OK;
    for (; status == JM_SESSIONS_OK && all->threads < all->request->core_count; all->threads++) {
        jm_gatherer *gatherer = &all->gatherers[all->threads];
        if (pthread_create(&gatherer->thread, NULL, jm_gatherer_main, gatherer) == 0) continue;
        status = JM_SESSIONS_THREAD;
        break;
    }
    return status;
}

static void set_clocks(crew *all, double rate) {
    jm_gathering *shared = &all->shared;
    const jm_gather_request *request = all->request;
    double passed_ps = 0;
    for (size_t i = 0; request->gaps_ps && i < request->arrivals; i++) {
        shared->arrival_ticks[i] = (uint64_t)(passed_ps / 1000 * rate);
        passed_ps += (double)request->gaps_ps[i];
    }
    shared->cycle_ticks = (uint64_t)(passed_ps / 1000 * rate) + 1;
    shared->wait_ticks = (uint64_t)((double)request->wait_ns * rate);
    shared->begin = jm_ticks();
    shared->t1 = shared->begin + (uint64_t)((double)request->warm_up_ns * rate);
    shared->t2 = shared->t1 + (uint64_t)((double)request->window_ns * rate);
    shared->part_ticks = (shared->t2 - shared->t1) / JM_GATHER_PARTS + 1;
}

/* Sleeps until `after_ns` after `from_ns`; shorter where an implementation failed. */
static void sleep_until(const crew *all, uint64_t from_ns, uint64_t after_ns) {
    const uint64_t step_ns = UINT64_C(50000000), end_ns = from_ns + after_ns;
    for (uint64_t now_ns = jm_monotonic_ns(); now_ns < end_ns; now_ns = jm_monotonic_ns()) {
        if (__atomic_load_n(&all->shared.stop, __ATOMIC_RELAXED)) return;
        const uint64_t left_ns = end_ns - now_ns, nap_ns = left_ns < step_ns ? left_ns : step_ns;
        const struct timespec nap = {.tv_nsec = (long)nap_ns};
        nanosleep(&nap, NULL);
    }
}

static jm_sessions_status status_of(unsigned statuses) {
    if (statuses == JM_OK) return JM_SESSIONS_OK;
    return statuses == JM_ERR_MESSAGE_BYTES ? JM_SESSIONS_LENGTH : JM_SESSIONS_REFUSED;
}

/* The first error of a thread, or a canary or message that was overwritten; else JM_SESSIONS_OK. */
static jm_sessions_status found_wrong(const crew *all) {
    const jm_gather_request *request = all->request;
    const size_t tag_bytes = request->implementation->output_bytes;
    for (size_t i = 0; i < request->core_count; i++) {
        const jm_gatherer *gatherer = &all->gatherers[i];
        if (gatherer->status != JM_OK) return status_of(gatherer->status);
        for (size_t slot = 0; slot < request->batch_most; slot++)
            for (size_t at = 0; at < JM_GATHER_CANARY_BYTES; at++)
                if (gatherer->tags[slot * gatherer->tag_stride + tag_bytes + at] !=
                    JM_GATHER_CANARY)
                    return JM_SESSIONS_OVERRUN;
    }
    for (size_t i = 0; i < request->sessions; i++)
        for (size_t at = 0; at < all->longest; at++)
            if (all->shared.messages[i * all->shared.message_stride + at] !=
                jm_message_byte(i * JM_SESSION_APART + at))
                return JM_SESSIONS_OVERRUN;
    return JM_SESSIONS_OK;
}

static jm_sessions_status run_threads(crew *all, jm_gather_window *window) {
    const jm_gather_request *request = all->request;
    jm_sessions_status status = make_threads(all);
    const bool right_cores = jm_start_all_ready(&all->shared.start, all->threads);
    if (status == JM_SESSIONS_OK && !right_cores) status = JM_SESSIONS_CORES;
    if (status == JM_SESSIONS_OK) set_clocks(all, window->ticks_per_ns);
    jm_start_release(&all->shared.start, status == JM_SESSIONS_OK);
    if (status == JM_SESSIONS_OK) {
        const uint64_t from_ns = jm_monotonic_ns();
        sleep_until(all, from_ns, request->warm_up_ns);
        const jm_machine_cpu start = jm_read_cores_cpu(request->cores, request->core_count);
        sleep_until(all, from_ns, request->warm_up_ns + request->window_ns);
        const jm_machine_cpu end = jm_read_cores_cpu(request->cores, request->core_count);
        window->busy_ns = jm_counter_delta(start.busy_ns, end.busy_ns);
        window->steal_ns = jm_counter_delta(start.steal_ns, end.steal_ns);
    }
    for (size_t i = 0; i < all->threads; i++) pthread_join(all->gatherers[i].thread, NULL);
    return status == JM_SESSIONS_OK ? found_wrong(all) : status;
}

static void tell(const crew *all, jm_gather_counts *counts, size_t *last_counts,
                 jm_gather_last *last, uint8_t *tags, jm_gather_window *window) {
    const jm_gather_request *request = all->request;
    const size_t tag_bytes = request->implementation->output_bytes, most = request->batch_most;
    for (size_t i = 0; i < request->core_count; i++) {
        const jm_gatherer *gatherer = &all->gatherers[i];
        counts[i] = gatherer->counts;
        last_counts[i] = gatherer->gathered;
        for (size_t slot = 0; slot < gatherer->gathered; slot++) {
            last[i * most + slot] = gatherer->last[slot];
            memcpy(tags + (i * most + slot) * tag_bytes,
                   gatherer->tags + slot * gatherer->tag_stride, tag_bytes);
        }
        for (unsigned bucket = 0; bucket < JM_LATENCY_BUCKETS; bucket++)
            window->latencies[bucket] += gatherer->latencies[bucket];
        for (unsigned part = 0; part < JM_GATHER_PARTS; part++) {
            window->part_messages[part] += gatherer->part_messages[part];
            window->part_batches[part] += gatherer->part_batches[part];
            window->part_busy_ticks[part] += gatherer->part_busy_ticks[part];
        }
    }
}

static void free_all(crew *all) {
    const jm_implementation *self = all->request->implementation;
    for (size_t i = 0; i < all->keys; i++)
        self->mac->wipe_key(self, all->shared.key_states + i * all->shared.key_state_stride);
    free(all->gatherers);
    free(all->lists);
    free(all->last);
    free(all->arrived);
    free(all->tags);
    free(all->shared.key_states);
    free(all->shared.messages);
    free(all->shared.nonces);
    free(all->shared.arrival_ticks);
    jm_start_destroy(&all->shared.start);
}

jm_sessions_status jm_gather_run(const jm_gather_request *request, jm_gather_counts *counts,
                                 size_t *last_counts, jm_gather_last *last, uint8_t *tags,
                                 jm_gather_window *window) {
    if (!makes_sense(request)) return JM_SESSIONS_NONSENSE;
    *window = (jm_gather_window){
        .ticks_are_tsc = jm_tsc_end() != JM_NO_COUNTER,
        .ticks_per_ns = jm_ticks_per_ns(),
        .clock_pair_ticks = jm_clock_pair_ticks(),
    };
    crew all = {.request = request};
    all.shared.request = request;
    jm_start_init(&all.shared.start);
    jm_sessions_status status = allocate(&all);
    if (status == JM_SESSIONS_OK) status = set_up(&all);
    if (status == JM_SESSIONS_OK) status = run_threads(&all, window);
    if (status == JM_SESSIONS_OK) tell(&all, counts, last_counts, last, tags, window);
    free_all(&all);
    return status;
}
