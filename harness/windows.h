/* SPDX-License-Identifier: Apache-2.0
 * The innermost loops: one function per kind of work x order of messages. Private to harness/. */
#ifndef JM_WINDOWS_H
#define JM_WINDOWS_H

#include "joulemark/kernel.h"

/* All memory that a window touches. Only scattered windows use `offsets` (bytes from `message`). */
typedef struct jm_window {
    const jm_implementation *self;
    void *key_state;
    void *fresh_state;
    const uint8_t *key;
    size_t key_bytes;
    const uint8_t *message;
    size_t message_bytes;
    const uint64_t *offsets;
    uint8_t *output; /* at least 8 readable bytes */
    uint8_t *nonce;  /* self->nonce_bytes, counted up with each message; NULL: no nonces */
} jm_window;

/* Counts the nonce up in its first bytes, as a sender does, and sets it. For a window that has a
 * nonce. */
static inline jm_status jm_next_nonce(const jm_window *w, void *key_state) {
    for (size_t i = 0; i < w->self->nonce_bytes && ++w->nonce[i] == 0; i++) continue;
    return w->self->mac->set_nonce(w->self, key_state, w->nonce, w->self->nonce_bytes);
}

/* Runs `messages` messages; for a scattered window at most as many as there are offsets. Returns
 * the OR of the jm_status of every call. */
typedef unsigned (*jm_window_function)(const jm_window *window, uint64_t messages);

/* The window for this work; never NULL. fresh_key must be false for a hash. */
jm_window_function jm_window_for(const jm_implementation *self, bool fresh_key, bool latency,
                                 bool scattered);

/* Runs the same loop with no work and no call in it: the cost of the loop alone. */
unsigned jm_window_without_call(const jm_window *window, uint64_t messages);

#endif
