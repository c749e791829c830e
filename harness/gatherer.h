/* SPDX-License-Identifier: Apache-2.0
 * The state of one gatherer's thread and the state that all share. Private to gatherer.c and
 * gather.c. */
#ifndef JM_GATHERER_H
#define JM_GATHERER_H

#include "gather.h"
#include "start.h"
#include "ticks.h"

#define JM_GATHER_CANARY_BYTES 64u
#define JM_GATHER_CANARY 0x5a

/* State that the threads of one run share. Written before the start, but for `start` and `stop`. */
typedef struct jm_gathering {
    const jm_gather_request *request;
    uint8_t *key_states, *messages; /* of all sessions */
    size_t key_state_stride, message_stride;
    uint8_t *nonces;         /* UINT8_MAX bytes for each session; NULL: the MAC takes no nonce */
    uint64_t *arrival_ticks; /* arrivals of one cycle, from its start; NULL: messages always wait */
    uint64_t cycle_ticks;
    uint64_t wait_ticks;
    uint64_t begin, t1, t2, part_ticks;
    jm_start start;
    int stop; /* atomic; 1 after the implementation failed in any thread */
} jm_gathering;

/* Aligned to cache lines, so that no two gatherers write into one line. */
typedef struct __attribute__((aligned(64))) jm_gatherer {
    jm_gathering *shared;
    size_t number; /* index of its core; its sessions are number, number + core_count, ... */
    size_t place;  /* index of the next message in the cycle of arrivals */
    uint64_t base; /* the clock at the beginning of that cycle */
    size_t length; /* index of the next message in the cycle of lengths */
    jm_gather_counts total; /* since the start: messages, bytes, batches and busy_ticks */
    jm_gather_counts counts;
    unsigned status;
    bool in_window;
    jm_mac_message *list; /* the batch; batch_most entries, as `last` and `arrived` */
    jm_gather_last *last; /* session, length and nonce of each message of the batch */
    uint64_t *arrived;    /* arrivals in ticks */
    size_t gathered;      /* messages of the batch */
    uint8_t *tags;        /* for each message a slot and its canary */
    size_t tag_stride;
    uint64_t latencies[JM_LATENCY_BUCKETS];
    uint64_t part_messages[JM_GATHER_PARTS];
    uint64_t part_batches[JM_GATHER_PARTS];
    uint64_t part_busy_ticks[JM_GATHER_PARTS];
    pthread_t thread;
} jm_gatherer;

/* The thread's function: waits for the start, gathers and tags until t2. */
void *jm_gatherer_main(void *gatherer);

#endif
