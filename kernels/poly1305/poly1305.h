/* SPDX-License-Identifier: Apache-2.0
 * Poly1305 (RFC 8439, section 2.5): a key of 32 bytes, r then s, for one message only; and
 * Poly1305-AES (bernstein2005): a key of AES-128, then r, for messages that each have another nonce
 * of 16 bytes. */
#ifndef JM_POLY1305_H
#define JM_POLY1305_H

#include "joulemark/kernel.h"

#define JM_POLY1305_KEY_BYTES 32u
#define JM_POLY1305_BLOCK_BYTES 16u
#define JM_POLY1305_TAG_BYTES 16u
#define JM_POLY1305_STREAM_BYTES 88u

extern const jm_implementation jm_poly1305_mcu8, jm_poly1305_mcu32;
extern const jm_implementation jm_poly1305_portable;
extern const jm_implementation jm_poly1305_bmi2;
extern const jm_implementation jm_poly1305_avx2;
extern const jm_implementation jm_poly1305_avx512ifma;
extern const jm_implementation jm_poly1305_aes_portable;
extern const jm_implementation jm_poly1305_aes_bmi2;
extern const jm_implementation jm_poly1305_aes_avx2;
extern const jm_implementation jm_poly1305_aes_avx512ifma;

/* Functions of `bmi2`, which the vector variants use for keys (they have the same key states) and
 * for short messages. */
jm_status jm_poly1305_bmi2_set_key(const jm_implementation *self, void *key_state,
                                   const uint8_t *key, size_t key_bytes);
jm_status jm_poly1305_bmi2_tag(const jm_implementation *self, const void *key_state,
                               const uint8_t *message, size_t message_bytes, uint8_t *tag);

#endif
