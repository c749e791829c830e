/* SPDX-License-Identifier: Apache-2.0
 * What SUPERCOP tries on each message beside its output. Private to harness/supercop/. */
#ifndef JM_SUPERCOP_BEHAVIOUR_H
#define JM_SUPERCOP_BEHAVIOUR_H

#include "supercop/checksum.h"

/* Three forged tags follow each tag, of which two numbers each say where they are wrong. */
#define JM_SUPERCOP_NUMBERS 6u

/* One message, and where it is computed. */
typedef struct jm_supercop_call {
    const jm_implementation *self;
    const jm_supercop_request *request;
    void *key_state; /* of the table's functions */
    uint8_t *key;
    uint8_t *message;
    size_t message_bytes, message_bytes_max;
    uint8_t *room; /* jm_supercop_room_bytes */
    uint64_t numbers[JM_SUPERCOP_NUMBERS];
} jm_supercop_call;

/* Of the room that messages of at most so many bytes are tried in. */
size_t jm_supercop_room_bytes(size_t message_bytes_max, size_t key_bytes);

/* `output` is what the message gave before. */
jm_supercop_fault jm_supercop_behaves(const jm_supercop_call *call, const uint8_t *output);

#endif
