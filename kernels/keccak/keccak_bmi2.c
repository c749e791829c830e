/* SPDX-License-Identifier: Apache-2.0
 *
 * The Keccak family (FIPS 202; the Keccak submission, versions 2 and 3) with BMI1's ANDN and BMI2's
 * RORX.
 *
 * Technique: the rounds of keccak_rounds.h, with ~x & y as one instruction and rotations that need
 * no copy. CMakeLists.txt keeps the order of the source, because GCC's scheduler moves loads ahead
 * and causes spills. One message. State: the standard's, word x + 5y for lane (x, y). CPU: BMI1 and
 * BMI2, one feature in joulemark/cpu.h. Constant time: rotations and logic only; checked by
 * tests/native/constant_time.c. Best for: one message at a time.
 */
#if defined(__x86_64__)
#include "keccak/keccak_rounds.h"

#define VARIANT "bmi2"
#define FEATURES JM_CPU_BMI2
#define NOTE "general registers with BMI1 and BMI2"

JM_KECCAK_VARIANT(bmi2)

#endif
