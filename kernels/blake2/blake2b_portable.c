/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2b-512 (RFC 7693) in portable C.
 *
 * Technique: sixteen words in as many registers as the CPU has, words of the block from memory.
 * CPU: any; for 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "blake2/blake2.h"

typedef uint64_t word;
#define LOAD load_le64
#define STORE store_le64
#define ROTATE rotr64
#define ROTATE_1 32
#define ROTATE_2 24
#define ROTATE_3 16
#define ROTATE_4 63
#define ROUNDS 12
#define INITIAL blake2b_initial
#define DIGEST_BYTES BLAKE2B_DIGEST_BYTES

#include "blake2/blake2_mac.h"
#include "blake2/blake2_rounds.h"

JM_BLAKE2_VARIANT(blake2b, "blake2b-512", portable, 0, "portable C", true, BLAKE2B_BLOCK_BYTES,
                  BLAKE2B_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2b_mac, "blake2b-mac", portable, 0, "portable C", true, BLAKE2B_BLOCK_BYTES,
              BLAKE2B_DIGEST_BYTES, BLAKE2_MAC_STACK_BYTES)
