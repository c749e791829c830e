/* SPDX-License-Identifier: Apache-2.0
 * Threads that begin together, or not at all: each makes itself ready and waits; the thread that
 * created them releases all, or has all end. Private to harness/. */
#ifndef JM_START_H
#define JM_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Only the functions below read and write the fields; `lock` guards them. */
typedef struct jm_start {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t ready;     /* number of threads that wait */
    bool wrong_cores; /* a thread may not run on exactly its requested cores */
    bool started, given_up;
} jm_start;

void jm_start_init(jm_start *start);
void jm_start_destroy(jm_start *start);

/* For a thread: waits; true if it is to begin. The thread then sees every write that came before
 * jm_start_release. */
bool jm_start_wait(jm_start *start, bool right_cores);

/* For the creator: waits until `threads` threads wait; true if all may run on exactly the cores
 * requested for them. */
bool jm_start_all_ready(jm_start *start, size_t threads);

/* For the creator: has all waiting threads begin (`go`), or end. */
void jm_start_release(jm_start *start, bool go);

/* Binds the calling thread to these cores, each below CPU_SETSIZE; false if it may not run on
 * exactly them. The thread does so itself, since musl's attributes of threads have no cores. */
bool jm_start_on_cores(const int *cores, size_t core_count);

#endif
