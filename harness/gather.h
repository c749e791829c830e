/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathers messages of many sessions into batches. On each core a gatherer waits until batch_most
 * messages have arrived or the oldest has waited for wait_ns, and then tags them in one call, each
 * under its session's key. No statistics are computed here: counts are returned as they were
 * counted.
 *
 * Messages arrive by a schedule that the caller gives, whether the gatherer keeps up or not; if a
 * message has to wait while another batch is tagged, its latency includes that wait. A session
 * belongs to one gatherer, as a connection belongs to one queue of a network card. While a gatherer
 * waits, it reads the clock again and again without sleeping. The time that it spends on a batch,
 * from the reading at which the batch was due to the last tag, is counted apart from its waiting.
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
    const jm_implementation *implementation; /* a MAC; without tag_batch it tags one by one */
    const uint8_t *keys; /* a key for each session, one after the other; not copied */
    size_t key_bytes;
    size_t sessions;         /* core_count to JM_SESSIONS_MAX */
    const size_t *lengths;   /* lengths of the messages in turn, in bytes */
    size_t length_count;     /* at least 1 */
    const uint64_t *gaps_ps; /* between arrivals at one gatherer, in turn, not all 0; NULL: messages
                                always wait */
    const uint32_t *senders; /* senders of the messages in turn: session (number mod n) of a
                                gatherer's n sessions */
    size_t arrivals;     /* number of gaps and of senders: batch_most to JM_GATHER_ARRIVALS_MAX */
    size_t batch_most;   /* most messages of a batch, 1 to JM_GATHER_BATCH_MAX */
    uint64_t wait_ns;    /* longest wait of the oldest message before its batch begins; 0: a batch
                            is the messages that wait when the gatherer is free */
    const int *cores;    /* each core runs one gatherer */
    size_t core_count;   /* at least 1 */
    uint64_t warm_up_ns; /* from the start to t1 */
    uint64_t window_ns;  /* from t1 to t2, at least 1 */
} jm_gather_request;

/* Counts of one gatherer between the ends of the first batches after t1 and after t2. JM_NO_COUNTER
 * where the machine lacks the counter. */
typedef struct jm_gather_counts {
    uint64_t messages;
    uint64_t bytes;
    uint64_t batches;
    uint64_t busy_ticks; /* spent on batches, interruptions included */
    uint64_t ticks;
    uint64_t wall_ns;
    uint64_t thread_cpu_ns;
    uint64_t involuntary_switches;
    uint64_t backlog_before; /* messages that had arrived and were not tagged at the beginning */
    uint64_t backlog_after;  /* the same at the end */
} jm_gather_counts;

/* A message of a gatherer's last batch; its tag is still in memory. */
typedef struct jm_gather_last {
    uint32_t session;
    size_t message_bytes;
    uint64_t nonce; /* as jm_session_counts.last_nonce */
} jm_gather_last;

/* Counts of all gatherers. Latency lasts from the arrival of a message until all tags of its batch
 * are made; where messages always wait, from the clock reading at which the batch was begun. */
typedef struct jm_gather_window {
    bool ticks_are_tsc; /* else they are ns */
    double ticks_per_ns;
    uint64_t clock_pair_ticks;
    uint64_t busy_ns;  /* busy time of all cores together, with these gatherers or other threads */
    uint64_t steal_ns; /* by the kernel's scheduler ticks, as busy_ns */
    uint64_t latencies[JM_LATENCY_BUCKETS]; /* in ticks, of every message of the window */
    /* Counts in equal parts of the window, so that an interruption spoils one part. */
    uint64_t part_messages[JM_GATHER_PARTS];
    uint64_t part_batches[JM_GATHER_PARTS];
    uint64_t part_busy_ticks[JM_GATHER_PARTS];
} jm_gather_window;

/* Runs all gatherers, from their start to their end; every thread has ended on return. `counts` and
 * `last_counts` have an entry for each core; `last` and `tags` have batch_most entries for each
 * core, of which the first last_counts[core] hold the messages and tags of its last batch. After an
 * error all four are undefined. Messages and errors are those of jm_sessions_run. */
jm_sessions_status jm_gather_run(const jm_gather_request *request, jm_gather_counts *counts,
                                 size_t *last_counts, jm_gather_last *last, uint8_t *tags,
                                 jm_gather_window *window);

#ifdef __cplusplus
}
#endif
#endif
