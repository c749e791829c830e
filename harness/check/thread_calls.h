/* SPDX-License-Identifier: Apache-2.0
 * The calls, of all kinds, that each of two threads makes with its own states, key and messages.
 * Private to run_threads.c. */
#ifndef JM_CHECK_THREAD_CALLS_H
#define JM_CHECK_THREAD_CALLS_H

#include <pthread.h>
#include <string.h>

#include "case_parts.h"

#define STATES 4u /* of a thread: its key, a copy or another set-up of it, a stream, one more */
#define BATCH_MESSAGES 3u
#define KINDS 5u /* of calls; see `call` */

typedef struct thread {
    jm_checker *checker;
    size_t number;
    uint64_t calls;
    bool wrong;
    pthread_t first; /* of the second thread: whom it stops */
    jm_finding finding;
    uint8_t outputs[BATCH_MESSAGES][JM_THREAD_BYTES];
} thread;

static inline uint8_t *state_of(const thread *t, size_t index) {
    return jm_state_at(t->checker, STATES * t->number + index);
}

/* The message of a part; parts start at all places of 16 bytes, and both threads at different ones,
 * so that their messages differ. */
static inline const uint8_t *message_of(const thread *t, size_t part) {
    return jm_case_source(t->checker->check_case) + (t->number + part) % 16;
}

static inline jm_status set_key(const thread *t, uint8_t *state) {
    const jm_checker *checker = t->checker;
    const uint64_t seed = checker->check_case->key_seed + t->number;
    const size_t bytes = checker->check_case->key_bytes;
    uint8_t key[JM_CASE_KEY_BYTES_MAX];
    jm_case_key(seed, key, bytes);
    return jm_set_key(checker->self, state, key, bytes,
                      jm_nonce_bytes(checker->self, checker->trusted.table, seed));
}

static inline jm_status whole(const jm_implementation *self, const uint8_t *state,
                              const uint8_t *message, size_t bytes, uint8_t *output) {
    if (self->kind == JM_KIND_HASH) return self->hash->digest(self, message, bytes, output);
    if (self->kind == JM_KIND_MAC) return self->mac->tag(self, state, message, bytes, output);
    self->cipher->encrypt(self, state, message, output, bytes / self->block_bytes);
    return JM_OK;
}

static inline jm_status in_two_pieces(const thread *t, const uint8_t *message, size_t bytes,
                                      uint8_t *output) {
    const jm_implementation *self = t->checker->self;
    const size_t first = bytes / 2;
    uint8_t *stream = state_of(t, 2);
    unsigned status;
    if (self->kind == JM_KIND_HASH) {
        status = self->hash->init(self, stream);
        status |= self->hash->update(self, stream, message, first);
        status |= self->hash->update(self, stream, message + first, bytes - first);
        return (jm_status)(status | self->hash->final(self, stream, output));
    }
    status = self->mac->stream_begin(self, stream, state_of(t, 0));
    status |= self->mac->stream_update(self, stream, message, first);
    status |= self->mac->stream_update(self, stream, message + first, bytes - first);
    return (jm_status)(status | self->mac->stream_finish(self, stream, output));
}

/* Makes a call of this kind for a part; `made` is how many outputs it wrote, 0 if there is no such
 * call. */
static inline jm_status call(thread *t, unsigned kind, size_t part, size_t *made) {
    const jm_implementation *self = t->checker->self;
    const bool mac = self->kind == JM_KIND_MAC;
    const bool streams =
        mac ? self->mac->stream_bytes != 0 : self->kind == JM_KIND_HASH && self->hash->init;
    const uint8_t *message = message_of(t, part);
    const size_t bytes = (size_t)t->checker->check_case->lengths[part];
    uint8_t *other = state_of(t, 1);
    jm_status status = JM_OK;
    *made = 1;
    if (kind == 1 && streams) return in_two_pieces(t, message, bytes, t->outputs[0]);
    if (kind == 2 && self->kind != JM_KIND_HASH) {
        status = set_key(t, other);
        if (status != JM_OK) return status;
        status = whole(self, other, message, bytes, t->outputs[0]);
        jm_wipe_key(self, other);
        return status;
    }
    if (kind == 3 && mac) {
        status = self->mac->copy_key(self, other, state_of(t, 0));
        if (status != JM_OK) return status;
        status = self->mac->tag(self, other, message, bytes, t->outputs[0]);
        jm_wipe_key(self, other);
        return status;
    }
    if (kind == 4 && mac && self->mac->tag_batch) {
        jm_mac_message list[BATCH_MESSAGES];
        for (size_t i = 0; i < BATCH_MESSAGES; i++)
            list[i] = (jm_mac_message){state_of(t, 0), message, bytes, t->outputs[i]};
        *made = BATCH_MESSAGES;
        return self->mac->tag_batch(self, list, BATCH_MESSAGES);
    }
    if (kind == 0) return whole(self, state_of(t, 0), message, bytes, t->outputs[0]);
    *made = 0;
    return JM_OK;
}

#endif
