/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon's hashes (SP 800-232; Ascon v1.2) in portable C.
 *
 * Technique: five 64-bit words, twelve rounds unrolled. One message.
 * CPU: any; for 64-bit machines.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "ascon/ascon_prf.h"
#include "ascon/ascon_rounds.h"

JM_ASCON_VARIANT(portable, 0, "portable C")
JM_ASCON_PRF(portable, 0, "portable C")
