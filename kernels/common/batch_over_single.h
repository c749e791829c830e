/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of a batch variant that call the single-message variant of the same algorithm: key
 * set-up and stream, which no figure is about, are those of the jm_implementation that `over`
 * points to, and both variants share key states. The `tag` of a batch variant is a batch of one
 * message: it costs all lanes, so that a figure of one message is the variant's own. The functions
 * have the contracts of joulemark/kernel.h. */
#ifndef JM_BATCH_OVER_SINGLE_H
#define JM_BATCH_OVER_SINGLE_H

#include "joulemark/kernel.h"

jm_status jm_batch_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes);
jm_status jm_batch_copy_key(const jm_implementation *self, void *to, const void *from);
void jm_batch_wipe_key(const jm_implementation *self, void *key_state);
jm_status jm_batch_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                       size_t message_bytes, uint8_t *tag);
jm_status jm_batch_stream_begin(const jm_implementation *self, void *stream, const void *key_state);
jm_status jm_batch_stream_update(const jm_implementation *self, void *stream,
                                 const uint8_t *message, size_t message_bytes);
jm_status jm_batch_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag);

/* Initialiser of a batch variant's functions; the sizes are those of the single variant. */
#define JM_BATCH_FUNCTIONS(key_state_bytes_, stream_bytes_, tag_batch_)                            \
    {.key_state_bytes = (key_state_bytes_),                                                        \
     .stream_bytes = (stream_bytes_),                                                              \
     .set_key = jm_batch_set_key,                                                                  \
     .copy_key = jm_batch_copy_key,                                                                \
     .wipe_key = jm_batch_wipe_key,                                                                \
     .tag = jm_batch_tag,                                                                          \
     .stream_begin = jm_batch_stream_begin,                                                        \
     .stream_update = jm_batch_stream_update,                                                      \
     .stream_finish = jm_batch_stream_finish,                                                      \
     .tag_batch = (tag_batch_)}

#endif
