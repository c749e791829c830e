/* SPDX-License-Identifier: Apache-2.0
 *
 * HalfSipHash-2-4 (Aumasson, reference implementation of SipHash, halfsiphash.c), with a tag of 32
 * bits and with a tag of 64 bits.
 * Technique: as siphash_portable.c, with words of 32 bits and other rotations.
 * State layout: a key is v0 to v3 and JM_LIVE; a stream adds the word being filled and the length.
 * CPU features: none.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/secret.h).
 * Best for: CPUs with words of 32 bits; CPUs with words of 64 bits compute SipHash faster. */
#include "siphash/halfsiphash_parameters.h"

#define ROTATE rotl32
#define VARIANT portable
#define ROUNDS_INLINE JM_INLINE
enum { STACK_BYTES = 128 };

#include "siphash/siphash_words.h"

DEFINE_SIPHASH("halfsiphash-2-4", halfsiphash_2_4, 2, 4, 4, "32-bit words in plain C.")
DEFINE_SIPHASH("halfsiphash-2-4-64", halfsiphash_2_4_64, 2, 4, 8, "32-bit words in plain C.")
