/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES S-box (FIPS 197, section 5.1.1) without its constant 0x63, as a circuit of 118 AND, OR
 * and XOR gates over bit planes: x[j] holds bit j of up to 64 bytes, which all change at once.
 *
 * Derivation: GF(2^8) is seen as GF(((2^2)^2)^2) with normal bases {Y^16, Y}, {Z^4, Z}, {W^2, W},
 * where W = 0xbc, Z = 0x5c and Y = 0xfe as bytes of FIPS 197, so that Y^16 + Y = Z^4 + Z =
 * W^2 + W = 1, Z^5 = W, and v is Y^17. A byte is a1 Y^16 + a0 Y; its inverse is
 * (e a0) Y^16 + (e a1) Y with 1/e = v (a1 + a0)^2 + a1 a0. W, Z and Y were chosen among the 64
 * possible sets, and the linear parts reduced, by a search for shared sums (Paar's greedy method
 * with random ties). The identity with FIPS 197 was checked for all 256 bytes; every vector of
 * vectors/aes128 exercises it again. */
#ifndef JM_AES_SBOX_H
#define JM_AES_SBOX_H

#include <stdint.h>

static inline void substitute(uint64_t x[8]) {
    const uint64_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    const uint64_t x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];

    /* Linear forms of the input: both nibbles in the tower basis, and the sums Karatsuba needs. */
    const uint64_t t0 = x4 ^ x7;
    const uint64_t t1 = x1 ^ x7;
    const uint64_t t2 = x2 ^ x4;
    const uint64_t t3 = x2 ^ x7;
    const uint64_t t4 = t1 ^ t2;
    const uint64_t t5 = x3 ^ t4;
    const uint64_t t6 = x2 ^ t5;
    const uint64_t t7 = x0 ^ t6;
    const uint64_t t8 = x6 ^ t5;
    const uint64_t t9 = t0 ^ t8;
    const uint64_t t10 = x0 ^ t9;
    const uint64_t t11 = x5 ^ x6;
    const uint64_t t12 = t6 ^ t11;
    const uint64_t t13 = x0 ^ t11;
    const uint64_t t14 = t10 ^ t13;
    const uint64_t t15 = t6 ^ t14;
    const uint64_t t16 = x7 ^ t13;
    const uint64_t t17 = t1 ^ t16;
    const uint64_t t18 = t3 ^ t17;
    const uint64_t t19 = t7 ^ t18;
    const uint64_t t20 = t4 ^ t18;

    /* d = v (a1 + a0)^2 + a1 a0. An OR is an AND plus both inputs, which absorbs the linear part.
     */
    const uint64_t g0 = x0 & t20;
    const uint64_t g1 = t7 & t18;
    const uint64_t g2 = t6 & t4;
    const uint64_t g3 = t10 & t16;
    const uint64_t g4 = t13 & t17;
    const uint64_t g5 = t14 | t1;
    const uint64_t g6 = t9 & t0;
    const uint64_t g7 = t12 | t3;
    const uint64_t g8 = t15 & t2;
    const uint64_t m0 = g2 ^ g6;
    const uint64_t m1 = g5 ^ g6;
    const uint64_t m2 = g7 ^ m1;
    const uint64_t m3 = g8 ^ m0;
    const uint64_t m4 = g3 ^ m2;
    const uint64_t m5 = g0 ^ m0;
    const uint64_t m6 = g8 ^ m1;
    const uint64_t m7 = g4 ^ m6;
    const uint64_t m8 = g7 ^ m5;
    const uint64_t m9 = t19 ^ m4;
    const uint64_t m10 = g1 ^ t8;
    const uint64_t m11 = m3 ^ m10;

    /* e = 1 / d in GF(2^4), by the same step one level down. */
    const uint64_t d32 = m8 ^ m11;
    const uint64_t d10 = m9 ^ m7;
    const uint64_t h0 = m8 | m9;
    const uint64_t h1 = m11 | m7;
    const uint64_t h2 = d32 & d10;
    const uint64_t n0 = h2 ^ h1;
    const uint64_t h3 = h2 ^ h0;
    const uint64_t h4 = m11 ^ m7;
    const uint64_t n1 = h3 ^ h4;
    const uint64_t n10 = n1 ^ n0;
    const uint64_t k0 = n0 & m9;
    const uint64_t k1 = n1 & m7;
    const uint64_t k2 = n10 & d10;
    const uint64_t k3 = n0 & m8;
    const uint64_t k4 = n1 & m11;
    const uint64_t k5 = n10 & d32;
    const uint64_t e3 = k2 ^ k0;
    const uint64_t e2 = k2 ^ k1;
    const uint64_t e32 = k0 ^ k1;
    const uint64_t e1 = k5 ^ k3;
    const uint64_t e0 = k5 ^ k4;
    const uint64_t e10 = k3 ^ k4;
    const uint64_t f1 = e3 ^ e1;
    const uint64_t f0 = e2 ^ e0;
    const uint64_t f10 = f1 ^ f0;

    /* e a0 and e a1, one AND for each product of Karatsuba's. */
    const uint64_t p0 = e3 & t20;
    const uint64_t p1 = e2 & t18;
    const uint64_t p2 = e32 & t4;
    const uint64_t p3 = e1 & t16;
    const uint64_t p4 = e0 & t17;
    const uint64_t p5 = e10 & t1;
    const uint64_t p6 = f1 & t0;
    const uint64_t p7 = f0 & t3;
    const uint64_t p8 = f10 & t2;
    const uint64_t q0 = e3 & x0;
    const uint64_t q1 = e2 & t7;
    const uint64_t q2 = e32 & t6;
    const uint64_t q3 = e1 & t10;
    const uint64_t q4 = e0 & t13;
    const uint64_t q5 = e10 & t14;
    const uint64_t q6 = f1 & t9;
    const uint64_t q7 = f0 & t12;
    const uint64_t q8 = f10 & t15;

    /* Back to the polynomial basis, with the affine map's matrix. */
    const uint64_t r0 = p6 ^ p8;
    const uint64_t r1 = p1 ^ r0;
    const uint64_t r2 = p2 ^ r1;
    const uint64_t r3 = p5 ^ q2;
    const uint64_t r4 = q4 ^ q5;
    const uint64_t r5 = q0 ^ r3;
    const uint64_t r6 = q1 ^ r2;
    const uint64_t r7 = q3 ^ r0;
    const uint64_t r8 = q7 ^ q8;
    const uint64_t r9 = q2 ^ r6;
    const uint64_t r10 = p4 ^ r7;
    const uint64_t r11 = q6 ^ q8;
    const uint64_t r12 = p3 ^ r5;
    const uint64_t r13 = q4 ^ r6;
    const uint64_t r14 = p0 ^ r1;
    const uint64_t r15 = r8 ^ r10;
    const uint64_t r16 = r8 ^ r14;
    const uint64_t r17 = p5 ^ q4;
    const uint64_t r18 = q6 ^ r12;
    const uint64_t r19 = r2 ^ r4;
    const uint64_t r20 = p6 ^ q7;
    const uint64_t r21 = r5 ^ r10;
    const uint64_t r22 = p7 ^ r18;
    const uint64_t r23 = r4 ^ r9;
    const uint64_t r24 = r4 ^ r16;
    const uint64_t r25 = r15 ^ r17;
    const uint64_t r26 = q3 ^ r13;
    const uint64_t r27 = q0 ^ r26;
    const uint64_t r28 = r20 ^ r22;
    const uint64_t r29 = q5 ^ r21;
    const uint64_t r30 = r9 ^ r11;
    const uint64_t r31 = r11 ^ r19;
    const uint64_t r32 = r12 ^ r24;

    x[0] = r29;
    x[1] = r25;
    x[2] = r32;
    x[3] = r27;
    x[4] = r23;
    x[5] = r28;
    x[6] = r30;
    x[7] = r31;
}

#endif
