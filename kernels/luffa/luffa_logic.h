/* SPDX-License-Identifier: Apache-2.0
 *
 * SUB_CRUMB of luffa_lanes.h as in luffa_portable.c.
 *
 * The includer defines: VEC; XOR, AND and OR; ONES, a vector of ones. */
#define SUB_CRUMB(r0, r1, r2, r3)                                                                  \
    do {                                                                                           \
        const VEC first = r0;                                                                      \
        r0 = OR(r0, r1);                                                                           \
        r2 = XOR(r2, r3);                                                                          \
        r1 = XOR(r1, ONES);                                                                        \
        r0 = XOR(r0, r3);                                                                          \
        r3 = AND(r3, first);                                                                       \
        r1 = XOR(r1, r3);                                                                          \
        r3 = XOR(r3, r2);                                                                          \
        r2 = AND(r2, r0);                                                                          \
        r2 = XOR(r2, r1);                                                                          \
        r1 = OR(r1, r3);                                                                           \
        r3 = XOR(r3, r2);                                                                          \
        r2 = AND(r2, r1);                                                                          \
        const VEC last = XOR(first, r1);                                                           \
        r1 = XOR(XOR(r0, ONES), r1);                                                               \
        r0 = last;                                                                                 \
    } while (0)
