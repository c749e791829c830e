// SPDX-License-Identifier: Apache-2.0
// Memory round a buffer, and what a call must leave as it was.
#include "supercop/behaviour.h"

#include <string.h>

enum { CANARY_BYTES = 16 };

/* A message or an output between canaries. The longer of both fits, for one may lie in the other's
 * place. */
static size_t area_bytes(size_t message_bytes_max) {
    const size_t most =
        message_bytes_max > JM_OUTPUT_BYTES_MAX ? message_bytes_max : JM_OUTPUT_BYTES_MAX;
    return 2 * CANARY_BYTES + most;
}

size_t jm_supercop_room_bytes(size_t message_bytes_max) {
    return 2 * area_bytes(message_bytes_max);
}

static uint8_t canary(unsigned fill, size_t at) {
    return (uint8_t)(167 * at + 59 * fill + 13);
}

/* Fills an area and returns where its buffer begins. */
static uint8_t *filled(uint8_t *area, size_t bytes, unsigned fill) {
    for (size_t at = 0; at < bytes; at++) area[at] = canary(fill, at);
    return area + CANARY_BYTES;
}

/* Whether an area is as it was filled but for `used` bytes of its buffer. */
static bool kept(const uint8_t *area, size_t bytes, unsigned fill, size_t used) {
    for (size_t at = 0; at < bytes; at++) {
        const bool inside = at >= CANARY_BYTES && at < CANARY_BYTES + used;
        if (!inside && area[at] != canary(fill, at)) return false;
    }
    return true;
}

jm_status jm_supercop_compute(const jm_supercop_call *call, const uint8_t *message,
                              uint8_t *output) {
    const jm_implementation *self = call->self;
    if (self->hash) return self->hash->digest(self, message, call->message_bytes, output);
    jm_status status =
        self->mac->set_key(self, call->key_state, call->key, call->request->key_bytes);
    if (status != JM_OK) return status;
    status = self->mac->tag(self, call->key_state, message, call->message_bytes, output);
    self->mac->wipe_key(self, call->key_state);
    return status;
}

/* A right tag, then three that are wrong: byte numbers[2 i] is changed by numbers[2 i + 1]. */
static jm_supercop_fault verified(const jm_supercop_call *call, const uint8_t *message,
                                  const uint8_t *output) {
    const jm_supercop_verify verify = call->request->verify;
    const size_t bytes = call->self->output_bytes;
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    memcpy(tag, output, bytes);
    if (verify(tag, message, call->message_bytes, call->key)) return JM_SUPERCOP_REFUSED_TAG;
    for (size_t i = 0; i < JM_SUPERCOP_NUMBERS; i += 2) {
        tag[call->numbers[i] % bytes] += (uint8_t)(1 + call->numbers[i + 1] % 255);
        const bool right = memcmp(tag, output, bytes) == 0; /* the third may undo the second */
        if (!right && !verify(tag, message, call->message_bytes, call->key))
            return JM_SUPERCOP_ACCEPTED_FORGERY;
    }
    return JM_SUPERCOP_SOUND;
}

jm_status jm_supercop_behaves(const jm_supercop_call *call, const uint8_t *output,
                              jm_supercop_fault *fault) {
    const size_t bytes = call->message_bytes, output_bytes = call->self->output_bytes;
    const size_t whole = area_bytes(call->message_bytes_max);
    const size_t longer = bytes > output_bytes ? bytes : output_bytes;
    uint8_t *const messages = call->room, *const outputs = call->room + whole;
    uint8_t *const message = filled(messages, whole, 0);
    memcpy(message, call->message, bytes);
    for (unsigned fill = 1; fill <= 2; fill++) {
        uint8_t *const again = filled(outputs, whole, fill);
        const jm_status status = jm_supercop_compute(call, message, again);
        if (status != JM_OK) return status;
        *fault = !kept(outputs, whole, fill, output_bytes) ? JM_SUPERCOP_WROTE_OUTSIDE
                 : !kept(messages, whole, 0, bytes)        ? JM_SUPERCOP_WROTE_INPUT
                 : memcmp(message, call->message, bytes)   ? JM_SUPERCOP_WROTE_INPUT
                 : memcmp(again, output, output_bytes)     ? JM_SUPERCOP_NOT_DETERMINISTIC
                                                           : JM_SUPERCOP_SOUND;
        if (*fault) return JM_OK;
    }
    if (call->request->verify) {
        *fault = verified(call, message, output);
        if (!*fault && memcmp(message, call->message, bytes)) *fault = JM_SUPERCOP_WROTE_INPUT;
        if (*fault) return JM_OK;
    }
    const jm_status status = jm_supercop_compute(call, message, message);
    if (status != JM_OK) return status;
    if (!kept(messages, whole, 0, longer))
        *fault = JM_SUPERCOP_WROTE_OUTSIDE;
    else if (memcmp(message, output, output_bytes))
        *fault = JM_SUPERCOP_NO_OVERLAP;
    return JM_OK;
}
