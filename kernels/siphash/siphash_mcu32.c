/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 and SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section
 * 2), and the 128-bit tag of the authors' reference implementation, in C for 32-bit
 * microcontrollers. Technique: as siphash_words.h, without the order of operations that suits
 * registers of 64 bits: a word takes two registers of 32 bits, and a state eight of the thirteen.
 * State layout: a key is v0 to v3 and JM_LIVE; a stream adds the word being filled and the length.
 *   CPU features: none. Constant time: additions, rotations and XOR; branches depend on lengths
 *   alone. Checked by tests/native/constant_time.c. Functions have an outer and an inner half
 *   (common/secret.h).
 * Best for: Cortex-M; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "siphash/siphash_parameters.h"

#define ROTATE rotl64
#define VARIANT mcu32
#define ROUNDS_INLINE JM_INLINE
/* Arm has no cache that unrolled rounds could fill. */
#if defined(__arm__)
#define SIP_UNROLLED JM_UNROLL(4)
#else
#define SIP_UNROLLED
#endif
#define SIP_ROUNDS(s, rounds)                                                                      \
    do {                                                                                           \
        sip_state in_registers = *(s);                                                             \
        SIP_UNROLLED                                                                               \
        for (unsigned i = 0; i < (rounds); i++) SIP_ROUND(&in_registers, SIP_ANYWHERE);            \
        *(s) = in_registers;                                                                       \
    } while (0)
#if defined(JM_FREESTANDING) &&                                                                    \
    (defined(__riscv) || (defined(__arm__) && !defined(__ARM_ARCH_6M__)))
enum { STACK_BYTES = 96 };
#elif defined(JM_FREESTANDING)
enum { STACK_BYTES = 224 };
#else
enum { STACK_BYTES = 192 };
#endif

#include "siphash/siphash_words.h"

#define NOTE "64-bit words in C, for 32-bit microcontrollers."
DEFINE_SIPHASH("siphash-1-3", siphash_1_3, 1, 3, 8, NOTE)
DEFINE_SIPHASH("siphash-2-4", siphash_2_4, 2, 4, 8, NOTE)
DEFINE_SIPHASH("siphash-2-4-128", siphash_2_4_128, 2, 4, 16, NOTE)
