/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon's hashes (SP 800-232; Ascon v1.2) with BMI1 and BMI2.
 *
 * Technique: as ascon_portable.c; ANDN serves the S-box, RORX the diffusion.
 * CPU: BMI1, BMI2.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: one message at a time.
 */
#if defined(__x86_64__)
#include "ascon/ascon_prf.h"
#include "ascon/ascon_rounds.h"

JM_ASCON_VARIANT(bmi2, JM_CPU_BMI2, "general registers with BMI1 and BMI2")
JM_ASCON_PRF(bmi2, JM_CPU_BMI2, "general registers with BMI1 and BMI2")

#endif
