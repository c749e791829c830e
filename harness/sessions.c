/* SPDX-License-Identifier: Apache-2.0
 * All sessions together: memory, keys, threads, the start, the clocks at t1 and t2, the end.
 *
 * All memory is allocated before the first thread is created, so no thread can fail for want of
 * memory. After any failure each thread that was created is told to end, and joined. */
#define _GNU_SOURCE
#include "sessions.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arith.h"
#include "loop.h"
#include "session.h"

/* Deep enough for every implementation that we know. A thousand threads reserve 250 MiB of
 * addresses, of which each thread touches some KiB. */
#define STACK_BYTES (256u << 10)
#define LINE_BYTES 64u

typedef struct crowd {
    const jm_sessions_request *request;
    jm_shared shared;
    jm_session *sessions;
    uint8_t *key_states, *messages, *tags;
    size_t key_state_stride, message_stride, tag_stride;
    size_t keys, threads; /* number of keys set up and of threads running */
} crowd;

static size_t stride_of(size_t bytes) {
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + LINE_BYTES;
}

static bool makes_sense(const jm_sessions_request *request) {
    if (request->implementation->kind != JM_KIND_MAC || request->window_ns == 0) return false;
    if (request->sessions == 0 || request->sessions > JM_SESSIONS_MAX) return false;
    for (size_t i = 0; i < request->core_count; i++)
        if (request->cores[i] < 0 || request->cores[i] >= CPU_SETSIZE) return false;
    return request->length_count > 0 && request->core_count > 0;
}

static jm_sessions_status allocate(crowd *all) {
    const jm_sessions_request *request = all->request;
    const size_t n = request->sessions;
    size_t longest = 0;
    for (size_t i = 0; i < request->length_count; i++)
        if (request->lengths[i] > longest) longest = request->lengths[i];
    all->key_state_stride = stride_of(request->implementation->mac->key_state_bytes);
    all->message_stride = stride_of(longest);
    all->tag_stride = stride_of(JM_OUTPUT_BYTES_MAX + JM_SESSION_CANARY_BYTES);
    if (longest > SIZE_MAX / 2 / n) return JM_SESSIONS_MEMORY;
    all->sessions = aligned_alloc(LINE_BYTES, n * sizeof *all->sessions);
    all->key_states = aligned_alloc(LINE_BYTES, n * all->key_state_stride);
    all->messages = aligned_alloc(LINE_BYTES, n * all->message_stride);
    all->tags = aligned_alloc(LINE_BYTES, n * all->tag_stride);
    if (!all->sessions || !all->key_states || !all->messages || !all->tags)
        return JM_SESSIONS_MEMORY;
    for (size_t i = 0; i < n; i++)
        all->sessions[i] = (jm_session){
            .shared = &all->shared,
            .number = i,
            .window = {.self = request->implementation,
                       .key_state = all->key_states + i * all->key_state_stride,
                       .message = all->messages + i * all->message_stride,
                       .message_bytes = request->lengths[0],
                       .output = all->tags + i * all->tag_stride},
        };
    if (request->implementation->nonce_bytes_max)
        for (size_t i = 0; i < n; i++) all->sessions[i].window.nonce = all->sessions[i].nonce;
    return JM_SESSIONS_OK;
}

static jm_sessions_status set_keys(crowd *all) {
    const jm_implementation *self = all->request->implementation;
    for (; all->keys < all->request->sessions; all->keys++) {
        const size_t i = all->keys;
        if (self->mac->set_key(self, all->key_states + i * all->key_state_stride,
                               all->request->keys + i * all->request->key_bytes,
                               all->request->key_bytes) != JM_OK)
            return JM_SESSIONS_KEY;
    }
    return JM_SESSIONS_OK;
}

static jm_sessions_status status_of(unsigned statuses) {
    if (statuses == JM_OK) return JM_SESSIONS_OK;
    return statuses == JM_ERR_MESSAGE_BYTES ? JM_SESSIONS_LENGTH : JM_SESSIONS_REFUSED;
}

/* Finds how many messages take about JM_SESSION_STRETCH_NS under the first session's key, measured
 * in this thread. */
static jm_sessions_status find_stretch(crowd *all) {
    jm_session *first = &all->sessions[0];
    memset(all->messages, 0, all->message_stride);
    uint64_t messages = 1, took;
    for (;;) {
        uint64_t fastest = UINT64_MAX;
        for (int i = 0; i < 3; i++) {
            const uint64_t start = jm_monotonic_ns();
            jm_session_tag(first, messages);
            took = jm_monotonic_ns() - start;
            if (took < fastest) fastest = took;
        }
        if (first->status != JM_OK) return status_of(first->status);
        took = fastest;
        if (took >= JM_SESSION_STRETCH_NS / 4 || messages > UINT64_MAX / 2) break;
        messages *= 2;
    }
    all->shared.stretch_messages = jm_messages_for_window(JM_SESSION_STRETCH_NS, messages, took);
    first->messages = first->bytes = first->next = 0;
    return JM_SESSIONS_OK;
}

static jm_sessions_status make_threads(crowd *all) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return JM_SESSIONS_MEMORY;
    jm_sessions_status status = JM_SESSIONS_OK;
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0) status = JM_SESSIONS_THREAD;
    for (; status == JM_SESSIONS_OK && all->threads < all->request->sessions; all->threads++) {
        jm_session *session = &all->sessions[all->threads];
        if (pthread_create(&session->thread, &attributes, jm_session_main, session) == 0) continue;
        status = JM_SESSIONS_THREAD;
        break;
    }
    pthread_attr_destroy(&attributes);
    return status;
}

typedef struct moment {
    uint64_t ns, ticks;
    jm_machine_cpu cores;
} moment;

static moment now_on(const jm_sessions_request *request) {
    return (moment){jm_monotonic_ns(), jm_ticks(),
                    jm_read_cores_cpu(request->cores, request->core_count)};
}

/* Sleeps until `after_ns` after `from_ns`; shorter where an implementation failed. */
static void sleep_until(const crowd *all, uint64_t from_ns, uint64_t after_ns) {
    const uint64_t step_ns = UINT64_C(50000000), end_ns = from_ns + after_ns;
    for (uint64_t now_ns = jm_monotonic_ns(); now_ns < end_ns; now_ns = jm_monotonic_ns()) {
        if (__atomic_load_n(&all->shared.stop, __ATOMIC_RELAXED)) return;
        const uint64_t left_ns = end_ns - now_ns, nap_ns = left_ns < step_ns ? left_ns : step_ns;
        const struct timespec nap = {.tv_nsec = (long)nap_ns};
        nanosleep(&nap, NULL);
    }
}

static void set_edges(crowd *all) {
    const double rate = jm_ticks_per_ns();
    const uint64_t now = jm_ticks();
    for (unsigned i = 0; i <= JM_SESSION_PARTS; i++) {
        const double part = (double)i / JM_SESSION_PARTS;
        const double after_ns =
            (double)all->request->warm_up_ns + part * (double)all->request->window_ns;
        all->shared.edges[i] = now + (uint64_t)(after_ns * rate);
    }
}

static void tell(const crowd *all, const moment *start, const moment *end,
                 jm_session_counts *counts, uint8_t *tags, jm_sessions_window *window) {
    const size_t tag_bytes = all->request->implementation->output_bytes;
    *window = (jm_sessions_window){
        .ticks_are_tsc = jm_tsc_end() != JM_NO_COUNTER,
        .ticks = all->shared.edges[JM_SESSION_PARTS] - all->shared.edges[0],
        .clock_ns = end->ns - start->ns,
        .clock_ticks = end->ticks - start->ticks,
        .clock_pair_ticks = jm_clock_pair_ticks(),
        .busy_ns = jm_counter_delta(start->cores.busy_ns, end->cores.busy_ns),
        .steal_ns = jm_counter_delta(start->cores.steal_ns, end->cores.steal_ns),
        .stretch_messages = all->shared.stretch_messages,
        .chain_adds = jm_core_chain_adds(),
    };
    for (size_t i = 0; i < all->request->sessions; i++) {
        const jm_session *session = &all->sessions[i];
        counts[i] = session->counts;
        memcpy(tags + i * tag_bytes, session->window.output, tag_bytes);
        for (unsigned part = 0; part < JM_SESSION_PARTS; part++)
            window->part_bytes[part] += session->part_bytes[part];
        for (unsigned bucket = 0; bucket < JM_LATENCY_BUCKETS; bucket++)
            window->latencies[bucket] += session->latencies[bucket];
    }
}

/* The first error of a thread, or a canary or message that was overwritten; else JM_SESSIONS_OK. */
static jm_sessions_status found_wrong(const crowd *all) {
    const jm_implementation *self = all->request->implementation;
    for (size_t i = 0; i < all->request->sessions; i++) {
        const jm_session *session = &all->sessions[i];
        if (session->status != JM_OK) return status_of(session->status);
        const uint8_t *canary = session->window.output + self->output_bytes;
        for (size_t at = 0; at < JM_SESSION_CANARY_BYTES; at++)
            if (canary[at] != JM_SESSION_CANARY) return JM_SESSIONS_OVERRUN;
        for (size_t at = 0; at < session->window.message_bytes; at++)
            if (session->window.message[at] != jm_message_byte(i * JM_SESSION_APART + at))
                return JM_SESSIONS_OVERRUN;
    }
    return JM_SESSIONS_OK;
}

static jm_sessions_status run_threads(crowd *all, moment *start, moment *end) {
    jm_sessions_status status = make_threads(all);
    const bool right_cores = jm_start_all_ready(&all->shared.start, all->threads);
    if (status == JM_SESSIONS_OK && !right_cores) status = JM_SESSIONS_CORES;
    if (status == JM_SESSIONS_OK) set_edges(all);
    jm_start_release(&all->shared.start, status == JM_SESSIONS_OK);
    if (status == JM_SESSIONS_OK) {
        const uint64_t from_ns = jm_monotonic_ns();
        sleep_until(all, from_ns, all->request->warm_up_ns);
        *start = now_on(all->request);
        sleep_until(all, from_ns, all->request->warm_up_ns + all->request->window_ns);
        *end = now_on(all->request);
    }
    for (size_t i = 0; i < all->threads; i++) pthread_join(all->sessions[i].thread, NULL);
    return status == JM_SESSIONS_OK ? found_wrong(all) : status;
}

static void free_all(crowd *all) {
    const jm_implementation *self = all->request->implementation;
    for (size_t i = 0; i < all->keys; i++)
        self->mac->wipe_key(self, all->key_states + i * all->key_state_stride);
    free(all->sessions);
    free(all->key_states);
    free(all->messages);
    free(all->tags);
    jm_start_destroy(&all->shared.start);
}

jm_sessions_status jm_sessions_run(const jm_sessions_request *request, jm_session_counts *counts,
                                   uint8_t *tags, jm_sessions_window *window) {
    if (!makes_sense(request)) return JM_SESSIONS_NONSENSE;
    crowd all = {.request = request};
    all.shared.request = request;
    all.shared.run = jm_window_for(request->implementation, false, false, false);
    jm_start_init(&all.shared.start);
    moment start = {0}, end = {0};
    jm_sessions_status status = allocate(&all);
    if (status == JM_SESSIONS_OK) status = set_keys(&all);
    if (status == JM_SESSIONS_OK) status = find_stretch(&all);
    if (status == JM_SESSIONS_OK) status = run_threads(&all, &start, &end);
    if (status == JM_SESSIONS_OK) tell(&all, &start, &end, counts, tags, window);
    free_all(&all);
    return status;
}
