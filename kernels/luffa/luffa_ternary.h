/* SPDX-License-Identifier: Apache-2.0
 *
 * SUB_CRUMB of luffa_lanes.h in two steps.
 *
 * The includer defines: VEC; TERNARY(a, b, c, table), whose result is bit 4a + 2b + c of the table.
 *
 * Each output bit of the S-box is a function of the fourth bit and of two functions of three bits;
 * a search found five functions of three bits that suffice for all four outputs. */
#define SUB_CRUMB(r0, r1, r2, r3)                                                                  \
    do {                                                                                           \
        const VEC n0 = TERNARY(r0, r2, r3, 0x06), n1 = TERNARY(r0, r2, r3, 0x36);                  \
        const VEC n2 = TERNARY(r1, r2, r3, 0x2d), n3 = TERNARY(r0, r2, r3, 0x4c);                  \
        const VEC n4 = TERNARY(r0, r2, r3, 0x1b);                                                  \
        r0 = TERNARY(n1, n2, r0, 0x74);                                                            \
        r3 = TERNARY(n0, n2, r1, 0x9c);                                                            \
        r2 = TERNARY(n0, n4, r1, 0x36);                                                            \
        r1 = TERNARY(n1, n3, r1, 0x9c);                                                            \
    } while (0)
