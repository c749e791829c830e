/* SPDX-License-Identifier: Apache-2.0
 *
 * Serpent with keys of 128 and 256 bits (Anderson, Biham and Knudsen, 1998), encryption direction
 * only, with bytes in the order of NESSIE's vectors. */
#ifndef JM_SERPENT_H
#define JM_SERPENT_H

#include "common/secret.h"
#include "joulemark/kernel.h"

#define JM_SERPENT_ROUNDS 32u
#define JM_SERPENT128_KEY_BYTES 16u
#define JM_SERPENT256_KEY_BYTES 32u

/* Round keys: those of the specification, with the complements that the circuits of the S-boxes
 * leave out. Variants in lanes use the same. */
enum { JM_SERPENT_KEY_WORDS = 4 * (JM_SERPENT_ROUNDS + 1) };
typedef struct {
    uint32_t key[JM_SERPENT_KEY_WORDS];
} jm_serpent_schedule;

/* ---- the S-boxes ----
 *
 * Circuits of AND, OR and XOR over words, each bit of which is one of the 32 (in lanes: more)
 * nibbles that an S-box substitutes. C's operators take the vectors of a file that includes a
 * header of lanes/ before.
 *
 * S-box i of the specification is serpent_s<i> between two complements: the inputs in the mask
 * SERPENT_IN[i] are complemented before it and the outputs in SERPENT_OUT[i] after it, where bit j
 * stands for word j. Key words carry both (serpent_portable.c), so that no gate is spent on them.
 *
 * The circuits were found by a search from random starts (Kwan's method of 2000: an output is made
 * of existing words by one gate or two, or split by an input) for few gates on the longest path
 * from words 0 and 2, which the linear transformation gives last: four gates to outputs 0 and 2 and
 * five to the others, one more in S2 and two in S7. */

#if defined(VEC_LANES)
typedef vec serpent_word;
#else
typedef uint32_t serpent_word;
#endif

#define SERPENT_IN {11, 11, 14, 0, 5, 2, 14, 3}
#define SERPENT_OUT {2, 8, 5, 0, 0, 2, 10, 0}

JM_INLINE void serpent_s0(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = c ^ b;
    const serpent_word t1 = b ^ d;
    const serpent_word t2 = b & a;
    const serpent_word t3 = t1 ^ t2;
    const serpent_word t4 = a | t1;
    const serpent_word t5 = t1 & d;
    const serpent_word t6 = t4 ^ t5;
    const serpent_word t7 = t6 & c;
    const serpent_word t8 = t3 ^ t7;
    const serpent_word t9 = a & d;
    const serpent_word t10 = t9 ^ t0;
    const serpent_word t11 = t6 ^ t10;
    const serpent_word t12 = t11 ^ t8;
    const serpent_word t13 = a ^ t1;
    const serpent_word t14 = t2 ^ t5;
    const serpent_word t15 = t14 | c;
    const serpent_word t16 = t13 ^ t15;
    x[0] = t8;
    x[1] = t12;
    x[2] = t16;
    x[3] = t10;
}

JM_INLINE void serpent_s1(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = d & b;
    const serpent_word t1 = b ^ a;
    const serpent_word t2 = a & t1;
    const serpent_word t3 = t2 ^ c;
    const serpent_word t4 = t3 ^ d;
    const serpent_word t5 = a | d;
    const serpent_word t6 = t5 ^ t1;
    const serpent_word t7 = t0 ^ t5;
    const serpent_word t8 = t7 & c;
    const serpent_word t9 = t6 ^ t8;
    const serpent_word t10 = d ^ t1;
    const serpent_word t11 = t10 | t2;
    const serpent_word t12 = t7 ^ t10;
    const serpent_word t13 = t12 & c;
    const serpent_word t14 = t11 ^ t13;
    const serpent_word t15 = t3 | t12;
    const serpent_word t16 = t15 ^ t10;
    x[0] = t9;
    x[1] = t14;
    x[2] = t4;
    x[3] = t16;
}

JM_INLINE void serpent_s2(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = d | a;
    const serpent_word t1 = a ^ c;
    const serpent_word t2 = b ^ t1;
    const serpent_word t3 = a & t1;
    const serpent_word t4 = t3 ^ d;
    const serpent_word t5 = t4 | b;
    const serpent_word t6 = t2 ^ t5;
    const serpent_word t7 = c ^ t0;
    const serpent_word t8 = t7 | t2;
    const serpent_word t9 = t4 ^ t8;
    const serpent_word t10 = t9 ^ t5;
    const serpent_word t11 = t7 ^ t9;
    const serpent_word t12 = b ^ c;
    const serpent_word t13 = t12 ^ t4;
    x[0] = t13;
    x[1] = t10;
    x[2] = t11;
    x[3] = t6;
}

JM_INLINE void serpent_s3(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = a | c;
    const serpent_word t1 = a ^ b;
    const serpent_word t2 = d & t0;
    const serpent_word t3 = t1 ^ t2;
    const serpent_word t4 = b & d;
    const serpent_word t5 = t4 ^ c;
    const serpent_word t6 = t5 & a;
    const serpent_word t7 = t3 ^ t6;
    const serpent_word t8 = d ^ t0;
    const serpent_word t9 = t8 | t3;
    const serpent_word t10 = t5 & b;
    const serpent_word t11 = t9 ^ t10;
    const serpent_word t12 = d ^ t5;
    const serpent_word t13 = t1 | t5;
    const serpent_word t14 = t13 & a;
    const serpent_word t15 = t12 ^ t14;
    const serpent_word t16 = d | t10;
    const serpent_word t17 = t16 ^ t3;
    x[0] = t17;
    x[1] = t7;
    x[2] = t15;
    x[3] = t11;
}

JM_INLINE void serpent_s4(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = c | d;
    const serpent_word t1 = b | d;
    const serpent_word t2 = t1 ^ c;
    const serpent_word t3 = a ^ t2;
    const serpent_word t4 = b ^ d;
    const serpent_word t5 = t4 | a;
    const serpent_word t6 = t3 ^ t5;
    const serpent_word t7 = t0 ^ t5;
    const serpent_word t8 = t7 & t3;
    const serpent_word t9 = a ^ t4;
    const serpent_word t10 = t9 & d;
    const serpent_word t11 = t8 ^ t10;
    const serpent_word t12 = b | t6;
    const serpent_word t13 = t12 ^ t9;
    const serpent_word t14 = t0 & t3;
    const serpent_word t15 = t14 ^ b;
    x[0] = t6;
    x[1] = t15;
    x[2] = t11;
    x[3] = t13;
}

JM_INLINE void serpent_s5(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = c ^ d;
    const serpent_word t1 = a | b;
    const serpent_word t2 = t1 ^ t0;
    const serpent_word t3 = b ^ d;
    const serpent_word t4 = t3 & t2;
    const serpent_word t5 = a ^ t3;
    const serpent_word t6 = t5 | d;
    const serpent_word t7 = t6 & c;
    const serpent_word t8 = t4 ^ t7;
    const serpent_word t9 = d | t2;
    const serpent_word t10 = t9 ^ t5;
    const serpent_word t11 = d & t5;
    const serpent_word t12 = t11 ^ t2;
    const serpent_word t13 = c | t3;
    const serpent_word t14 = t13 & a;
    const serpent_word t15 = t2 ^ t14;
    x[0] = t12;
    x[1] = t10;
    x[2] = t8;
    x[3] = t15;
}

JM_INLINE void serpent_s6(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = a & c;
    const serpent_word t1 = c ^ b;
    const serpent_word t2 = c ^ a;
    const serpent_word t3 = c | d;
    const serpent_word t4 = t2 ^ t3;
    const serpent_word t5 = a ^ d;
    const serpent_word t6 = t5 & t2;
    const serpent_word t7 = t6 | b;
    const serpent_word t8 = t4 ^ t7;
    const serpent_word t9 = t0 | t1;
    const serpent_word t10 = b | t2;
    const serpent_word t11 = t10 & d;
    const serpent_word t12 = t9 ^ t11;
    const serpent_word t13 = a & t5;
    const serpent_word t14 = t13 ^ t1;
    const serpent_word t15 = t3 & t9;
    const serpent_word t16 = t15 ^ t5;
    x[0] = t12;
    x[1] = t14;
    x[2] = t8;
    x[3] = t16;
}

JM_INLINE void serpent_s7(serpent_word x[4]) {
    const serpent_word a = x[0], b = x[1], c = x[2], d = x[3];
    const serpent_word t0 = b | d;
    const serpent_word t1 = b ^ c;
    const serpent_word t2 = t1 ^ a;
    const serpent_word t3 = b & c;
    const serpent_word t4 = t3 ^ d;
    const serpent_word t5 = t4 | a;
    const serpent_word t6 = t1 ^ t5;
    const serpent_word t7 = t2 ^ t4;
    const serpent_word t8 = t7 & t5;
    const serpent_word t9 = t8 ^ c;
    const serpent_word t10 = t0 & t1;
    const serpent_word t11 = t0 ^ t7;
    const serpent_word t12 = t11 & a;
    const serpent_word t13 = t10 ^ t12;
    const serpent_word t14 = t6 | t11;
    const serpent_word t15 = t14 ^ t4;
    x[0] = t15;
    x[1] = t9;
    x[2] = t13;
    x[3] = t6;
}

/* ---- the variants ---- */

extern const jm_implementation jm_serpent128_portable, jm_serpent256_portable;

/* CMAC over Serpent, for single messages and in lanes. */
extern const jm_implementation jm_cmac_serpent128_portable;
extern const jm_implementation jm_cmac_serpent128_avx2_x8, jm_cmac_serpent128_avx2_x16;
extern const jm_implementation jm_cmac_serpent128_avx512_x16, jm_cmac_serpent128_avx512_x32;

#endif
