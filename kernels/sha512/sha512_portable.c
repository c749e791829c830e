/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 (FIPS 180-4, section 6.4.2) in portable C.
 *
 * Technique: sixteen rounds per pass, so that the working variables change names instead of places
 *   and the message schedule is a ring of sixteen words. One message.
 * State: words a to h in order.
 * CPU: any; for 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: 64-bit CPUs without SHA-512 instructions, and as the reference for other variants.
 */
#include "sha512/sha512.h"

typedef uint64_t word;
#define LOAD load_be64
#define STORE store_be64
#define AT(letter) SHA512_##letter
#define ROUNDS 80
#define K sha512_k
#define INITIAL sha512_initial

#include "common/sha2_portable.h"

JM_SHA512_VARIANT(portable, 0, JM_TARGET_ANY, sizeof sha512_initial, "portable C")
