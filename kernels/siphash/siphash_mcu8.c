/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 and SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section
 * 2), and the 128-bit tag of the authors' reference implementation, in C for CPUs whose registers
 * hold 8 bits. Technique: as siphash_words.h; words are taken apart into halves, which are rotated
 * by whole bytes and by at most three steps of one bit. State layout: a key is v0 to v3 and
 * JM_LIVE; a stream adds the word being filled and the length. CPU features: none. Constant time:
 * additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/secret.h).
 * Best for: ATmega, where HalfSipHash does not suffice; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "common/byte_words.h"
#include "siphash/siphash_parameters.h"

/* A word, taken apart: the compiler would call a function for each operation on 64 bits. The halves
 * lie as those of a word of 64 bits. */
typedef struct {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t low, high;
#else
    uint32_t high, low;
#endif
} halves;

/* The carry comes from the upper bits of both numbers and of their sum: a comparison of the numbers
 * would be a branch on an AVR. */
JM_INLINE halves add(halves x, halves y) {
    const jm_byte_word a = {x.low}, b = {y.low}, sum = {x.low + y.low};
    const uint8_t both = JM_BYTE(a, 3) & JM_BYTE(b, 3), either = JM_BYTE(a, 3) | JM_BYTE(b, 3);
    const uint8_t carry = (uint8_t)(both | (either & ~JM_BYTE(sum, 3))) >> 7;
    return (halves){.low = sum.word, .high = x.high + y.high + carry};
}

JM_INLINE halves exclusive_or(halves x, halves y) {
    return (halves){.low = x.low ^ y.low, .high = x.high ^ y.high};
}

JM_INLINE halves exchanged(halves x) {
    return (halves){.low = x.high, .high = x.low};
}

/* Rotates to the left by `bytes`: 2 or 3. */
JM_INLINE halves rotate_bytes(halves x, unsigned bytes) {
    const jm_byte_word low = {x.low}, high = {x.high};
    jm_byte_word to_low, to_high;
#define FROM(i) ((i) % 8 < 4 ? JM_BYTE(low, (i) % 4) : JM_BYTE(high, (i) % 4))
    JM_BYTE(to_low, 0) = FROM(8 - bytes), JM_BYTE(to_low, 1) = FROM(9 - bytes);
    JM_BYTE(to_low, 2) = FROM(10 - bytes), JM_BYTE(to_low, 3) = FROM(11 - bytes);
    JM_BYTE(to_high, 0) = FROM(12 - bytes), JM_BYTE(to_high, 1) = FROM(13 - bytes);
    JM_BYTE(to_high, 2) = FROM(14 - bytes), JM_BYTE(to_high, 3) = FROM(15 - bytes);
#undef FROM
    return (halves){.low = to_low.word, .high = to_high.word};
}

/* Rotations by one bit to the right, and to the left. */
JM_INLINE halves step(halves x) {
    return (halves){.low = byte_shift_in(x.high, x.low), .high = byte_shift_in(x.low, x.high)};
}
JM_INLINE halves step_back(halves x) {
    return (halves){.low = byte_shift_in_below(x.low, x.high),
                    .high = byte_shift_in_below(x.high, x.low)};
}

/* Rotations by 13 = 16 - 3, 16, 17 = 16 + 1 and 21 = 24 - 3 bits to the left. */
JM_INLINE halves rotate_13(halves x) {
    return rotate_bytes(step(step(step(x))), 2);
}
JM_INLINE halves rotate_16(halves x) {
    return rotate_bytes(x, 2);
}
JM_INLINE halves rotate_17(halves x) {
    return rotate_bytes(step_back(x), 2);
}
JM_INLINE halves rotate_21(halves x) {
    return rotate_bytes(step(step(step(x))), 3);
}

/* A sip_state whose words are read as halves. */
typedef struct __attribute__((may_alias)) {
    halves v0, v1, v2, v3;
} state_in_halves;

/* SipRounds (figure 2.1). */
JM_ONCE void rounds_in_halves(state_in_halves *s, uint8_t count) {
    for (; count; count--) {
        s->v0 = add(s->v0, s->v1);
        s->v1 = exclusive_or(rotate_13(s->v1), s->v0);
        s->v0 = exchanged(s->v0);
        s->v2 = add(s->v2, s->v3);
        s->v3 = exclusive_or(rotate_16(s->v3), s->v2);
        s->v0 = add(s->v0, s->v3);
        s->v3 = exclusive_or(rotate_21(s->v3), s->v0);
        s->v2 = add(s->v2, s->v1);
        s->v1 = exclusive_or(rotate_17(s->v1), s->v2);
        s->v2 = exchanged(s->v2);
    }
}

/* Replaces the rounds of siphash_words.h. */
#define SIP_ROUNDS(s, rounds) rounds_in_halves((state_in_halves *)(s), (uint8_t)(rounds))

#define VARIANT mcu8
#define ROUNDS_INLINE JM_ONCE
#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 192 };
#else
enum { STACK_BYTES = 320 };
#endif

#include "siphash/siphash_words.h"

#define NOTE "Words of bytes in C, for CPUs whose registers hold 8 bits."
DEFINE_SIPHASH("siphash-1-3", siphash_1_3, 1, 3, 8, NOTE)
DEFINE_SIPHASH("siphash-2-4", siphash_2_4, 2, 4, 8, NOTE)
DEFINE_SIPHASH("siphash-2-4-128", siphash_2_4_128, 2, 4, 16, NOTE)
