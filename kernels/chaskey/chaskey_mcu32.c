/* SPDX-License-Identifier: Apache-2.0
 *
 * Chaskey, Chaskey-12 and Chaskey-LTS (Mouha et al., 2014, section 3) in C for 32-bit
 * microcontrollers.
 * Technique: four words in registers, a loop over the rounds: unrolled rounds fill a small cache,
 *   and on a Cortex-M0+, which takes rotation counts only from registers, the registers. State
 *   layout: as chaskey_words.h.
 * CPU features: none.
 * Constant time: additions, rotations and XOR, and a mask in the doubling; branches depend on
 *   lengths alone. Checked by tests/native/constant_time.c, and on targets by tests/firmware.
 *   Functions have an outer and an inner half (common/block_mac.h).
 * Best for: Cortex-M0+ and VexRiscv, and CPUs with little flash; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "common/secret.h"
#include "common/words.h"

#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 96 };
#else
enum { STACK_BYTES = 192 };
#endif

#define ROTATE rotl32
#define PERMUTE_INLINE JM_INLINE
#define PERMUTE_UNROLLED _Pragma("GCC unroll 1")
#include "chaskey/chaskey_words.h"

CHASKEY_VARIANT(mcu32, "One round a loop, for 32-bit microcontrollers.")
