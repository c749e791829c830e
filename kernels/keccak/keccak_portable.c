/* SPDX-License-Identifier: Apache-2.0
 *
 * The Keccak family (FIPS 202; the Keccak submission, versions 2 and 3) in portable C.
 *
 * Technique: 64-bit words, two rounds per pass, a row at a time. One message.
 * State: the standard's, word x + 5y for lane (x, y).
 * CPU: any; for 64-bit machines.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "keccak/keccak_rounds.h"

#define VARIANT "portable"
#define FEATURES 0
#define NOTE "portable C"

JM_KECCAK_VARIANT(portable)
