/* SPDX-License-Identifier: Apache-2.0
 *
 * RIPEMD-160 in portable C.
 *
 * Technique: all steps unrolled, so that words keep their registers. One message.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "ripemd160/ripemd160_steps.h"

JM_RIPEMD160_VARIANT(portable, 0, "portable C")
