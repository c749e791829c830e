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

#include "aes/aes_planes.h"

AES_PLANES_INLINE void substitute(aes_plane x[8]) {
    const aes_plane x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    const aes_plane x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];

    /* Linear forms of the input: both nibbles in the tower basis, and the sums Karatsuba needs. */
    const aes_plane t0 = x4 ^ x7;
    const aes_plane t1 = x1 ^ x7;
    const aes_plane t2 = x2 ^ x4;
    const aes_plane t3 = x2 ^ x7;
    const aes_plane t4 = t1 ^ t2;
    const aes_plane t5 = x3 ^ t4;
    const aes_plane t6 = x2 ^ t5;
    const aes_plane t7 = x0 ^ t6;
    const aes_plane t8 = x6 ^ t5;
    const aes_plane t9 = t0 ^ t8;
    const aes_plane t10 = x0 ^ t9;
    const aes_plane t11 = x5 ^ x6;
    const aes_plane t12 = t6 ^ t11;
    const aes_plane t13 = x0 ^ t11;
    const aes_plane t14 = t10 ^ t13;
    const aes_plane t15 = t6 ^ t14;
    const aes_plane t16 = x7 ^ t13;
    const aes_plane t17 = t1 ^ t16;
    const aes_plane t18 = t3 ^ t17;
    const aes_plane t19 = t7 ^ t18;
    const aes_plane t20 = t4 ^ t18;

    /* d = v (a1 + a0)^2 + a1 a0. An OR is an AND plus both inputs, which absorbs the linear part.
     */
    const aes_plane g0 = x0 & t20;
    const aes_plane g1 = t7 & t18;
    const aes_plane g2 = t6 & t4;
    const aes_plane g3 = t10 & t16;
    const aes_plane g4 = t13 & t17;
    const aes_plane g5 = t14 | t1;
    const aes_plane g6 = t9 & t0;
    const aes_plane g7 = t12 | t3;
    const aes_plane g8 = t15 & t2;
    const aes_plane m0 = g2 ^ g6;
    const aes_plane m1 = g5 ^ g6;
    const aes_plane m2 = g7 ^ m1;
    const aes_plane m3 = g8 ^ m0;
    const aes_plane m4 = g3 ^ m2;
    const aes_plane m5 = g0 ^ m0;
    const aes_plane m6 = g8 ^ m1;
    const aes_plane m7 = g4 ^ m6;
    const aes_plane m8 = g7 ^ m5;
    const aes_plane m9 = t19 ^ m4;
    const aes_plane m10 = g1 ^ t8;
    const aes_plane m11 = m3 ^ m10;

    /* e = 1 / d in GF(2^4), by the same step one level down. */
    const aes_plane d32 = m8 ^ m11;
    const aes_plane d10 = m9 ^ m7;
    const aes_plane h0 = m8 | m9;
    const aes_plane h1 = m11 | m7;
    const aes_plane h2 = d32 & d10;
    const aes_plane n0 = h2 ^ h1;
    const aes_plane h3 = h2 ^ h0;
    const aes_plane h4 = m11 ^ m7;
    const aes_plane n1 = h3 ^ h4;
    const aes_plane n10 = n1 ^ n0;
    const aes_plane k0 = n0 & m9;
    const aes_plane k1 = n1 & m7;
    const aes_plane k2 = n10 & d10;
    const aes_plane k3 = n0 & m8;
    const aes_plane k4 = n1 & m11;
    const aes_plane k5 = n10 & d32;
    const aes_plane e3 = k2 ^ k0;
    const aes_plane e2 = k2 ^ k1;
    const aes_plane e32 = k0 ^ k1;
    const aes_plane e1 = k5 ^ k3;
    const aes_plane e0 = k5 ^ k4;
    const aes_plane e10 = k3 ^ k4;
    const aes_plane f1 = e3 ^ e1;
    const aes_plane f0 = e2 ^ e0;
    const aes_plane f10 = f1 ^ f0;

    /* e a0 and e a1, one AND for each product of Karatsuba's. */
    const aes_plane p0 = e3 & t20;
    const aes_plane p1 = e2 & t18;
    const aes_plane p2 = e32 & t4;
    const aes_plane p3 = e1 & t16;
    const aes_plane p4 = e0 & t17;
    const aes_plane p5 = e10 & t1;
    const aes_plane p6 = f1 & t0;
    const aes_plane p7 = f0 & t3;
    const aes_plane p8 = f10 & t2;
    const aes_plane q0 = e3 & x0;
    const aes_plane q1 = e2 & t7;
    const aes_plane q2 = e32 & t6;
    const aes_plane q3 = e1 & t10;
    const aes_plane q4 = e0 & t13;
    const aes_plane q5 = e10 & t14;
    const aes_plane q6 = f1 & t9;
    const aes_plane q7 = f0 & t12;
    const aes_plane q8 = f10 & t15;

    /* Back to the polynomial basis, with the affine map's matrix. */
    const aes_plane r0 = p6 ^ p8;
    const aes_plane r1 = p1 ^ r0;
    const aes_plane r2 = p2 ^ r1;
    const aes_plane r3 = p5 ^ q2;
    const aes_plane r4 = q4 ^ q5;
    const aes_plane r5 = q0 ^ r3;
    const aes_plane r6 = q1 ^ r2;
    const aes_plane r7 = q3 ^ r0;
    const aes_plane r8 = q7 ^ q8;
    const aes_plane r9 = q2 ^ r6;
    const aes_plane r10 = p4 ^ r7;
    const aes_plane r11 = q6 ^ q8;
    const aes_plane r12 = p3 ^ r5;
    const aes_plane r13 = q4 ^ r6;
    const aes_plane r14 = p0 ^ r1;
    const aes_plane r15 = r8 ^ r10;
    const aes_plane r16 = r8 ^ r14;
    const aes_plane r17 = p5 ^ q4;
    const aes_plane r18 = q6 ^ r12;
    const aes_plane r19 = r2 ^ r4;
    const aes_plane r20 = p6 ^ q7;
    const aes_plane r21 = r5 ^ r10;
    const aes_plane r22 = p7 ^ r18;
    const aes_plane r23 = r4 ^ r9;
    const aes_plane r24 = r4 ^ r16;
    const aes_plane r25 = r15 ^ r17;
    const aes_plane r26 = q3 ^ r13;
    const aes_plane r27 = q0 ^ r26;
    const aes_plane r28 = r20 ^ r22;
    const aes_plane r29 = q5 ^ r21;
    const aes_plane r30 = r9 ^ r11;
    const aes_plane r31 = r11 ^ r19;
    const aes_plane r32 = r12 ^ r24;

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
