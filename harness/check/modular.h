/* SPDX-License-Identifier: Apache-2.0
 * Numbers below 2^160 and their arithmetic modulo primes below 2^131, slow and plain: a message is
 * steered once, and a product takes microseconds. Private to steered.c. */
#ifndef JM_CHECK_MODULAR_H
#define JM_CHECK_MODULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NUMBER_LIMBS 5u

/* The lowest limb comes first. */
typedef struct number {
    uint32_t limb[NUMBER_LIMBS];
} number;

static inline number of(uint64_t high, uint64_t low) {
    return (number){{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
}
static inline uint64_t low_of(const number *a) {
    return (uint64_t)a->limb[1] << 32 | a->limb[0];
}
static inline uint64_t high_of(const number *a) {
    return (uint64_t)a->limb[3] << 32 | a->limb[2];
}
static inline bool fits(const number *a, unsigned bits) {
    for (unsigned bit = bits; bit < 32 * NUMBER_LIMBS; bit++)
        if (a->limb[bit / 32] >> bit % 32 & 1) return false;
    return true;
}

static inline number plus(number a, number b) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < NUMBER_LIMBS; i++, carry >>= 32)
        a.limb[i] = (uint32_t)(carry += (uint64_t)a.limb[i] + b.limb[i]);
    return a;
}

static inline number minus(number a, number b) {
    int64_t carry = 0;
    for (unsigned i = 0; i < NUMBER_LIMBS; i++, carry >>= 32)
        a.limb[i] = (uint32_t)(carry += (int64_t)a.limb[i] - b.limb[i]);
    return a;
}

static inline bool less(const number *a, const number *b) {
    for (unsigned i = NUMBER_LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i];
    return false;
}

static inline number power_of_2(unsigned bit) {
    number a = {{0}};
    a.limb[bit / 32] = UINT32_C(1) << bit % 32;
    return a;
}

/* a b modulo p, for any a and for b < p: also the way to reduce a. */
static inline number product(number a, number b, const number *p) {
    number sum = {{0}};
    for (unsigned bit = 32 * NUMBER_LIMBS; bit-- > 0;) {
        sum = plus(sum, sum);
        if (!less(&sum, p)) sum = minus(sum, *p);
        if (!(a.limb[bit / 32] >> bit % 32 & 1)) continue;
        sum = plus(sum, b);
        if (!less(&sum, p)) sum = minus(sum, *p);
    }
    return sum;
}

static inline number reduced(number a, const number *p) {
    return product(a, of(0, 1), p);
}

/* a + b and a - b modulo p, for a and b below p. */
static inline number sum_of(number a, number b, const number *p) {
    const number sum = plus(a, b);
    return less(&sum, p) ? sum : minus(sum, *p);
}
static inline number difference(number a, number b, const number *p) {
    return less(&a, &b) ? minus(plus(a, *p), b) : minus(a, b);
}

static inline number half_of(number a) {
    for (unsigned i = 0; i < NUMBER_LIMBS; i++)
        a.limb[i] = a.limb[i] >> 1 | (i + 1 < NUMBER_LIMBS ? a.limb[i + 1] << 31 : 0);
    return a;
}

/* 1 / a modulo the odd prime p, and 0 for a = 0, by the binary algorithm of Euclid: u = a x and
 * v = a y modulo p, until u is 1. */
static inline number inverse(number a, const number *p) {
    number u = a, v = *p, x = of(0, 1), y = of(0, 0);
    const number one = of(0, 1);
    if (!memcmp(&a, &y, sizeof a)) return y;
    while (memcmp(&u, &one, sizeof u)) {
        while (!(u.limb[0] & 1)) {
            u = half_of(u);
            x = half_of(x.limb[0] & 1 ? plus(x, *p) : x);
        }
        if (less(&u, &v)) {
            const number other = u, its = x;
            u = v, v = other, x = y, y = its;
        }
        if (!memcmp(&u, &one, sizeof u)) break;
        u = minus(u, v);
        x = difference(x, y, p);
    }
    return x;
}

#endif
