/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 and SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section
 * 2), and the 128-bit tag of the authors' reference implementation, which the paper does not
 * describe.
 * Technique: four 64-bit words in registers; the last word is loaded without passing through
 *   memory; the key state is the initial v0 to v3, so that a tag starts with the first round.
 * State layout: a key is v0 to v3 and JM_LIVE; a stream adds the word being filled and the length.
 * CPU features: none.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/secret.h).
 * Best for: very short messages under a secret key, with 64-bit tags. */
#include "siphash/siphash_parameters.h"

#define ROTATE rotl64
#define VARIANT portable
#define ROUNDS_INLINE JM_INLINE
enum { STACK_BYTES = sizeof(uintptr_t) < 8 ? 320 : 128 }; /* a word in two registers takes more */

#include "siphash/siphash_words.h"

DEFINE_SIPHASH("siphash-1-3", siphash_1_3, 1, 3, 8, "64-bit words in plain C.")
DEFINE_SIPHASH("siphash-2-4", siphash_2_4, 2, 4, 8, "64-bit words in plain C.")
DEFINE_SIPHASH("siphash-2-4-128", siphash_2_4_128, 2, 4, 16, "64-bit words in plain C.")
