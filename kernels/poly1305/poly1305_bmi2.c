/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5) as in poly1305_portable.c, with MULX, which does not change the
 * flags, so that the carry stays in its flag.
 * State layout and constant time: as in poly1305_portable.c. CPU features: BMI2. Best for: messages
 * below 240 bytes, which the vector variants pass to this one. */
#include "poly1305/poly1305.h"

#if defined(__x86_64__)
#include "poly1305/poly1305_scalar.h"

/* For registers that are saved or spilled. */
enum { STACK_BYTES = 256, UPDATE_STACK_BYTES = 256 };

static inline void absorb_blocks(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                                 size_t blocks) {
    jm_poly1305_absorb_blocks(h, key, in, blocks);
}

static inline size_t absorb_most(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                                 size_t bytes) {
    jm_poly1305_absorb_blocks(h, key, in, bytes / JM_POLY1305_BLOCK_BYTES);
    return bytes % JM_POLY1305_BLOCK_BYTES;
}

#include "poly1305/poly1305_variant.h"

jm_status jm_poly1305_bmi2_set_key(const jm_implementation *self, void *key_state,
                                   const uint8_t *key, size_t key_bytes) {
    return set_key(self, key_state, key, key_bytes);
}

jm_status jm_poly1305_bmi2_tag(const jm_implementation *self, const void *key_state,
                               const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    return tag_message(self, key_state, message, message_bytes, tag);
}

JM_POLY1305_VARIANT(bmi2, JM_CPU_BMI2, true, "64-bit limbs with MULX, one block at a time.");
#else
typedef int jm_poly1305_bmi2_needs_x86_64;
#endif
