/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B, RFC 4493) written once over a block cipher with 16-byte blocks, and the
 * MACs that differ from it in their subkeys and padding alone: XCBC (RFC 3566) and CBC-MAC (ISO/IEC
 * 9797-1, algorithm 1 with padding method 1), which is safe for messages of one length only.
 *
 * JM_CMAC turns a cipher into a message authentication code. The cipher's schedule must be
 * copyable byte for byte, as our own kernels' are. */
#ifndef JM_CMAC_H
#define JM_CMAC_H

#include "common/secret.h"
#include "joulemark/kernel.h"

#define JM_CMAC_BLOCK_BYTES 16u

/* Both subkeys of SP 800-38B, section 6.1; K2 and K3 of RFC 3566; zeros for CBC-MAC. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint8_t complete[JM_CMAC_BLOCK_BYTES]; /* K1: a whole last block */
    uint8_t padded[JM_CMAC_BLOCK_BYTES];                            /* K2: the last was padded */
    uint64_t live;                                                  /* JM_LIVE */
    uint64_t mark; /* the byte after a last block that is not whole: 0x80, or 0 for CBC-MAC */
} jm_cmac_subkeys;

/* A key state is the subkeys with their mark, followed by the cipher's schedule, with room for
 * lanes that load 32 bytes at once. */
#if defined(JM_FREESTANDING)
#define JM_CMAC_KEY_STATE_BYTES(schedule_bytes)                                                    \
    (sizeof(jm_cmac_subkeys) + ((size_t)(schedule_bytes) + 15) / 16 * 16)
#else
#define JM_CMAC_KEY_STATE_BYTES(schedule_bytes)                                                    \
    (sizeof(jm_cmac_subkeys) + ((size_t)(schedule_bytes) + 31) / 32 * 32)
#endif
static inline const uint8_t *jm_cmac_schedule(const void *key_state) {
    return (const uint8_t *)key_state + sizeof(jm_cmac_subkeys);
}

/* A partly absorbed message. `pending` holds its last 1 to 16 bytes, because the last block is
 * treated in another way than the others; it is empty only before the first byte. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CMAC_BLOCK_BYTES];
    uint8_t pending[JM_CMAC_BLOCK_BYTES];
    size_t pending_bytes;
    const void *key_state;
    uint64_t live; /* JM_LIVE */
} jm_cmac_stream;

jm_status jm_cmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes);
jm_status jm_xcbc_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes);
jm_status jm_cbc_mac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                             size_t key_bytes);
jm_status jm_cmac_copy_key(const jm_implementation *self, void *to, const void *from);
void jm_cmac_wipe_key(const jm_implementation *self, void *key_state);
jm_status jm_cmac_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                      size_t message_bytes, uint8_t *tag);
jm_status jm_cmac_stream_begin(const jm_implementation *self, void *stream, const void *key_state);
jm_status jm_cmac_stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                                size_t message_bytes);
jm_status jm_cmac_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag);

/* Initialiser of the functions of a MAC over a cipher with this size of schedule; `set_key_` tells
 * the MACs apart. */
#define JM_CMAC_FUNCTIONS(schedule_bytes_, set_key_)                                               \
    {.key_state_bytes = JM_CMAC_KEY_STATE_BYTES(schedule_bytes_),                                  \
     .stream_bytes = sizeof(jm_cmac_stream),                                                       \
     .set_key = (set_key_),                                                                        \
     .copy_key = jm_cmac_copy_key,                                                                 \
     .wipe_key = jm_cmac_wipe_key,                                                                 \
     .tag = jm_cmac_tag,                                                                           \
     .stream_begin = jm_cmac_stream_begin,                                                         \
     .stream_update = jm_cmac_stream_update,                                                       \
     .stream_finish = jm_cmac_stream_finish}

/* Initialiser of the implementation over `cipher_`, a jm_implementation; it runs in constant time
 * if the cipher does. */
#define JM_CMAC_CLAIMING(constant_time_, algorithm_, variant_, features_, key_bytes_, functions_,  \
                         cipher_)                                                                  \
    {.algorithm = (algorithm_),                                                                    \
     .variant = (variant_),                                                                        \
     .kind = JM_KIND_MAC,                                                                          \
     .cpu_features = (features_),                                                                  \
     .lanes = 1,                                                                                   \
     .constant_time = (constant_time_),                                                            \
     .block_bytes = JM_CMAC_BLOCK_BYTES,                                                           \
     .output_bytes = JM_CMAC_BLOCK_BYTES,                                                          \
     .key_bytes_min = (key_bytes_),                                                                \
     .key_bytes_max = (key_bytes_),                                                                \
     .key_bytes = (key_bytes_),                                                                    \
     .mac = &(functions_),                                                                         \
     .over = &(cipher_),                                                                           \
     .live = JM_LIVE(algorithm_, variant_)}

/* The same over a cipher that runs in constant time. */
#define JM_CMAC(algorithm_, variant_, features_, key_bytes_, functions_, cipher_)                  \
    JM_CMAC_CLAIMING(true, algorithm_, variant_, features_, key_bytes_, functions_, cipher_)

#endif
