/* SPDX-License-Identifier: Apache-2.0
 *
 * Many sessions that authenticate messages at once: a thread for each, with a separate key, message
 * and tag, all on one set of cores. No statistics are computed here: counters and counts are
 * returned as they were read.
 *
 * A MAC with nonces gets another nonce for each message of a session. The session counts the nonce
 * up and sets it, as a sender has to do.
 *
 * All threads start together. The measurement window [t1, t2] lies within the run, by one clock for
 * all: a session's counters are read at its first reading of the clock at or after t1, and again at
 * or after t2. A session that waits for its turn at t1 does no work until it goes on, so the work
 * of all sessions within the window is known to one stretch of messages for each session.
 *
 * The clock is read twice in a stretch of about JM_SESSION_STRETCH_NS: before and after its last
 * message, whose latency is counted. One message in every `stretch_messages` is thus timed alone,
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
    const uint8_t *keys; /* a key for each session, one after the other; not copied */
    size_t key_bytes;
    size_t sessions;       /* 1 to JM_SESSIONS_MAX */
    const size_t *lengths; /* of the messages in turn, in bytes; the same cycle in every session */
    size_t length_count;   /* at least 1 */
    const int *cores;      /* cores that every session may run on */
    size_t core_count;     /* at least 1 */
    uint64_t warm_up_ns;   /* from the start to t1 */
    uint64_t window_ns;    /* from t1 to t2, at least 1 */
} jm_sessions_request;

/* Counts of one session between its two readings. JM_NO_COUNTER where the machine lacks the
 * counter. */
typedef struct jm_session_counts {
    uint64_t messages;
    uint64_t bytes;
    uint64_t wall_ns;
    uint64_t thread_cpu_ns;
    uint64_t ticks;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches; /* preemptions */
    uint64_t migrations; /* changes of the core seen at the ends of stretches: a lower bound */
    uint64_t chain_ticks_before; /* JM_NO_COUNTER in a session that is not probed */
    uint64_t chain_ticks_after;
    uint64_t last_bytes; /* length of the last message, whose tag is still in memory */
    uint64_t last_nonce; /* its nonce, counted up from 0 in the first bytes; 0 without nonces */
} jm_session_counts;

/* Counts of all sessions. */
typedef struct jm_sessions_window {
    bool ticks_are_tsc; /* else they are ns */
    uint64_t ticks;     /* t2 - t1 */
    uint64_t clock_ns;  /* between two readings of the clocks at about t1 and t2 */
    uint64_t clock_ticks;
    uint64_t clock_pair_ticks; /* least time between two readings with nothing between */
    uint64_t busy_ns;  /* of all cores together, between the readings, by the scheduler's ticks */
    uint64_t steal_ns; /* the same for steal time */
    uint64_t stretch_messages; /* messages of a stretch, of which the last is timed alone */
    uint64_t chain_adds;       /* additions of a probe */
    uint64_t part_bytes[JM_SESSION_PARTS];  /* bytes in equal parts of the window */
    uint64_t latencies[JM_LATENCY_BUCKETS]; /* in ticks */
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
    JM_SESSIONS_NONSENSE, /* the request breaks a rule stated beside its fields */
} jm_sessions_status;

/* Runs all sessions, from their start to their end; every thread has ended on return. `counts` has
 * an entry for each session, `tags` output_bytes for the last tag of each. After an error both are
 * undefined. The messages of session i, counted from 0, are the bytes of the harness's stream from
 * byte i * JM_SESSION_APART on. */
jm_sessions_status jm_sessions_run(const jm_sessions_request *request, jm_session_counts *counts,
                                   uint8_t *tags, jm_sessions_window *window);

#ifdef __cplusplus
}
#endif
#endif
