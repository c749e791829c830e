/* SPDX-License-Identifier: Apache-2.0
 * One session: what its thread owns, and what all threads share. Private to session.c and
 * sessions.c. */
#ifndef JM_SESSION_H
#define JM_SESSION_H

#include <pthread.h>

#include "clock/clock.h"
#include "sessions.h"
#include "windows.h"

#define JM_SESSION_CANARY_BYTES 64u
#define JM_SESSION_CANARY 0x5a

/* What the threads of one run share. Written before the start, but for what the lock guards and
 * for `stop`. */
typedef struct jm_shared {
    const jm_sessions_request *request;
    jm_window_function run; /* for messages of one length */
    uint64_t stretch_messages;
    uint64_t edges[JM_SESSION_PARTS + 1]; /* in ticks: t1, the ends of the parts, t2 */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t ready;  /* threads that wait for the start */
    bool started;  /* edges are set */
    bool given_up; /* there will be no start */
    bool wrong_cores;
    int stop; /* atomic: somebody's implementation failed */
} jm_shared;

/* Lines of its own, so that no two sessions write into one. */
typedef struct __attribute__((aligned(64))) jm_session {
    jm_shared *shared;
    size_t number;
    jm_window window; /* key state, message and tag */
    size_t next;      /* of the cycle of lengths */
    uint64_t bytes;   /* since the start, like `messages` */
    uint64_t messages;
    unsigned status;
    int core;
    bool in_window;
    jm_session_counts counts;
    uint64_t part_bytes[JM_SESSION_PARTS];
    uint32_t latencies[JM_LATENCY_BUCKETS];
    pthread_t thread;
} jm_session;

/* TSC ticks, or ns where there is no TSC. */
static inline uint64_t jm_session_ticks(void) {
    const uint64_t ticks = jm_tsc_end();
    return ticks == JM_NO_COUNTER ? jm_monotonic_ns() : ticks;
}

/* Runs `messages` of the cycle. Errors are collected in `status`. */
void jm_session_tag(jm_session *session, uint64_t messages);

/* The thread: writes its message, waits for the start, works until t2. */
void *jm_session_main(void *session);

#endif
