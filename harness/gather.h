/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of many sessions that are gathered into batches: on each core a gatherer, which waits
 * until so many messages have arrived or the oldest has waited long enough, and then tags them in
 * one call, each under its session's key. It knows no statistics: counts come back as they were
 * made.
 *
 * Messages arrive by a schedule that the caller gives, whether the gatherer keeps up or not; so a
 * message that had to wait while another batch was tagged has that wait in its latency. A session
 * belongs to one gatherer, as a connection to a queue of a network card. While a gatherer waits it
 * looks at the clock without sleeping; what it spends on a batch, from the look at which the batch
 * was due until its last tag is there, is counted apart from its waiting.
 */
#ifndef JM_GATHER_H
#define JM_GATHER_H

#include "sessions.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JM_GATHER_BATCH_MAX 1024u
#define JM_GATHER_PARTS 128u
#define JM_GATHER_ARRIVALS_MAX 65536u

typedef struct jm_gather_request {
    const jm_implementation *implementation; /* a MAC; one without tag_batch tags one by one */
    const uint8_t *keys; /* one for each session, one after the other; not copied */
    size_t key_bytes;
    size_t sessions;         /* core_count to JM_SESSIONS_MAX */
    const size_t *lengths;   /* of messages in turn, in bytes */
    size_t length_count;     /* at least 1 */
    const uint64_t *gaps_ps; /* between arrivals at one gatherer, in turn, not all 0; NULL: messages
                                always wait */
    const uint32_t
        *senders;        /* of messages in turn: of a gatherer's n sessions, this number mod n */
    size_t arrivals;     /* gaps and senders: batch_most to JM_GATHER_ARRIVALS_MAX */
    size_t batch_most;   /* messages gathered at most, 1 to JM_GATHER_BATCH_MAX */
    uint64_t wait_ns;    /* of the oldest message at most, before its batch is begun; 0: a batch
                            is what waits when the gatherer is free */
    const int *cores;    /* a gatherer on each */
    size_t core_count;   /* at least 1 */
    uint64_t warm_up_ns; /* from the start to t1 */
    uint64_t window_ns;  /* from t1 to t2, at least 1 */
} jm_gather_request;

/* Of one gatherer between the ends of the first batches after t1 and after t2. JM_NO_COUNTER where
 * there is no such counter. */
typedef struct jm_gather_counts {
    uint64_t messages;
    uint64_t bytes;
    uint64_t batches;
    uint64_t busy_ticks; /* spent on batches, interruptions included */
    uint64_t ticks;
    uint64_t wall_ns;
    uint64_t thread_cpu_ns;
    uint64_t involuntary_switches;
    uint64_t backlog_before; /* messages that had arrived and were not tagged, at the beginning */
    uint64_t backlog_after;  /* and at the end */
} jm_gather_counts;

/* A message of the last batch of a gatherer, whose tag is left. */
typedef struct jm_gather_last {
    uint32_t session;
    size_t message_bytes;
    uint64_t nonce; /* as jm_session_counts.last_nonce */
} jm_gather_last;

/* Of all gatherers. Latency: from the arrival of a message until the tags of its batch are there;
 * where messages always wait, from the look at which the batch was begun. */
typedef struct jm_gather_window {
    bool ticks_are_tsc; /* else they are ns */
    double ticks_per_ns;
    uint64_t clock_pair_ticks;
    uint64_t busy_ns;  /* of the cores together, with these gatherers or others */
    uint64_t steal_ns; /* by the kernel's scheduler ticks, as busy_ns */
    uint64_t latencies[JM_LATENCY_BUCKETS]; /* by ticks, every message of the window */
    /* In equal parts of the window, so that an interruption spoils one of them. */
    uint64_t part_messages[JM_GATHER_PARTS];
    uint64_t part_batches[JM_GATHER_PARTS];
    uint64_t part_busy_ticks[JM_GATHER_PARTS];
} jm_gather_window;

/* Runs all gatherers, from their start to their end; every thread has ended when it returns.
 * `counts` and `last_counts` have room for each core, `last` and `tags` for batch_most of each:
 * the messages and tags of its last batch, of which there are last_counts[core]. After an error
 * they mean nothing. Messages are those of jm_sessions_run. Errors: as there. */
jm_sessions_status jm_gather_run(const jm_gather_request *request, jm_gather_counts *counts,
                                 size_t *last_counts, jm_gather_last *last, uint8_t *tags,
                                 jm_gather_window *window);

#ifdef __cplusplus
}
#endif
#endif
