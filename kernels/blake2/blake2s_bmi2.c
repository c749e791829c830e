/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2s-256 (RFC 7693) with BMI2.
 *
 * Technique: as blake2s_portable.c, in general registers; RORX rotates into another register.
 * CPU: BMI2.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: one message at a time.
 */
#if defined(__x86_64__)
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

JM_BLAKE2_VARIANT(blake2s, "blake2s-256", bmi2, JM_CPU_BMI2,
                  "rotations by RORX, one message at a time", true, BLAKE2S_BLOCK_BYTES,
                  BLAKE2S_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2s_mac, "blake2s-mac", bmi2, JM_CPU_BMI2,
              "rotations by RORX, one message at a time", true, BLAKE2S_BLOCK_BYTES,
              BLAKE2S_DIGEST_BYTES, BLAKE2_MAC_STACK_BYTES)

#endif
