/* SPDX-License-Identifier: Apache-2.0
 *
 * HalfSipHash-2-4 (Aumasson, reference implementation of SipHash, halfsiphash.c), with a tag of 32
 * bits and with a tag of 64 bits, in C for CPUs whose registers hold 8 bits.
 * Technique: as siphash_words.h; four words in half of an AVR's registers, and rotations made of
 * bytes (common/byte_words.h). State layout: a key is v0 to v3 and JM_LIVE; a stream adds the word
 * being filled and the length. CPU features: none. Constant time: additions, rotations and XOR;
 * branches depend on lengths alone. Checked by tests/native/constant_time.c. Functions have an
 * outer and an inner half (common/secret.h). Best for: ATmega; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "common/byte_words.h"
#include "siphash/halfsiphash_parameters.h"

#define ROTATE byte_rotl
#define VARIANT mcu8
#define ROUNDS_INLINE JM_ONCE
#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 128 };
#else
enum { STACK_BYTES = 192 };
#endif

#include "siphash/siphash_words.h"

#define NOTE "Words of bytes in C, for CPUs whose registers hold 8 bits."
DEFINE_SIPHASH("halfsiphash-2-4", halfsiphash_2_4, 2, 4, 4, NOTE)
DEFINE_SIPHASH("halfsiphash-2-4-64", halfsiphash_2_4_64, 2, 4, 8, NOTE)
