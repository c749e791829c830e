/* SPDX-License-Identifier: Apache-2.0
 *
 * SM3 (GB/T 32905-2016) in portable C.
 *
 * Technique: all rounds unrolled, so that words keep their registers. One message.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "sm3/sm3_rounds.h"

JM_SM3_VARIANT(portable, 0, "portable C")
