/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2.2) in portable C.
 *
 * Technique: sixteen rounds per pass, so that the working variables change names instead of places
 *   and the message schedule is a ring of sixteen words. One message.
 * State: words a to h in the order of sha256.h.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without SHA instructions, and as the reference for the other variants.
 */
#include "sha256/sha256.h"

typedef uint32_t word;
#define LOAD load_be32
#define STORE store_be32
#define AT(letter) SHA256_##letter
#define ROUNDS 64
#define K sha256_k
#define INITIAL sha256_initial

#include "common/sha2_portable.h"

JM_SHA256_VARIANT(portable, 0, JM_TARGET_ANY, sizeof sha256_initial, "portable C")
