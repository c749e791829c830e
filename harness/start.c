/* SPDX-License-Identifier: Apache-2.0
 * Threads that begin together. */
#define _GNU_SOURCE
#include "start.h"

#include <sched.h>

void jm_start_init(jm_start *start) {
    *start = (jm_start){.ready = 0};
    pthread_mutex_init(&start->lock, NULL);
    pthread_cond_init(&start->changed, NULL);
}

void jm_start_destroy(jm_start *start) {
    pthread_mutex_destroy(&start->lock);
    pthread_cond_destroy(&start->changed);
}

bool jm_start_wait(jm_start *start, bool right_cores) {
    pthread_mutex_lock(&start->lock);
    start->ready++;
    if (!right_cores) start->wrong_cores = true;
    pthread_cond_broadcast(&start->changed);
    while (!start->started && !start->given_up) pthread_cond_wait(&start->changed, &start->lock);
    const bool started = start->started;
    pthread_mutex_unlock(&start->lock);
    return started;
}

bool jm_start_all_ready(jm_start *start, size_t threads) {
    pthread_mutex_lock(&start->lock);
    while (start->ready < threads) pthread_cond_wait(&start->changed, &start->lock);
    const bool right = !start->wrong_cores;
    pthread_mutex_unlock(&start->lock);
    return right;
}

void jm_start_release(jm_start *start, bool go) {
    pthread_mutex_lock(&start->lock);
    start->started = go;
    start->given_up = !go;
    pthread_cond_broadcast(&start->changed);
    pthread_mutex_unlock(&start->lock);
}

bool jm_start_on_cores(const int *cores, size_t core_count) {
    cpu_set_t asked, allowed;
    CPU_ZERO(&asked);
    for (size_t i = 0; i < core_count; i++) CPU_SET((size_t)cores[i], &asked);
    if (sched_setaffinity(0, sizeof asked, &asked) != 0) return false;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
    return CPU_EQUAL(&asked, &allowed);
}
