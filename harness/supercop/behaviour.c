// SPDX-License-Identifier: Apache-2.0
// Places canaries round each buffer and checks the bytes that a call must not change.
#include "supercop/behaviour.h"

#include <string.h>

enum { CANARY_BYTES = 16 };

/* A buffer between canaries; bytes of the buffer that were not set are canaries too. */
typedef struct area {
    uint8_t *first, *buffer;
    size_t bytes; /* of buffer and canaries together */
    unsigned fill;
} area;

/* The trial of one message. */
typedef struct trial {
    const jm_supercop_call *call;
    const uint8_t *output; /* the right output */
    size_t output_bytes, key_bytes;
    area message, key, out;
} trial;

/* Room for the longer of an input and an output, since an output may be written over an input. */
static size_t area_bytes(size_t input_bytes_max) {
    return 2 * CANARY_BYTES +
           (input_bytes_max > JM_OUTPUT_BYTES_MAX ? input_bytes_max : JM_OUTPUT_BYTES_MAX);
}

size_t jm_supercop_room_bytes(size_t message_bytes_max, size_t key_bytes) {
    return area_bytes(message_bytes_max) + area_bytes(key_bytes) + area_bytes(0);
}

static uint8_t canary(unsigned fill, size_t at) {
    return (uint8_t)(167 * at + 59 * fill + 13);
}

static void set(area *region, unsigned fill, const uint8_t *content, size_t bytes) {
    region->fill = fill;
    for (size_t at = 0; at < region->bytes; at++) region->first[at] = canary(fill, at);
    if (bytes) memcpy(region->buffer, content, bytes);
}

static area area_at(uint8_t *first, size_t bytes) {
    return (area){first, first + CANARY_BYTES, bytes, 0};
}

/* Whether an area is unchanged except in the first `used` bytes of its buffer. */
static bool kept_round(const area *region, size_t used) {
    for (size_t at = 0; at < region->bytes; at++) {
        const bool inside = at >= CANARY_BYTES && at < CANARY_BYTES + used;
        if (!inside && region->first[at] != canary(region->fill, at)) return false;
    }
    return true;
}

static bool kept(const area *region, const uint8_t *content, size_t bytes) {
    return kept_round(region, bytes) && (!bytes || memcmp(region->buffer, content, bytes) == 0);
}

static bool kept_inputs(const trial *t) {
    return kept(&t->message, t->call->message, t->call->message_bytes) &&
           kept(&t->key, t->call->key, t->key_bytes);
}

/* Calls the function on the trial's buffers; `out` may be one of the inputs. */
static bool fails(const trial *t, const area *out) {
    return t->call->request->compute(t->key.buffer, t->key_bytes, t->message.buffer,
                                     t->call->message_bytes, out->buffer) != 0;
}

/* Calls twice, over other canaries each time, so that a byte that is never written shows. */
static jm_supercop_fault called_again(trial *t) {
    for (unsigned fill = 1; fill <= 2; fill++) {
        set(&t->out, fill, NULL, 0);
        if (fails(t, &t->out)) return JM_SUPERCOP_RETURNED;
        if (!kept_round(&t->out, t->output_bytes)) return JM_SUPERCOP_WROTE_OUTSIDE;
        if (!kept_inputs(t)) return JM_SUPERCOP_WROTE_INPUT;
        if (memcmp(t->out.buffer, t->output, t->output_bytes)) return JM_SUPERCOP_NOT_DETERMINISTIC;
    }
    return JM_SUPERCOP_SOUND;
}

static bool refused(const trial *t, const uint8_t *tag) {
    return t->call->request->verify(tag, t->message.buffer, t->call->message_bytes,
                                    t->key.buffer) != 0;
}

/* Verifies a right tag, then three wrong tags: byte numbers[2 i] is changed by numbers[2 i + 1]. */
static jm_supercop_fault verified(trial *t) {
    uint8_t *const tag = t->out.buffer;
    set(&t->out, 3, t->output, t->output_bytes);
    if (refused(t, tag)) return JM_SUPERCOP_REFUSED_TAG;
    if (!kept(&t->out, t->output, t->output_bytes) || !kept_inputs(t))
        return JM_SUPERCOP_WROTE_INPUT;
    for (size_t i = 0; i < JM_SUPERCOP_NUMBERS; i += 2) {
        const uint64_t *numbers = t->call->numbers + i;
        tag[numbers[0] % t->output_bytes] += (uint8_t)(1 + numbers[1] % 255);
        const bool right = memcmp(tag, t->output, t->output_bytes) == 0; /* undone by chance */
        if (!right && !refused(t, tag)) return JM_SUPERCOP_ACCEPTED_FORGERY;
    }
    return JM_SUPERCOP_SOUND;
}

/* Calls with the output over an input, which is restored afterwards. */
static jm_supercop_fault overlapped(trial *t, area *input, const uint8_t *content, size_t bytes,
                                    jm_supercop_fault wrong) {
    const size_t longer = bytes > t->output_bytes ? bytes : t->output_bytes;
    if (fails(t, input)) return JM_SUPERCOP_RETURNED;
    if (!kept_round(input, longer)) return JM_SUPERCOP_WROTE_OUTSIDE;
    if (memcmp(input->buffer, t->output, t->output_bytes)) return wrong;
    set(input, input->fill, content, bytes);
    return JM_SUPERCOP_SOUND;
}

jm_supercop_fault jm_supercop_behaves(const jm_supercop_call *call, const uint8_t *output) {
    const size_t key_bytes = call->request->key_bytes;
    const size_t message_area = area_bytes(call->message_bytes_max);
    trial t = {.call = call,
               .output = output,
               .output_bytes = call->self->output_bytes,
               .key_bytes = call->self->mac ? key_bytes : 0,
               .message = area_at(call->room, message_area),
               .key = area_at(call->room + message_area, area_bytes(key_bytes)),
               .out = area_at(call->room + message_area + area_bytes(key_bytes), area_bytes(0))};
    set(&t.message, 0, call->message, call->message_bytes);
    set(&t.key, 0, call->key, t.key_bytes);
    jm_supercop_fault fault = called_again(&t);
    if (!fault && call->request->verify) fault = verified(&t);
    if (!fault)
        fault =
            overlapped(&t, &t.message, call->message, call->message_bytes, JM_SUPERCOP_NO_OVERLAP);
    if (!fault && call->self->mac)
        fault = overlapped(&t, &t.key, call->key, t.key_bytes, JM_SUPERCOP_NO_KEY_OVERLAP);
    return fault;
}
