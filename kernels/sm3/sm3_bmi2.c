/* SPDX-License-Identifier: Apache-2.0
 *
 * SM3 (GB/T 32905-2016) with BMI1 and BMI2.
 *
 * Technique: as sm3_portable.c; RORX rotates into another register, ANDN negates and ANDs in one
 * instruction.
 * CPU: BMI1, BMI2.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: one message at a time.
 */
#if defined(__x86_64__)
#include "sm3/sm3_rounds.h"

JM_SM3_VARIANT(bmi2, JM_CPU_BMI2, "general registers with BMI1 and BMI2")

#endif
