/* SPDX-License-Identifier: Apache-2.0
 *
 * VHASH (draft-krovetz-vmac-01, section 5) of one tag word: NH over blocks of 128 bytes, a
 * polynomial over their hashes modulo p127 = 2^127 - 1, and a product modulo p64 = 2^64 - 257. A
 * tag of 128 bits is made of two such words, whose keys for NH overlap.
 *
 * No branch and no address depends on anything but lengths. */
#ifndef JM_VMAC_HASH_H
#define JM_VMAC_HASH_H

#include "common/secret.h"
#include "common/wide_multiply.h"
#include "common/words.h"
#include "vmac/vmac.h"

#include <stdbool.h>

enum { VMAC_WORDS = 2, VMAC_NH_WORDS = JM_VMAC_BLOCK_BYTES / 8, VMAC_PIECE_BYTES = 16 };

#define VMAC_MASK_62 ((UINT64_C(1) << 62) - 1)
#define VMAC_MASK_63 ((UINT64_C(1) << 63) - 1)
#define VMAC_P64_OVER UINT64_C(257) /* 2^64 - p64 */
#define VMAC_P64 (0 - VMAC_P64_OVER)

/* The keys of one tag word: k of the polynomial, both halves below 2^61 - 2^31, and k1 and k2 of
 * the last layer, below p64. */
typedef struct {
    uint64_t low, high, last[2];
} vmac_word_key;

/* A number below 2^127 + 1. */
typedef struct {
    uint64_t low, high;
} vmac_residue;

/* Adds the product of two words of the message, each plus its key word at `key`, to a sum. */
JM_INLINE jm_wide vmac_nh_piece(jm_wide sum, const uint64_t *key, uint64_t m0, uint64_t m1) {
    return jm_wide_add(sum, jm_wide_multiply(m0 + key[0], m1 + key[1]));
}

/* NH of `bytes`, 1 to 128, completed with zeros to pieces of 16, for each of the tag's words. */
JM_INLINE void vmac_nh(jm_wide *sums, const uint64_t *key, size_t words, const uint8_t *in,
                       size_t bytes) {
    jm_wide sum[VMAC_WORDS] = {jm_wide_of(0, 0), jm_wide_of(0, 0)};
    for (; bytes >= VMAC_PIECE_BYTES; bytes -= VMAC_PIECE_BYTES, in += VMAC_PIECE_BYTES, key += 2) {
        const uint64_t m0 = load_le64(in), m1 = load_le64(in + 8);
        for (size_t w = 0; w < words; w++) sum[w] = vmac_nh_piece(sum[w], key + 2 * w, m0, m1);
    }
    if (bytes) {
        uint64_t m[2];
        load_le128_partial(in, bytes, 0, m);
        for (size_t w = 0; w < words; w++) sum[w] = vmac_nh_piece(sum[w], key + 2 * w, m[0], m[1]);
    }
    for (size_t w = 0; w < words; w++) sums[w] = sum[w];
}

/* NH of a whole block. */
JM_INLINE void vmac_nh_block(jm_wide *sums, const uint64_t *key, size_t words, const uint8_t *in) {
    jm_wide sum[VMAC_WORDS] = {jm_wide_of(0, 0), jm_wide_of(0, 0)};
#pragma GCC unroll 8
    for (size_t i = 0; i < VMAC_NH_WORDS; i += 2) {
        const uint64_t m0 = load_le64(in + 8 * i), m1 = load_le64(in + 8 * i + 8);
        for (size_t w = 0; w < words; w++) sum[w] = vmac_nh_piece(sum[w], key + i + 2 * w, m0, m1);
    }
    for (size_t w = 0; w < words; w++) sums[w] = sum[w];
}

/* The hash of a block: NH's sum modulo 2^126. */
JM_INLINE jm_wide vmac_nh_output(jm_wide sum) {
    return jm_wide_of(jm_wide_low(sum), jm_wide_high(sum) & VMAC_MASK_62);
}

/* `a` modulo p127, where 2^127 is 1; below 2^127 + 1. */
JM_INLINE vmac_residue vmac_fold(jm_wide a) {
    const jm_wide folded = jm_wide_add(jm_wide_of(jm_wide_low(a), jm_wide_high(a) & VMAC_MASK_63),
                                       jm_wide_of(jm_wide_high(a) >> 63, 0));
    return (vmac_residue){jm_wide_low(folded), jm_wide_high(folded)};
}

#if defined(__x86_64__) && defined(__BMI2__)
/* The sums of the C function below, with each carry kept in the flag and no number in memory: GCC
 * 12 stores numbers of 128 bits to take their halves. */
JM_INLINE vmac_residue vmac_step(vmac_residue y, const vmac_word_key *key, jm_wide m) {
    uint64_t low, high, cross0, cross1, t0, t1;
    __asm__("movq %[y0], %%rdx\n\t"
            "mulxq %[k1], %[c0], %[c1]\n\t" /* cross, first half */
            "mulxq %[k0], %[s0], %[s1]\n\t" /* sum */
            "addq %[m0], %[s0]\n\t"
            "adcq %[m1], %[s1]\n\t"
            "movq %[y1], %%rdx\n\t"
            "mulxq %[k0], %[t0], %[t1]\n\t" /* cross, second half */
            "addq %[t0], %[c0]\n\t"
            "adcq %[t1], %[c1]\n\t"
            "mulxq %[k1], %[t0], %[t1]\n\t" /* high */
            "addq %[t0], %[t0]\n\t"
            "adcq %[t1], %[t1]\n\t"
            "addq %[t0], %[s0]\n\t"
            "adcq %[t1], %[s1]\n\t"
            "addq %[c0], %[c0]\n\t"
            "adcq %[c1], %[c1]\n\t" /* over */
            "shrq $1, %[c0]\n\t"
            "addq %[c1], %[s0]\n\t"
            "adcq %[c0], %[s1]\n\t"
            "movq %[s1], %[t0]\n\t" /* fold */
            "shrq $63, %[t0]\n\t"
            "btrq $63, %[s1]\n\t"
            "addq %[t0], %[s0]\n\t"
            "adcq $0, %[s1]"
            : [s0] "=&r"(low), [s1] "=&r"(high), [c0] "=&r"(cross0), [c1] "=&r"(cross1),
              [t0] "=&r"(t0), [t1] "=&r"(t1)
            : [y0] "rm"(y.low), [y1] "rm"(y.high), [k0] "rm"(key->low), [k1] "rm"(key->high),
              [m0] "rm"(jm_wide_low(m)), [m1] "rm"(jm_wide_high(m))
            : "rdx", "cc");
    return (vmac_residue){low, high};
}
#else
/* y = y k + m. A bound stands at each line; the sum of all is below 2^128, because the terms stay
 * below 2^125 and 2^126 by more than 2^95. */
JM_INLINE vmac_residue vmac_step(vmac_residue y, const vmac_word_key *key, jm_wide m) {
    const jm_wide cross = jm_wide_add(jm_wide_multiply(y.high, key->low),
                                      jm_wide_multiply(y.low, key->high)); /* 3 * 2^124 */
    const jm_wide high = jm_wide_multiply(y.high, key->high);              /* 2^124 */
    jm_wide sum = jm_wide_add(jm_wide_multiply(y.low, key->low), m);       /* 2^125 + 2^126 */
    sum = jm_wide_add(sum, jm_wide_add(high, high));                       /* 2^125 */
    const uint64_t over = jm_wide_high(cross) << 1 | jm_wide_low(cross) >> 63;
    sum = jm_wide_add(sum, jm_wide_of(over, jm_wide_low(cross) & VMAC_MASK_63)); /* 2^127 */
    return vmac_fold(sum);
}
#endif

/* Adds a hash, below 2^126, to the polynomial. The polynomial begins with k, to which the first
 * hash is added. */
JM_INLINE vmac_residue vmac_next(vmac_residue y, const vmac_word_key *key, bool begun, jm_wide m) {
    return begun ? vmac_step(y, key, m) : vmac_fold(jm_wide_add(jm_wide_of(y.low, y.high), m));
}

/* a + b modulo p64, below 2^64, for `a` below p64. */
JM_INLINE uint64_t vmac_add_p64(uint64_t a, uint64_t b) {
    const uint64_t sum = a + b;
    return sum + (VMAC_P64_OVER & jm_mask_if(sum < a));
}

/* The last layer: y and the bits of the incomplete block, divided by 2^64 - 2^32, give quotient and
 * remainder, whose sums with the key are multiplied. In digits of 32 bits the dividend without its
 * lowest digit is u2 2^64 + u1 2^32 + u0; it is divided by 2^32 - 1, modulo which 2^32 is 1. */
JM_INLINE uint64_t vmac_last(vmac_residue y, const vmac_word_key *key, uint64_t rest_bits) {
    y = vmac_fold(jm_wide_add(jm_wide_of(y.low, y.high), jm_wide_of(0, rest_bits)));
    const jm_wide next = jm_wide_add(jm_wide_of(y.low, y.high), jm_wide_of(1, 0));
    const uint64_t is_p127 = jm_wide_high(next) >> 63; /* then y is 0 */
    const jm_wide reduced = jm_wide_add(jm_wide_of(y.low, y.high), jm_wide_of(is_p127, 0));
    const uint64_t low = jm_wide_low(reduced), high = jm_wide_high(reduced) & VMAC_MASK_63;

    const uint64_t digits = (high >> 32) + (uint32_t)high + (low >> 32); /* below 2^34 */
    const uint64_t over = (digits >> 32) + (((uint32_t)digits + (digits >> 32) + 1) >> 32);
    const uint64_t quotient = high + (high >> 32) + over;
    const uint64_t remainder = (digits + over) << 32 | (uint32_t)low;

    const jm_wide product = jm_wide_multiply(vmac_add_p64(key->last[0], quotient),
                                             vmac_add_p64(key->last[1], remainder));
    const jm_wide once = jm_wide_add(jm_wide_multiply(jm_wide_high(product), VMAC_P64_OVER),
                                     jm_wide_of(jm_wide_low(product), 0));
    const uint64_t twice = jm_wide_high(once) * VMAC_P64_OVER, sum = jm_wide_low(once) + twice;
    const uint64_t found = sum + (VMAC_P64_OVER & jm_mask_if(sum < twice));
    return found + (VMAC_P64_OVER & jm_mask_if(found >= VMAC_P64));
}

#endif
