/* SPDX-License-Identifier: Apache-2.0
 * Threads that begin together, or not at all: each makes itself ready and waits; the one that made
 * them lets all go, or sends all home. Private to harness/. */
#ifndef JM_START_H
#define JM_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What the lock guards is read and written by the functions below alone. */
typedef struct jm_start {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t ready;     /* threads that wait */
    bool wrong_cores; /* one of them may not run where it was asked to */
    bool started, given_up;
} jm_start;

void jm_start_init(jm_start *start);
void jm_start_destroy(jm_start *start);

/* In a thread: waits; true if there is a start. What was written before jm_start_release is then
 * seen. */
bool jm_start_wait(jm_start *start, bool right_cores);

/* In the maker: waits until so many threads wait; true if all are on the cores they were asked for.
 */
bool jm_start_all_ready(jm_start *start, size_t threads);

/* In the maker: lets all go, or sends them home. */
void jm_start_release(jm_start *start, bool go);

/* True if the calling thread may run on exactly these cores. */
bool jm_start_on_cores(const int *cores, size_t core_count);

#endif
