/* SPDX-License-Identifier: Apache-2.0
 * Delegation from a batch variant to a single-message one, and the variant's own `tag`. */
#include "common/batch_variant.h"

static const jm_implementation *single_of(const jm_implementation *self) {
    return self->over;
}

jm_status jm_batch_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes) {
    const jm_implementation *single = single_of(self);
    return single->mac->set_key(single, key_state, key, key_bytes);
}

jm_status jm_batch_copy_key(const jm_implementation *self, void *to, const void *from) {
    const jm_implementation *single = single_of(self);
    return single->mac->copy_key(single, to, from);
}

void jm_batch_wipe_key(const jm_implementation *self, void *key_state) {
    const jm_implementation *single = single_of(self);
    single->mac->wipe_key(single, key_state);
}

jm_status jm_batch_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                       size_t message_bytes, uint8_t *tag) {
    const jm_mac_message alone = {key_state, message, message_bytes, tag};
    return self->mac->tag_batch(self, &alone, 1);
}

jm_status jm_batch_stream_begin(const jm_implementation *self, void *stream,
                                const void *key_state) {
    const jm_implementation *single = single_of(self);
    return single->mac->stream_begin(single, stream, key_state);
}

jm_status jm_batch_stream_update(const jm_implementation *self, void *stream,
                                 const uint8_t *message, size_t message_bytes) {
    const jm_implementation *single = single_of(self);
    return single->mac->stream_update(single, stream, message, message_bytes);
}

jm_status jm_batch_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    const jm_implementation *single = single_of(self);
    return single->mac->stream_finish(single, stream, tag);
}
