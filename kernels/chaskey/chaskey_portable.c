/* SPDX-License-Identifier: Apache-2.0
 *
 * Chaskey, Chaskey-12 and Chaskey-LTS (Mouha et al., 2014, section 3) in portable C.
 * Technique: four 32-bit words in registers, rounds unrolled (chaskey_words.h).
 * State layout: a key is K, K1, K2 and JM_LIVE; a chaining value is four words.
 * CPU features: none.
 * Constant time: additions, rotations and XOR, and a mask in the doubling; branches depend on
 *   lengths alone. Checked by tests/native/constant_time.c. Functions have an outer and an inner
 *   half (common/block_mac.h).
 * Best for: 32-bit CPUs without AES in hardware. */
#include "common/secret.h"
#include "common/words.h"

#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 96 };
#else
enum { STACK_BYTES = 192 };
#endif

#define ROTATE rotl32
#define PERMUTE_INLINE JM_INLINE
#define PERMUTE_UNROLLED _Pragma("GCC unroll 16")
#include "chaskey/chaskey_words.h"

CHASKEY_VARIANT(portable, "32-bit words in plain C.")
