/* SPDX-License-Identifier: Apache-2.0
 * The parts of a loop, and its buffers. Private to open.c, buffers.c and loop.c. */
#ifndef JM_LOOP_PARTS_H
#define JM_LOOP_PARTS_H

#include "batch.h"
#include "loop.h"
#include "windows.h"

#define JM_PAGE_BYTES 4096u
#define JM_LINE_BYTES 64u
#define JM_CANARY_BYTES 64u
#define JM_CANARY 0xa5
/* Moving more message bytes than this between samples would cost more than the sample. */
#define JM_MOVABLE_BYTES (UINT64_C(1) << 20)

/* One turn of the innermost loop handles a unit: a message or a batch of messages. */
struct jm_loop {
    jm_window window; /* also of a loop over batches: key, first message and first output */
    jm_window_function run;
    jm_batch batch; /* its size is 0 in a loop that is not over batches */
    jm_batch_function run_batches;
    uint8_t *keys;
    size_t keys_bytes;
    uint8_t *key_states;
    size_t key_state_stride;
    size_t kept_keys;  /* number of key states set up for all windows; 0 for a hash or fresh keys */
    uint8_t *pristine; /* the messages of a unit; NULL where they are too long to be moved */
    uint8_t *arena;
    size_t arena_bytes;
    size_t unit_bytes; /* input bytes of a unit, gaps between messages included */
    size_t unit_messages;
    uint64_t *offsets;
    uint64_t slots; /* 1 when hot */
    uint8_t *output_area;
    size_t output_bytes;
    size_t output_stride; /* from output to output of a batch */
    uint8_t *collected;   /* outputs of a whole cycle; NULL without batches */
    bool cold;
    uint8_t nonce[UINT8_MAX]; /* nonce of the message before */
};

static inline size_t jm_round_up(size_t bytes, size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

/* Bytes from the first output of a unit to the end of the gap after its last output. */
static inline size_t jm_outputs_bytes(const jm_loop *loop) {
    return loop->unit_messages * loop->output_stride;
}

/* The loop's status for the OR of all statuses of a window. */
static inline jm_loop_status jm_loop_status_of(unsigned statuses) {
    if (statuses == JM_OK) return JM_LOOP_OK;
    return statuses == JM_ERR_MESSAGE_BYTES ? JM_LOOP_LENGTH : JM_LOOP_REFUSED;
}

/* Places the outputs behind their canaries; `offset` in bytes, a multiple of JM_LINE_BYTES, below
 * JM_PAGE_BYTES. */
void jm_place_outputs(jm_loop *loop, size_t offset);

/* Writes the messages of a unit from `at` on, and points the loop at them. */
void jm_place_messages(jm_loop *loop, uint8_t *at);

/* Writes the first `bytes` bytes of the stream that messages are pieces of. */
void jm_fill_messages(uint8_t *messages, size_t bytes);

#endif
