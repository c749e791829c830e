/* SPDX-License-Identifier: Apache-2.0
 * From a request to a loop that is ready to run: memory, layout, keys. */
#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "cache_flush.h"
#include "common/secret.h"
#include "loop_parts.h"

/* Cold-cache arena: large enough that flushing is rare, small enough to flush in about 1 ms. */
#define COLD_ARENA_BYTES (UINT64_C(8) << 20)
#define COLD_SLOTS_MAX 4096u
/* Fewest canary bytes after each output of a batch. */
#define GAP_BYTES 8u

static size_t state_bytes(const jm_implementation *implementation) {
    if (implementation->kind == JM_KIND_MAC) return implementation->mac->key_state_bytes;
    if (implementation->kind == JM_KIND_CIPHER) return implementation->cipher->schedule_bytes;
    return 0;
}

/* Fisher-Yates with a fixed generator: neighbouring messages must not lie side by side, or the
 * hardware prefetcher would warm the next one. */
static void scatter(jm_loop *loop, size_t stride) {
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = 0; i < loop->slots; i++) loop->offsets[i] = i * stride;
    for (uint64_t i = loop->slots - 1; i > 0; i--) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t other = (random >> 33) % (i + 1);
        const uint64_t swapped = loop->offsets[i];
        loop->offsets[i] = loop->offsets[other];
        loop->offsets[other] = swapped;
    }
}

static bool allocate(jm_loop *loop, const jm_loop_request *request) {
    const size_t key_states = request->fresh_key ? loop->unit_messages : request->key_count;
    const size_t stride = jm_round_up(loop->unit_bytes + 1, JM_LINE_BYTES);
    loop->slots = request->cold ? jm_cold_slots(COLD_ARENA_BYTES, stride, COLD_SLOTS_MAX) : 1;
    loop->arena_bytes = stride * loop->slots + JM_PAGE_BYTES;
    loop->keys_bytes = request->key_count * request->key_bytes;
    loop->keys = malloc(loop->keys_bytes + 1);
    loop->key_states = aligned_alloc(JM_STATE_ALIGN, key_states * loop->key_state_stride);
    loop->arena = aligned_alloc(JM_PAGE_BYTES, jm_round_up(loop->arena_bytes, JM_PAGE_BYTES));
    loop->offsets = malloc(loop->slots * sizeof *loop->offsets);
    loop->output_area = aligned_alloc(
        JM_PAGE_BYTES, jm_round_up(2 * JM_PAGE_BYTES + 2 * JM_CANARY_BYTES + jm_outputs_bytes(loop),
                                   JM_PAGE_BYTES));
    if (!loop->keys || !loop->key_states || !loop->arena || !loop->offsets || !loop->output_area)
        return false;
    if (loop->unit_bytes <= JM_MOVABLE_BYTES) {
        loop->pristine = malloc(loop->unit_bytes + 1);
        if (!loop->pristine) return false;
        jm_fill_messages(loop->pristine, loop->unit_bytes);
    }
    scatter(loop, stride);
    for (uint64_t i = 0; i < loop->slots; i++)
        jm_fill_messages(loop->arena + i * stride, loop->unit_bytes);
    return true;
}

/* Whether the request keeps to the rules beside its fields. */
static bool makes_sense(const jm_loop_request *request) {
    const bool batched = request->batch != 1 || request->lengths;
    if (request->batch == 0 || (request->lengths && request->length_count == 0)) return false;
    if (batched && request->implementation->kind != JM_KIND_MAC) return false;
    if (request->lengths && request->length_count % request->batch) return false;
    if (request->batch > 1 && request->latency) return false;
    return request->key_count == 1 || (request->key_count == request->batch && !request->fresh_key);
}

/* Lays the batches of a cycle out; false if memory is missing. */
static bool lay_out(jm_loop *loop, const jm_loop_request *request) {
    jm_batch *batch = &loop->batch;
    batch->size = request->batch;
    batch->cycle = request->lengths ? request->length_count / request->batch : 1;
    const size_t messages = batch->size * batch->cycle;
    batch->places = calloc(messages, sizeof *batch->places);
    batch->list = calloc(batch->size, sizeof *batch->list);
    loop->collected = calloc(messages, loop->output_bytes);
    size_t *lengths = malloc(messages * sizeof *lengths);
    const bool enough = batch->places && batch->list && loop->collected && lengths;
    for (size_t i = 0; enough && i < messages; i++)
        lengths[i] = request->lengths ? request->lengths[i] : request->message_bytes;
    if (enough) loop->unit_bytes = jm_batch_lay_out(batch, lengths);
    free(lengths);
    return enough;
}

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t key_bytes) {
    if (self->kind == JM_KIND_MAC) return self->mac->set_key(self, state, key, key_bytes);
    return self->cipher->set_key(self, state, key, key_bytes);
}

static jm_loop_status set_up_keys(jm_loop *loop, const jm_loop_request *request) {
    const jm_implementation *self = request->implementation;
    const size_t key_bytes = request->key_bytes;
    if (request->key) memcpy(loop->keys, request->key, loop->keys_bytes);
    loop->window.key = loop->batch.keys = loop->keys;
    loop->window.key_bytes = loop->batch.key_bytes = key_bytes;
    loop->window.fresh_state = loop->key_states;
    loop->window.key_state = loop->batch.key_states = loop->key_states;
    if (self->kind == JM_KIND_HASH) return JM_LOOP_OK;
    if (request->fresh_key) {
        loop->batch.key_state_stride = loop->key_state_stride;
        /* Set once outside the loop, so that a refused key is not taken for a failed message. */
        if (set_key(self, loop->key_states, loop->keys, key_bytes) != JM_OK) return JM_LOOP_KEY;
        if (self->kind == JM_KIND_MAC) self->mac->wipe_key(self, loop->key_states);
        if (self->kind == JM_KIND_CIPHER) self->cipher->wipe_key(self, loop->key_states);
        return JM_LOOP_OK;
    }
    loop->batch.key_state_stride = request->key_count > 1 ? loop->key_state_stride : 0;
    for (size_t i = 0; i < request->key_count; i++) {
        uint8_t *state = loop->key_states + i * loop->key_state_stride;
        if (set_key(self, state, loop->keys + i * key_bytes, key_bytes) != JM_OK)
            return JM_LOOP_KEY;
        loop->kept_keys++;
    }
    return JM_LOOP_OK;
}

static jm_loop_status set_up(jm_loop *loop, const jm_loop_request *request) {
    const jm_implementation *self = request->implementation;
    const bool batched = request->batch != 1 || request->lengths;
    loop->window.self = loop->batch.self = self;
    loop->cold = request->cold;
    loop->output_bytes = self->kind == JM_KIND_CIPHER ? request->message_bytes : self->output_bytes;
    loop->output_stride =
        batched ? jm_round_up(loop->output_bytes + GAP_BYTES, JM_LINE_BYTES) : loop->output_bytes;
    loop->key_state_stride = jm_round_up(state_bytes(self) ? state_bytes(self) : 1, JM_LINE_BYTES);
    loop->unit_bytes = request->message_bytes;
    loop->unit_messages = request->batch;
    if (batched && !lay_out(loop, request)) return JM_LOOP_MEMORY;
    if (!allocate(loop, request)) return JM_LOOP_MEMORY;
    if (batched)
        loop->run_batches =
            jm_batch_loop_for(self, request->batch, request->fresh_key, request->latency);
    else
        loop->run = jm_window_for(self, request->fresh_key, request->latency, request->cold);
    loop->window.message_bytes = request->message_bytes;
    loop->window.nonce = self->kind == JM_KIND_MAC && self->nonce_bytes_max ? loop->nonce : NULL;
    loop->window.offsets = loop->batch.offsets = loop->offsets;
    loop->batch.slots = loop->slots;
    loop->batch.tag_stride = loop->output_stride;
    jm_place_messages(loop, loop->arena);
    jm_place_outputs(loop, 0);
    return set_up_keys(loop, request);
}

jm_loop_status jm_loop_open(const jm_loop_request *request, jm_loop **opened) {
    if (!makes_sense(request)) return JM_LOOP_NONSENSE;
    if (request->cold && !jm_can_flush()) return JM_LOOP_NO_FLUSH;
    jm_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return JM_LOOP_MEMORY;
    const jm_loop_status status = set_up(loop, request);
    if (status == JM_LOOP_OK)
        *opened = loop;
    else
        jm_loop_close(loop);
    return status;
}

void jm_loop_close(jm_loop *loop) {
    const jm_implementation *self = loop->window.self;
    for (size_t i = 0; i < loop->kept_keys; i++) {
        uint8_t *state = loop->key_states + i * loop->key_state_stride;
        if (self->kind == JM_KIND_MAC) self->mac->wipe_key(self, state);
        if (self->kind == JM_KIND_CIPHER) self->cipher->wipe_key(self, state);
    }
    if (loop->keys) jm_wipe(loop->keys, loop->keys_bytes);
    free(loop->keys);
    free(loop->key_states);
    free(loop->pristine);
    free(loop->arena);
    free(loop->offsets);
    free(loop->output_area);
    free(loop->batch.places);
    free(loop->batch.list);
    free(loop->collected);
    free(loop);
}
