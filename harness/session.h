/* SPDX-License-Identifier: Apache-2.0
 * The state of one session's thread and the state that all threads share. Private to session.c and
 * sessions.c. */
#ifndef JM_SESSION_H
#define JM_SESSION_H

#include <pthread.h>

#include "sessions.h"
#include "start.h"
#include "ticks.h"
#include "windows.h"

#define JM_SESSION_CANARY_BYTES 64u
#define JM_SESSION_CANARY 0x5a

/* State that the threads of one run share. Written before the start, but for `start` and `stop`. */
typedef struct jm_shared {
    const jm_sessions_request *request;
    jm_window_function run; /* for messages of one length */
    uint64_t stretch_messages;
    uint64_t edges[JM_SESSION_PARTS + 1]; /* in ticks: t1, the ends of the parts, t2 */
    jm_start start;
    int stop; /* atomic; 1 after the implementation failed in any thread */
} jm_shared;

/* Aligned to cache lines, so that no two sessions write into one line. */
typedef struct __attribute__((aligned(64))) jm_session {
    jm_shared *shared;
    size_t number;
    jm_window window; /* key state, message, tag and nonce */
    size_t next;      /* index of the next message in the cycle of lengths */
    uint64_t bytes;   /* since the start, like `messages` */
    uint64_t messages;
    unsigned status;
    int core;
    bool in_window;
    jm_session_counts counts;
    uint8_t nonce[UINT8_MAX]; /* the last nonce set, for a MAC with nonces */
    uint64_t part_bytes[JM_SESSION_PARTS];
    uint32_t latencies[JM_LATENCY_BUCKETS];
    pthread_t thread;
} jm_session;

/* Tags the next `messages` messages of the cycle. Errors are collected in `status`. */
void jm_session_tag(jm_session *session, uint64_t messages);

/* The thread's function: writes its message, waits for the start, tags until t2. */
void *jm_session_main(void *session);

#endif
