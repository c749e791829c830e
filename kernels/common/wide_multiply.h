/* SPDX-License-Identifier: Apache-2.0
 * Numbers of 128 bits, and products of two of 64: by the compiler's 128-bit integers where it has
 * them, and else by halves of 32 bits. Sums are modulo 2^128. */
#ifndef JM_WIDE_MULTIPLY_H
#define JM_WIDE_MULTIPLY_H

#include "common/secret.h"

#include <stdint.h>

typedef struct {
    uint64_t low, high;
} jm_wide_halves;

/* The product a b. The middle sum holds two products of 32 bits and a carry: below 2^64. */
JM_INLINE jm_wide_halves jm_wide_multiply_halves(uint64_t a, uint64_t b) {
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0, one = a1 * b0, other = a0 * b1;
    const uint64_t middle = (low >> 32) + (uint32_t)one + (uint32_t)other;
    return (jm_wide_halves){middle << 32 | (uint32_t)low,
                            a1 * b1 + (one >> 32) + (other >> 32) + (middle >> 32)};
}

JM_INLINE jm_wide_halves jm_wide_add_halves(jm_wide_halves a, jm_wide_halves b) {
    const uint64_t low = a.low + b.low;
    return (jm_wide_halves){low, a.high + b.high + (low < b.low)};
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 jm_wide;

JM_INLINE jm_wide jm_wide_of(uint64_t low, uint64_t high) {
    return (jm_wide)high << 64 | low;
}
JM_INLINE uint64_t jm_wide_low(jm_wide a) {
    return (uint64_t)a;
}
JM_INLINE uint64_t jm_wide_high(jm_wide a) {
    return (uint64_t)(a >> 64);
}
JM_INLINE jm_wide jm_wide_add(jm_wide a, jm_wide b) {
    return a + b;
}
JM_INLINE jm_wide jm_wide_multiply(uint64_t a, uint64_t b) {
    return (jm_wide)a * b;
}
#else
typedef jm_wide_halves jm_wide;

JM_INLINE jm_wide jm_wide_of(uint64_t low, uint64_t high) {
    return (jm_wide){low, high};
}
JM_INLINE uint64_t jm_wide_low(jm_wide a) {
    return a.low;
}
JM_INLINE uint64_t jm_wide_high(jm_wide a) {
    return a.high;
}
JM_INLINE jm_wide jm_wide_add(jm_wide a, jm_wide b) {
    return jm_wide_add_halves(a, b);
}
JM_INLINE jm_wide jm_wide_multiply(uint64_t a, uint64_t b) {
    return jm_wide_multiply_halves(a, b);
}
#endif

#endif
