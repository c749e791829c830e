/* SPDX-License-Identifier: Apache-2.0
 * One gatherer: what its thread owns, and what all share. Private to gatherer.c and gather.c. */
#ifndef JM_GATHERER_H
#define JM_GATHERER_H

#include "gather.h"
#include "start.h"
#include "ticks.h"

#define JM_GATHER_CANARY_BYTES 64u
#define JM_GATHER_CANARY 0x5a

/* What the threads of one run share. Written before the start, but for `start` and `stop`. */
typedef struct jm_gathering {
    const jm_gather_request *request;
    uint8_t *key_states, *messages; /* of all sessions */
    size_t key_state_stride, message_stride;
    uint8_t *nonces;         /* UINT8_MAX of each session; NULL: the MAC takes none */
    uint64_t *arrival_ticks; /* of one cycle, from its beginning; NULL: messages always wait */
    uint64_t cycle_ticks;
    uint64_t wait_ticks;
    uint64_t begin, t1, t2, part_ticks;
    jm_start start;
    int stop; /* atomic: somebody's implementation failed */
} jm_gathering;

/* Lines of its own, so that no two gatherers write into one. */
typedef struct __attribute__((aligned(64))) jm_gatherer {
    jm_gathering *shared;
    size_t number;          /* of its core; its sessions are number, number + core_count, ... */
    size_t place;           /* of the next message in the cycle of arrivals */
    uint64_t base;          /* the clock at the beginning of that cycle */
    size_t length;          /* of the next message in the cycle of lengths */
    jm_gather_counts total; /* since the start: messages, bytes, batches and busy_ticks */
    jm_gather_counts counts;
    unsigned status;
    bool in_window;
    jm_mac_message *list; /* the batch, batch_most */
    jm_gather_last *last; /* what its messages are */
    uint64_t *arrived;    /* by the clock */
    size_t gathered;      /* messages of the batch */
    uint8_t *tags;        /* a slot and its canary for each */
    size_t tag_stride;
    uint64_t latencies[JM_LATENCY_BUCKETS];
    uint64_t part_messages[JM_GATHER_PARTS];
    uint64_t part_batches[JM_GATHER_PARTS];
    uint64_t part_busy_ticks[JM_GATHER_PARTS];
    pthread_t thread;
} jm_gatherer;

/* The thread: waits for the start, works until t2. */
void *jm_gatherer_main(void *gatherer);

#endif
