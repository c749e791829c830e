/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5): the message as a polynomial over GF(2^130 - 5), evaluated at
 * r, plus s modulo 2^128.
 * Technique: limbs of 64 bits and products of 64 x 64 bits, one block at a time
 * (poly1305_scalar.h).
 * State layout: a key is r and s and JM_LIVE; a stream adds the accumulator h0 + h1 2^64 + h2 2^128
 * and the incomplete block. CPU features: none, but a compiler with 128-bit integers. Constant
 * time: as far as the CPU's multiplication takes constant time; branches depend on lengths alone.
 * Checked by tests/native/constant_time.c. Functions have an outer and an inner half
 * (common/secret.h). Best for: CPUs without MULX. */
#include "poly1305/poly1305.h"

#if defined(__SIZEOF_INT128__)
#include "poly1305/poly1305_scalar.h"

/* For registers that are saved or spilled. */
enum { STACK_BYTES = 320, UPDATE_STACK_BYTES = 320 };

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

JM_POLY1305_VARIANT(portable, 0, true, "64-bit limbs in plain C, one block at a time.");
#else
typedef int jm_poly1305_portable_needs_int128;
#endif
