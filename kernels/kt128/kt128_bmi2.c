/* SPDX-License-Identifier: Apache-2.0
 *
 * KT128 (RFC 9861) with BMI1's ANDN and BMI2's RORX.
 *
 * Technique: the rounds of keccak/keccak_rounds.h, one chunk after the other, as
 *   keccak/keccak_bmi2.c.
 * CPU: BMI1 and BMI2.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: messages of less than 16 KiB.
 */
#if defined(__x86_64__)
#define KECCAK_FIRST_ROUND 12
#include "keccak/keccak_rounds.h"

#include "kt128/kt128.h"
_Static_assert(KECCAK_FIRST_ROUND == KT128_FIRST_ROUND, "section 2.1");

void jm_kt128_absorb_bmi2(uint64_t state[KECCAK_WORDS], const uint8_t *blocks, size_t rate_words,
                          size_t count) {
    absorb(state, blocks, rate_words, count);
}

JM_KT128_VARIANT(bmi2, JM_CPU_BMI2, jm_kt128_absorb_bmi2, NULL, 1, true,
                 "general registers with BMI1 and BMI2")

#endif
