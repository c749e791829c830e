/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2s-256 (RFC 7693) in portable C.
 *
 * Technique: sixteen words in as many registers as the CPU has, words of the block from memory.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "blake2/blake2.h"

typedef uint32_t word;
#define LOAD load_le32
#define STORE store_le32
#define ROTATE rotr32
#define ROTATE_1 16
#define ROTATE_2 12
#define ROTATE_3 8
#define ROTATE_4 7
#define ROUNDS 10
#define INITIAL blake2s_initial
#define DIGEST_BYTES BLAKE2S_DIGEST_BYTES

#include "blake2/blake2_mac.h"
#include "blake2/blake2_rounds.h"

JM_BLAKE2_VARIANT(blake2s, "blake2s-256", portable, 0, "portable C", true, BLAKE2S_BLOCK_BYTES,
                  BLAKE2S_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2s_mac, "blake2s-mac", portable, 0, "portable C", true, BLAKE2S_BLOCK_BYTES,
              BLAKE2S_DIGEST_BYTES, BLAKE2_MAC_STACK_BYTES)
