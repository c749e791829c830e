/* SPDX-License-Identifier: Apache-2.0
 *
 * The Keccak family (FIPS 202; the Keccak submission, versions 2 and 3) with BMI1's ANDN and BMI2's
 * RORX.
 *
 * Technique: the rounds of keccak_rounds.h, whose ~x & y is then one instruction and whose
 * rotations need no copy; in the order of the source (CMakeLists.txt), because GCC's scheduler,
 * moving loads ahead, makes it spill. One message. State: the standard's, word x + 5y for lane (x,
 * y). CPU: BMI1 and BMI2, which joulemark/cpu.h asks as one. Constant time: rotations and logic
 * only; checked by tests/native/constant_time.c. Best for: one message at a time.
 */
#if defined(__x86_64__)
#include "keccak/keccak_rounds.h"

#define VARIANT "bmi2"
#define FEATURES JM_CPU_BMI2
#define NOTE "general registers with BMI1 and BMI2"

JM_KECCAK_VARIANT(bmi2)

#endif
