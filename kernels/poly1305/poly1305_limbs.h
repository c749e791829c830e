/* SPDX-License-Identifier: Apache-2.0
 * Numbers modulo p = 2^130 - 5 in limbs of 44, 44 and 42 bits, for powers of r. "Carried" limbs
 * exceed their width by less than 2^11. */
#ifndef JM_POLY1305_LIMBS_H
#define JM_POLY1305_LIMBS_H

#include "poly1305/poly1305_scalar.h"

#define JM_POLY1305_MASK44 ((UINT64_C(1) << 44) - 1)
#define JM_POLY1305_MASK42 ((UINT64_C(1) << 42) - 1)

typedef struct {
    uint64_t l0, l1, l2; /* l0 + l1 2^44 + l2 2^88 */
} jm_poly1305_limbs;

static inline jm_poly1305_limbs jm_poly1305_split(uint64_t w0, uint64_t w1, uint64_t w2) {
    return (jm_poly1305_limbs){w0 & JM_POLY1305_MASK44, (w0 >> 44 | w1 << 20) & JM_POLY1305_MASK44,
                               w1 >> 24 | w2 << 40};
}

/* The sum of limbs of any size below 2^63. */
static inline jm_poly1305_sum jm_poly1305_join(uint64_t l0, uint64_t l1, uint64_t l2) {
    l1 += l0 >> 44;
    l2 += l1 >> 44;
    l0 = (l0 & JM_POLY1305_MASK44) + 5 * (l2 >> 42); /* < 2^44 + 2^24 */
    l1 = (l1 & JM_POLY1305_MASK44) + (l0 >> 44);     /* <= 2^44 */
    l2 = (l2 & JM_POLY1305_MASK42) + (l1 >> 44);     /* <= 2^42 */
    l0 &= JM_POLY1305_MASK44;
    l1 &= JM_POLY1305_MASK44;
    return (jm_poly1305_sum){l0 | l1 << 44, l1 >> 20 | l2 << 24, l2 >> 40};
}

static inline jm_poly1305_limbs jm_poly1305_carry(jm_poly1305_uint128 d0, jm_poly1305_uint128 d1,
                                                  jm_poly1305_uint128 d2) { /* all below 2^95 */
    const uint64_t l0 = ((uint64_t)d0 & JM_POLY1305_MASK44) + 5 * (uint64_t)(d2 >> 42);
    const uint64_t l1 = ((uint64_t)d1 & JM_POLY1305_MASK44) + (uint64_t)(d0 >> 44);
    const uint64_t l2 = ((uint64_t)d2 & JM_POLY1305_MASK42) + (uint64_t)(d1 >> 44);
    return (jm_poly1305_limbs){(l0 & JM_POLY1305_MASK44) + 5 * (l2 >> 42),
                               (l1 & JM_POLY1305_MASK44) + (l0 >> 44),
                               (l2 & JM_POLY1305_MASK42) + (l1 >> 44)};
}

/* a b modulo p, carried, of carried factors. As 2^132 = 20 modulo p, a product that would belong to
 * limb 3 is added to limb 0 twenty times. */
static inline jm_poly1305_limbs jm_poly1305_multiply(jm_poly1305_limbs a, jm_poly1305_limbs b) {
    typedef jm_poly1305_uint128 uint128;
    const uint64_t b1 = 20 * b.l1, b2 = 20 * b.l2;
    const uint128 d0 = (uint128)a.l0 * b.l0 + (uint128)a.l1 * b2 + (uint128)a.l2 * b1;
    const uint128 d1 = (uint128)a.l0 * b.l1 + (uint128)a.l1 * b.l0 + (uint128)a.l2 * b2;
    const uint128 d2 = (uint128)a.l0 * b.l2 + (uint128)a.l1 * b.l1 + (uint128)a.l2 * b.l0;
    return jm_poly1305_carry(d0, d1, d2);
}

static inline jm_poly1305_limbs jm_poly1305_square(jm_poly1305_limbs a) {
    typedef jm_poly1305_uint128 uint128;
    return jm_poly1305_carry((uint128)a.l0 * a.l0 + (uint128)(2 * a.l1) * (20 * a.l2),
                             (uint128)(2 * a.l0) * a.l1 + (uint128)a.l2 * (20 * a.l2),
                             (uint128)(2 * a.l0) * a.l2 + (uint128)a.l1 * a.l1);
}

#endif
