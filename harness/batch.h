/* SPDX-License-Identifier: Apache-2.0
 * The innermost loops of a MAC that is handed several messages at a time, or messages of several
 * lengths. Private to harness/.
 *
 * A cycle is a fixed sequence of batches, run over and over: one batch where all messages have one
 * length, many where lengths are mixed, so that a branch predictor cannot learn their order. All
 * batches of a cycle lie in the same memory. */
#ifndef JM_BATCH_H
#define JM_BATCH_H

#include "joulemark/kernel.h"

/* Starts of messages are rounded up to this many bytes, as the starts of packet buffers are. */
#define JM_MESSAGE_ALIGN 64u

/* Where a message lies: its offset from the first byte of its batch and its length, in bytes. */
typedef struct jm_place {
    size_t offset; /* a multiple of JM_MESSAGE_ALIGN */
    size_t message_bytes;
} jm_place;

typedef struct jm_batch {
    const jm_implementation *self; /* a MAC */
    size_t size;                   /* messages of a batch, at least 1 */
    size_t cycle;                  /* batches, at least 1 */
    size_t next;                   /* number in the cycle of the batch that runs next */
    jm_place *places;              /* cycle x size places */
    jm_mac_message *list;          /* `size` messages; filled in again for every batch */
    uint8_t *key_states;
    size_t key_state_stride; /* from message to message; 0 where they share one key */
    const uint8_t *keys;     /* for fresh keys, which messages never share */
    size_t key_bytes;
    size_t key_stride;
    const uint8_t *messages;
    const uint64_t *offsets; /* offsets from `messages`, in bytes, of the slots used in turn */
    uint64_t slots;          /* 1 where every batch lies in the same memory */
    uint8_t *tags;           /* size x tag_stride bytes; at least 8 are readable */
    size_t tag_stride;
} jm_batch;

/* Lays `size` x `cycle` messages of these lengths out, batch after batch; returns the bytes of the
 * longest batch, from its start to the last byte of its last message. */
size_t jm_batch_lay_out(jm_batch *batch, const size_t *lengths);

/* Runs `batches` batches, the first of them in slot 0, and advances `next`. Returns the OR of the
 * jm_status of every call. */
typedef unsigned (*jm_batch_function)(jm_batch *batch, uint64_t batches);

/* The loop for this work; never NULL. It calls `tag_batch` where `self` has it and the batch is
 * larger than one message, else `tag` for each message. */
jm_batch_function jm_batch_loop_for(const jm_implementation *self, size_t size, bool fresh_key,
                                    bool latency);

#endif
