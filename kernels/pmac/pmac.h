/* SPDX-License-Identifier: Apache-2.0
 *
 * PMAC (Black and Rogaway: A block-cipher mode of operation for parallelizable message
 * authentication, 2002) written once over a block cipher with 16-byte blocks. JM_CMAC (cmac/cmac.h)
 * makes the implementation. The cipher's schedule must be copyable byte for byte, as our own
 * kernels' are. */
#ifndef JM_PMAC_H
#define JM_PMAC_H

#include "joulemark/kernel.h"

enum { JM_PMAC_BLOCK_BYTES = 16, JM_PMAC_TABLED = 8 };

/* L times x^-1, the mask of a whole last block; and L times 1, x, x^2 ..., of which offsets are
 * sums. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint8_t halved[JM_PMAC_BLOCK_BYTES];
    uint64_t live; /* JM_LIVE */
    _Alignas(16) uint8_t multiple[JM_PMAC_TABLED][JM_PMAC_BLOCK_BYTES];
} jm_pmac_masks;

/* A key state is the masks followed by the cipher's schedule. */
#define JM_PMAC_KEY_STATE_BYTES(schedule_bytes)                                                    \
    (sizeof(jm_pmac_masks) + ((size_t)(schedule_bytes) + 15) / 16 * 16)

/* The sum of the blocks that were enciphered, and the offset of the last of them. */
typedef struct {
    _Alignas(16) uint8_t sum[JM_PMAC_BLOCK_BYTES];
    uint8_t offset[JM_PMAC_BLOCK_BYTES];
    uint64_t blocks;
} jm_pmac_chain;

/* `pending` holds the message's last 1 to 16 bytes; 0 bytes only before the message's first byte.
 */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint64_t live; /* JM_LIVE */
    jm_pmac_chain chain;
    uint8_t pending[JM_PMAC_BLOCK_BYTES];
    size_t pending_bytes;
    const void *key_state;
} jm_pmac_stream;

jm_status jm_pmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes);
jm_status jm_pmac_copy_key(const jm_implementation *self, void *to, const void *from);
void jm_pmac_wipe_key(const jm_implementation *self, void *key_state);
jm_status jm_pmac_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                      size_t message_bytes, uint8_t *tag);
jm_status jm_pmac_stream_begin(const jm_implementation *self, void *stream, const void *key_state);
jm_status jm_pmac_stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                                size_t message_bytes);
jm_status jm_pmac_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag);

#define JM_PMAC_FUNCTIONS(schedule_bytes_)                                                         \
    {.key_state_bytes = JM_PMAC_KEY_STATE_BYTES(schedule_bytes_),                                  \
     .stream_bytes = sizeof(jm_pmac_stream),                                                       \
     .set_key = jm_pmac_set_key,                                                                   \
     .copy_key = jm_pmac_copy_key,                                                                 \
     .wipe_key = jm_pmac_wipe_key,                                                                 \
     .tag = jm_pmac_tag,                                                                           \
     .stream_begin = jm_pmac_stream_begin,                                                         \
     .stream_update = jm_pmac_stream_update,                                                       \
     .stream_finish = jm_pmac_stream_finish}

#endif
