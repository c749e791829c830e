/* SPDX-License-Identifier: Apache-2.0
 *
 * Many sessions that authenticate messages at once: a thread for each, with a separate key, message
 * and tag, all on one set of cores. It knows no statistics: counters and counts come back as they
 * were read.
 *
 * A MAC with nonces gets another one for each message of a session, counted up and set by the
 * session, as a sender has to do.
 *
 * All threads start together. The measurement window [t1, t2] lies within the run, by one clock for
 * all: a session's counters are read at its first pause for the clock at or after t1, and again at
 * or after t2. A session that waits for its turn at t1 has done as much then as when it goes on,
 * so what all sessions did within the window is known to one stretch of messages for each.
 *
 * The clock is read twice in a stretch of about JM_SESSION_STRETCH_NS: before and after its last
 * message, whose latency is counted. So one message in every `stretch_messages` is timed by itself,
 * and reading costs less than 1 % of the time however short messages are.
 */
#ifndef JM_SESSIONS_H
#define JM_SESSIONS_H

#include "joulemark/kernel.h"
#include "latency_buckets.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JM_SESSIONS_MAX 1000u
#define JM_SESSION_APART 64u
#define JM_SESSION_PARTS 8u
#define JM_SESSION_STRETCH_NS UINT64_C(20000)
/* Sessions, from the first, that run the clock probe of core_chain.c before t1 and after t2. */
#define JM_SESSIONS_PROBED 8u

typedef struct jm_sessions_request {
    const jm_implementation *implementation; /* a MAC */
    const uint8_t *keys; /* one for each session, one after the other; not copied */
    size_t key_bytes;
    size_t sessions;       /* 1 to JM_SESSIONS_MAX */
    const size_t *lengths; /* of messages in turn, in bytes; the same cycle in every session */
    size_t length_count;   /* at least 1 */
    const int *cores;      /* that every session may run on */
    size_t core_count;     /* at least 1 */
    uint64_t warm_up_ns;   /* from the start to t1 */
    uint64_t window_ns;    /* from t1 to t2, at least 1 */
} jm_sessions_request;

/* Of one session between its two readings. JM_NO_COUNTER where there is no such counter. */
typedef struct jm_session_counts {
    uint64_t messages;
    uint64_t bytes;
    uint64_t wall_ns;
    uint64_t thread_cpu_ns;
    uint64_t ticks;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches; /* preemptions */
    uint64_t migrations; /* changes of the core as seen at the end of stretches: at least so many */
    uint64_t chain_ticks_before; /* JM_NO_COUNTER unless it is one of the probed */
    uint64_t chain_ticks_after;
    uint64_t last_bytes; /* length of the message whose tag is left */
    uint64_t last_nonce; /* its nonce, counted up from 0 in the first bytes; 0 without nonces */
} jm_session_counts;

/* Of all sessions. */
typedef struct jm_sessions_window {
    bool ticks_are_tsc; /* else they are ns */
    uint64_t ticks;     /* t2 - t1 */
    uint64_t clock_ns;  /* between two readings of the clocks at about t1 and t2, */
    uint64_t clock_ticks;
    uint64_t clock_pair_ticks; /* two readings with nothing between: the least */
    uint64_t busy_ns;          /* of the cores together, between these readings; by the */
    uint64_t steal_ns;         /* kernel's scheduler ticks */
    uint64_t stretch_messages; /* one of so many is timed by itself */
    uint64_t chain_adds;       /* of a probe */
    uint64_t part_bytes[JM_SESSION_PARTS];  /* in equal parts of the window */
    uint64_t latencies[JM_LATENCY_BUCKETS]; /* by ticks */
} jm_sessions_window;

typedef enum jm_sessions_status {
    JM_SESSIONS_OK = 0,
    JM_SESSIONS_MEMORY,   /* not enough memory for messages, keys and counts */
    JM_SESSIONS_KEY,      /* the implementation refused a key */
    JM_SESSIONS_REFUSED,  /* the implementation returned an error while running */
    JM_SESSIONS_LENGTH,   /* the implementation does not take messages of this length */
    JM_SESSIONS_THREAD,   /* the kernel gives no more threads */
    JM_SESSIONS_CORES,    /* the threads may not run on all of these cores */
    JM_SESSIONS_OVERRUN,  /* the implementation wrote outside its output, or into its message */
    JM_SESSIONS_NONSENSE, /* a request that breaks the rules beside its fields */
} jm_sessions_status;

/* Runs all sessions, from their start to their end; every thread has ended when it returns.
 * `counts` has room for each session, `tags` for output_bytes of each: the last it made. After an
 * error they mean nothing. The messages of session i, counted from 0, are the bytes of the
 * harness's stream from byte i * JM_SESSION_APART on. */
jm_sessions_status jm_sessions_run(const jm_sessions_request *request, jm_session_counts *counts,
                                   uint8_t *tags, jm_sessions_window *window);

#ifdef __cplusplus
}
#endif
#endif
