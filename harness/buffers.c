/* SPDX-License-Identifier: Apache-2.0
 * Places messages, outputs and the canaries round the outputs, and fills the messages. */
#include <string.h>

#include "loop_parts.h"

uint64_t jm_loop_quantum(const jm_loop *loop) {
    return loop->batch.size ? loop->batch.size * loop->batch.cycle : 1;
}

void jm_fill_messages(uint8_t *messages, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) messages[i] = jm_message_byte(i);
}

void jm_place_outputs(jm_loop *loop, size_t offset) {
    const size_t area_bytes =
        JM_PAGE_BYTES + 2 * JM_CANARY_BYTES + jm_round_up(jm_outputs_bytes(loop), 8);
    memset(loop->output_area, JM_CANARY, area_bytes);
    uint8_t *const first = loop->output_area + JM_CANARY_BYTES + offset;
    for (size_t i = 0; i < loop->unit_messages; i++)
        memset(first + i * loop->output_stride, 0, loop->output_bytes);
    loop->window.output = loop->batch.tags = first;
}

void jm_place_messages(jm_loop *loop, uint8_t *at) {
    if (loop->pristine)
        memcpy(at, loop->pristine, loop->unit_bytes);
    else
        jm_fill_messages(at, loop->unit_bytes);
    loop->window.message = loop->batch.messages = at;
}

static bool canaries_alive(const jm_loop *loop) {
    const uint8_t *const first = loop->window.output;
    const uint8_t *const end = first + jm_outputs_bytes(loop);
    for (size_t i = 0; i < JM_CANARY_BYTES; i++)
        if (first[-1 - (ptrdiff_t)i] != JM_CANARY || end[i] != JM_CANARY) return false;
    for (size_t i = 0; i < loop->unit_messages; i++)
        for (size_t gap = loop->output_bytes; gap < loop->output_stride; gap++)
            if (first[i * loop->output_stride + gap] != JM_CANARY) return false;
    if (loop->pristine) return !memcmp(loop->window.message, loop->pristine, loop->unit_bytes);
    for (size_t i = 0; i < loop->unit_bytes; i++)
        if (loop->window.message[i] != jm_message_byte(i)) return false;
    return true;
}

static void collect(jm_loop *loop, size_t which) {
    const size_t size = loop->batch.size, bytes = loop->output_bytes;
    for (size_t i = 0; i < size; i++)
        memcpy(loop->collected + (which * size + i) * bytes,
               loop->batch.tags + i * loop->output_stride, bytes);
}

/* Collects the outputs of a cycle: the batch that ran last left its outputs in memory; the other
 * batches run now. */
static unsigned collect_cycle(jm_loop *loop) {
    jm_batch *batch = &loop->batch;
    const size_t next = batch->next, last = (next + batch->cycle - 1) % batch->cycle;
    unsigned status = 0;
    collect(loop, last);
    for (size_t i = 0; i + 1 < batch->cycle; i++) {
        const size_t which = batch->next;
        status |= loop->run_batches(batch, 1);
        collect(loop, which);
    }
    batch->next = next;
    return status;
}

/* Tags the last message once more, with a nonce of zeros: for that nonce the tag is known. */
static jm_loop_status tag_without_nonce(jm_loop *loop) {
    const jm_window *w = &loop->window;
    const jm_mac_functions *mac = w->self->mac;
    const bool kept = loop->kept_keys != 0;
    void *const state = loop->key_states;
    unsigned status = kept ? JM_OK : mac->set_key(w->self, state, w->key, w->key_bytes);
    memset(loop->nonce, 0, sizeof loop->nonce);
    status |= mac->set_nonce(w->self, state, loop->nonce, w->self->nonce_bytes);
    status |= mac->tag(w->self, state, w->message, w->message_bytes, w->output);
    if (!kept) mac->wipe_key(w->self, state);
    return jm_loop_status_of(status);
}

jm_loop_status jm_loop_output(jm_loop *loop, const uint8_t **output, size_t *output_bytes) {
    if (loop->window.nonce && !loop->batch.size) {
        const jm_loop_status status = tag_without_nonce(loop);
        if (status != JM_LOOP_OK) return status;
    }
    *output = loop->window.output;
    *output_bytes = loop->output_bytes;
    if (loop->batch.size) {
        const jm_loop_status status = jm_loop_status_of(collect_cycle(loop));
        if (status != JM_LOOP_OK) return status;
        *output = loop->collected;
        *output_bytes = jm_loop_quantum(loop) * loop->output_bytes;
    }
    return canaries_alive(loop) ? JM_LOOP_OK : JM_LOOP_OVERRUN;
}
