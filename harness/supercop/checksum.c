/* SPDX-License-Identifier: Apache-2.0
 * See checksum.h. */
#include "supercop/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "supercop/behaviour.h"
#include "supercop/generator.h"

enum { HASHES = 64, HASHES_BIG = 512, TAGS = 4096, TAGS_BIG = 32768 };
enum { OUTPUT_BYTES_MAX = 168 /* of k12 */ };
enum { MESSAGE_BYTES_MAX = 128, MESSAGE_BYTES_MAX_BIG = 4096 };

static jm_status compute(const jm_supercop_call *call, uint8_t *output) {
    const jm_implementation *self = call->self;
    if (self->hash) return self->hash->digest(self, call->message, call->message_bytes, output);
    jm_status status =
        self->mac->set_key(self, call->key_state, call->key, call->request->key_bytes);
    if (status != JM_OK) return status;
    status = self->mac->tag(self, call->key_state, call->message, call->message_bytes, output);
    self->mac->wipe_key(self, call->key_state);
    return status;
}

static bool open_call(jm_supercop_call *call, const jm_implementation *self,
                      const jm_supercop_request *request) {
    const size_t state_bytes = self->kind == JM_KIND_MAC ? self->mac->key_state_bytes : 0;
    call->self = self;
    call->request = request;
    call->message_bytes_max = request->big ? MESSAGE_BYTES_MAX_BIG : MESSAGE_BYTES_MAX;
    call->key_state =
        aligned_alloc(JM_STATE_ALIGN, (state_bytes / JM_STATE_ALIGN + 1) * JM_STATE_ALIGN);
    call->message = malloc(call->message_bytes_max + request->key_bytes);
    call->key = call->message + call->message_bytes_max;
    call->room = malloc(jm_supercop_room_bytes(call->message_bytes_max, request->key_bytes));
    return call->key_state && call->message && call->room;
}

jm_status jm_supercop_checksum(const jm_implementation *self, const jm_supercop_request *request,
                               jm_supercop_answer *answer) {
    static const unsigned iterations[2][2] = {{HASHES, HASHES_BIG}, {TAGS, TAGS_BIG}};
    memset(answer, 0, sizeof *answer);
    if (self->kind == JM_KIND_CIPHER || request->output_bytes > self->output_bytes ||
        self->output_bytes > OUTPUT_BYTES_MAX)
        return JM_ERR_LIBRARY;
    const bool keyed = self->kind == JM_KIND_MAC;
    jm_supercop_call call;
    jm_status status = open_call(&call, self, request) ? JM_OK : JM_ERR_MEMORY;
    uint8_t state[JM_SUPERCOP_STATE_BYTES] = {0}, output[OUTPUT_BYTES_MAX];
    uint64_t nonce = 0;
    for (unsigned i = 0; status == JM_OK && i < iterations[keyed][request->big]; i++) {
        call.message_bytes = jm_supercop_generate_number(&nonce) % (call.message_bytes_max + 1);
        jm_supercop_generate(&nonce, call.message, call.message_bytes);
        if (keyed) jm_supercop_generate(&nonce, call.key, request->key_bytes);
        status = compute(&call, output);
        jm_supercop_accumulate(state, output, request->output_bytes);
        for (unsigned n = 0; keyed && n < JM_SUPERCOP_NUMBERS; n++)
            call.numbers[n] = jm_supercop_generate_number(&nonce);
        if (status != JM_OK || !request->compute) continue;
        answer->fault = jm_supercop_behaves(&call, output);
        answer->message_bytes = call.message_bytes;
        if (answer->fault != JM_SUPERCOP_SOUND) break;
    }
    free(call.key_state);
    free(call.message);
    free(call.room);
    memcpy(answer->checksum, state, JM_SUPERCOP_CHECKSUM_BYTES);
    return status;
}
