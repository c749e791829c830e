/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE ("SHA-3 proposal BLAKE", version 1.3, sections 2.1 and 2.2) in portable C.
 *
 * Technique: words of the function's width, rounds unrolled. One message.
 * State: the specification's, v[0] to v[15].
 * CPU: any.
 * Constant time: sums, rotations and logic; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#define BLAKE_BITS 32
#include "blake/blake_rounds.h"
#undef BLAKE_BITS
#define BLAKE_BITS 64
#include "blake/blake_rounds.h"

JM_BLAKE_VARIANT(portable, 0, true, "portable C")
