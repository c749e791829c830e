/* SPDX-License-Identifier: Apache-2.0
 * Trials that SUPERCOP makes on each message beside its output. Private to harness/supercop/. */
#ifndef JM_SUPERCOP_BEHAVIOUR_H
#define JM_SUPERCOP_BEHAVIOUR_H

#include "supercop/checksum.h"

/* Three forged tags follow each tag; two numbers for each give the wrong byte and its change. */
#define JM_SUPERCOP_NUMBERS 6u

/* One message, and the memory in which its output is computed. */
typedef struct jm_supercop_call {
    const jm_implementation *self;
    const jm_supercop_request *request;
    void *key_state; /* for the functions of self->mac */
    uint8_t *key;
    uint8_t *message;
    size_t message_bytes, message_bytes_max;
    uint8_t *room; /* jm_supercop_room_bytes bytes */
    uint64_t numbers[JM_SUPERCOP_NUMBERS];
} jm_supercop_call;

/* Bytes of the room for trials of messages of at most `message_bytes_max` bytes. */
size_t jm_supercop_room_bytes(size_t message_bytes_max, size_t key_bytes);

/* Tries the message of `call`; `output` is its right output, computed before. Returns the first
 * fault. */
jm_supercop_fault jm_supercop_behaves(const jm_supercop_call *call, const uint8_t *output);

#endif
