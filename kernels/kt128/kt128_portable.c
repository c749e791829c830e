/* SPDX-License-Identifier: Apache-2.0
 *
 * KT128 (RFC 9861) in portable C.
 *
 * Technique: the rounds of keccak/keccak_rounds.h, one chunk after the other.
 * CPU: any; for 64-bit machines.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#define KECCAK_FIRST_ROUND 12
#include "keccak/keccak_rounds.h"

#include "kt128/kt128.h"
_Static_assert(KECCAK_FIRST_ROUND == KT128_FIRST_ROUND, "section 2.1");

JM_KT128_VARIANT(portable, 0, absorb, NULL, 1, true, "portable C")
