/* SPDX-License-Identifier: Apache-2.0
 *
 * Chaskey, Chaskey-12 and Chaskey-LTS (Mouha et al., 2014, section 3) in C for CPUs whose registers
 * hold 8 bits.
 * Technique: four words in half of an AVR's registers, a loop over the rounds, which the whole
 * family shares; rotations made of bytes (common/byte_words.h). State layout: as chaskey_words.h.
 * CPU features: none. Constant time: additions, rotations and XOR, and a mask in the doubling;
 * branches depend on lengths alone. Checked by tests/native/constant_time.c. Functions have an
 * outer and an inner half (common/block_mac.h). Best for: ATmega; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "common/byte_words.h"

#if defined(__AVR__)
enum { STACK_BYTES = 128 };
#elif defined(JM_FREESTANDING)
enum { STACK_BYTES = 192 };
#else
enum { STACK_BYTES = 384 };
#endif

#define ROTATE byte_rotl
#define PERMUTE_INLINE JM_ONCE
#define PERMUTE_UNROLLED _Pragma("GCC unroll 16")
#include "chaskey/chaskey_words.h"

CHASKEY_VARIANT(mcu8, "Words of bytes in C, for CPUs whose registers hold 8 bits.")
