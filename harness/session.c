/* SPDX-License-Identifier: Apache-2.0
 * The thread of a session: tags messages and counts them in the window. */
#define _GNU_SOURCE
#include "session.h"

#include <sched.h>
#include <string.h>

#include "arith.h"
#include "common/words.h"
#include "loop.h"

#define CHAIN_REPEATS 5u

void jm_session_tag(jm_session *session, uint64_t messages) {
    const jm_sessions_request *request = session->shared->request;
    jm_window *const w = &session->window;
    session->messages += messages;
    if (request->length_count == 1) {
        session->status |= session->shared->run(w, messages);
        session->bytes += messages * w->message_bytes;
        return;
    }
    const jm_mac_functions mac = *w->self->mac;
    unsigned status = 0;
    uint64_t bytes = 0;
    size_t next = session->next;
    for (uint64_t i = 0; i < messages; i++) {
        w->message_bytes = request->lengths[next];
        next = next + 1 == request->length_count ? 0 : next + 1;
        if (w->nonce) status |= jm_next_nonce(w, w->key_state);
        status |= mac.tag(w->self, w->key_state, w->message, w->message_bytes, w->output);
        bytes += w->message_bytes;
    }
    session->next = next;
    session->bytes += bytes;
    session->status |= status;
}

/* The thread that will use the pages touches them first. */
static void write_buffers(jm_session *session, size_t message_bytes) {
    jm_window *const w = &session->window;
    uint8_t *const message = (uint8_t *)(uintptr_t)w->message;
    for (size_t i = 0; i < message_bytes; i++)
        message[i] = jm_message_byte(session->number * JM_SESSION_APART + i);
    memset(w->output, 0, w->self->output_bytes);
    memset(w->output + w->self->output_bytes, JM_SESSION_CANARY, JM_SESSION_CANARY_BYTES);
    memset(session->latencies, 0, sizeof session->latencies);
}

/* Reads the counters; the caller reports the difference of two readings. */
static void read_counters(jm_session *session, jm_session_counts *now, uint64_t ticks) {
    const jm_context_switches switches = jm_read_context_switches();
    now->wall_ns = jm_monotonic_ns();
    now->thread_cpu_ns = jm_thread_cpu_ns();
    now->ticks = ticks;
    now->voluntary_switches = switches.voluntary;
    now->involuntary_switches = switches.involuntary;
    now->messages = session->messages;
    now->bytes = session->bytes;
}

static uint64_t probe(const jm_session *session) {
    return session->number < JM_SESSIONS_PROBED ? jm_core_chain_ticks(CHAIN_REPEATS)
                                                : JM_NO_COUNTER;
}

static void begin_window(jm_session *session) {
    session->counts.chain_ticks_before = probe(session);
    session->core = sched_getcpu();
    session->in_window = true;
    read_counters(session, &session->counts, jm_ticks());
}

static void end_window(jm_session *session, uint64_t ticks) {
    jm_session_counts *const counts = &session->counts;
    const jm_session_counts start = *counts;
    read_counters(session, counts, ticks);
    counts->messages -= start.messages;
    counts->bytes -= start.bytes;
    counts->wall_ns = jm_counter_delta(start.wall_ns, counts->wall_ns);
    counts->thread_cpu_ns = jm_counter_delta(start.thread_cpu_ns, counts->thread_cpu_ns);
    counts->ticks = jm_counter_delta(start.ticks, counts->ticks);
    counts->voluntary_switches -= start.voluntary_switches;
    counts->involuntary_switches -= start.involuntary_switches;
    counts->chain_ticks_after = probe(session);
}

/* Runs one stretch and times its last message alone. Returns the clock after that message. */
static uint64_t stretch(jm_session *session) {
    jm_session_tag(session, session->shared->stretch_messages - 1);
    const uint64_t before = jm_ticks();
    jm_session_tag(session, 1);
    const uint64_t now = jm_ticks();
    const int core = sched_getcpu();
    if (session->in_window) {
        session->latencies[jm_latency_bucket(now - before)]++;
        session->counts.migrations += core != session->core;
    }
    session->core = core;
    return now;
}

static void work(jm_session *session) {
    const jm_shared *shared = session->shared;
    const int *stop = &shared->stop;
    uint64_t counted = 0; /* bytes at the last edge */
    unsigned edge = 0;
    while (edge <= JM_SESSION_PARTS) {
        const uint64_t now = stretch(session);
        if (session->status != JM_OK) __atomic_store_n(&session->shared->stop, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(stop, __ATOMIC_RELAXED)) return;
        for (; edge <= JM_SESSION_PARTS && now >= shared->edges[edge]; edge++) {
            if (edge == 0) {
                begin_window(session);
            } else {
                session->part_bytes[edge - 1] = session->bytes - counted;
                if (edge == JM_SESSION_PARTS) end_window(session, now);
            }
            counted = session->bytes;
        }
    }
}

void *jm_session_main(void *argument) {
    jm_session *session = argument;
    const jm_sessions_request *request = session->shared->request;
    const bool right_cores = jm_start_on_cores(request->cores, request->core_count);
    size_t longest = 0;
    for (size_t i = 0; i < request->length_count; i++)
        if (request->lengths[i] > longest) longest = request->lengths[i];
    write_buffers(session, longest);
    if (jm_start_wait(&session->shared->start, right_cores)) work(session);
    session->counts.last_bytes = session->window.message_bytes;
    session->counts.last_nonce = load_le64(session->nonce);
    return NULL;
}
