/* SPDX-License-Identifier: Apache-2.0
 * Poly1305 in limbs of 64 bits, one block at a time. Clamping makes r1 a multiple of 4, so
 *     r1 2^128 = (r1 / 4) 2^130 = 5 (r1 / 4) modulo p = 2^130 - 5
 * needs no shift, and the product of one block takes four multiplications to 128 bits and two to 64
 * bits. */
#ifndef JM_POLY1305_SCALAR_H
#define JM_POLY1305_SCALAR_H

#include "common/words.h"
#include "poly1305/poly1305.h"

__extension__ typedef unsigned __int128 jm_poly1305_uint128;

typedef struct {
    uint64_t r0, r1; /* clamped: r0 and r1 < 2^60, r1 a multiple of 4 */
    uint64_t s0, s1;
    uint64_t live; /* JM_LIVE */
} jm_poly1305_key;

typedef struct {
    uint64_t h0, h1, h2; /* h0 + h1 2^64 + h2 2^128; h2 <= 4 between blocks */
} jm_poly1305_sum;

static inline void jm_poly1305_load_key(jm_poly1305_key *to, const uint8_t *key) {
    to->r0 = load_le64(key) & UINT64_C(0x0ffffffc0fffffff);
    to->r1 = load_le64(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    to->s0 = load_le64(key + 16);
    to->s1 = load_le64(key + 24);
}

/* h = (h + m0 + m1 2^64 + top 2^128) r mod p, not fully reduced.
 * Before: h2 <= 4, top <= 1.
 * After:  h2 <= 4; h0 and h1 are any 64-bit numbers in both. */
static inline void jm_poly1305_absorb(jm_poly1305_sum *h, const jm_poly1305_key *key, uint64_t m0,
                                      uint64_t m1, uint64_t top) {
    typedef jm_poly1305_uint128 uint128;
    const uint64_t r0 = key->r0, r1 = key->r1;
    const uint64_t r1_over_p = r1 + (r1 >> 2); /* 5 r1 / 4 < 1.25 * 2^60 */

    uint128 sum = (uint128)h->h0 + m0;
    const uint64_t a0 = (uint64_t)sum;
    sum = (uint128)h->h1 + m1 + (uint64_t)(sum >> 64);
    const uint64_t a1 = (uint64_t)sum;
    const uint64_t a2 = h->h2 + top + (uint64_t)(sum >> 64); /* <= 6 */

    const uint128 d0 = (uint128)a0 * r0 + (uint128)a1 * r1_over_p;            /* < 2.25 * 2^124 */
    const uint128 d1 = (uint128)a0 * r1 + (uint128)a1 * r0 + a2 * r1_over_p + /* a2 * .. < 2^63 */
                       (uint64_t)(d0 >> 64);                                  /* < 2^126 */
    const uint64_t d2 = a2 * r0 + (uint64_t)(d1 >> 64);                       /* < 10 * 2^60 + 1 */

    /* The part from 2^130 on is added five times: 4 (d2 / 4) + d2 / 4 < 12.5 * 2^60 + 2. */
    sum = (uint128)(uint64_t)d0 + ((d2 & ~UINT64_C(3)) + (d2 >> 2));
    h->h0 = (uint64_t)sum;
    sum = (uint128)(uint64_t)d1 + (uint64_t)(sum >> 64);
    h->h1 = (uint64_t)sum;
    h->h2 = (d2 & 3) + (uint64_t)(sum >> 64);
}

#if defined(__x86_64__) && defined(__BMI2__)
/* The sums of jm_poly1305_absorb in the same order, each carry kept in the flag: GCC 12 first makes
 * a number of a carry, and its code takes 26 core cycles for a block in place of 16 (AMD EPYC
 * family 25 model 17). The comments name the values as that function does. */
static inline void jm_poly1305_absorb_blocks(jm_poly1305_sum *h, const jm_poly1305_key *key,
                                             const uint8_t *in, size_t blocks) {
    uint64_t h0 = h->h0, h1 = h->h1, h2 = h->h2, t, u0, u1, v;
    const uint64_t r0 = key->r0, r1 = key->r1, r1_over_p = r1 + (r1 >> 2);
    for (; blocks; blocks--, in += JM_POLY1305_BLOCK_BYTES)
        __asm__("addq %[m0], %[h0]\n\t" /* h0 = a0, h1 = a1, h2 = a2 */
                "adcq %[m1], %[h1]\n\t"
                "adcq $1, %[h2]\n\t"
                "movq %[h0], %%rdx\n\t"
                "mulxq %[r0], %[h0], %[t]\n\t"  /* a0 r0 */
                "mulxq %[r1], %[u0], %[u1]\n\t" /* a0 r1 */
                "movq %[h1], %%rdx\n\t"
                "mulxq %[s1], %[h1], %[v]\n\t" /* a1 r1_over_p */
                "addq %[h1], %[h0]\n\t"        /* t h0 = d0 */
                "adcq %[v], %[t]\n\t"
                "mulxq %[r0], %[h1], %[v]\n\t" /* a1 r0 */
                "movq %[h2], %%rdx\n\t"
                "imulq %[s1], %%rdx\n\t" /* a2 r1_over_p */
                "imulq %[r0], %[h2]\n\t" /* a2 r0 */
                "addq %%rdx, %[u0]\n\t"
                "adcq $0, %[u1]\n\t"
                "addq %[u0], %[h1]\n\t"
                "adcq %[u1], %[v]\n\t"
                "addq %[t], %[h1]\n\t" /* v h1 = d1, then d2 2^64 + the lower half of d1 */
                "adcq %[h2], %[v]\n\t"
                "movq %[v], %[t]\n\t"
                "movl %k[v], %k[h2]\n\t"
                "shrq $2, %[t]\n\t"
                "andq $-4, %[v]\n\t"
                "andl $3, %k[h2]\n\t"
                "addq %[v], %[t]\n\t"
                "addq %[t], %[h0]\n\t"
                "adcq $0, %[h1]\n\t"
                "adcq $0, %[h2]"
                : [h0] "+&r"(h0), [h1] "+&r"(h1), [h2] "+&r"(h2), [t] "=&r"(t), [u0] "=&r"(u0),
                  [u1] "=&r"(u1), [v] "=&r"(v)
                : [r0] "r"(r0), [r1] "rm"(r1), [s1] "r"(r1_over_p), [m0] "m"(*(const uint64_t *)in),
                  [m1] "m"(*(const uint64_t *)(in + 8))
                : "rdx", "cc");
    *h = (jm_poly1305_sum){h0, h1, h2};
}
#else
static inline void jm_poly1305_absorb_blocks(jm_poly1305_sum *h, const jm_poly1305_key *key,
                                             const uint8_t *in, size_t blocks) {
    jm_poly1305_sum sum = *h;
    const jm_poly1305_key k = *key;
    for (; blocks; blocks--, in += JM_POLY1305_BLOCK_BYTES)
        jm_poly1305_absorb(&sum, &k, load_le64(in), load_le64(in + 8), 1);
    *h = sum;
}
#endif

/* Absorbs the last `bytes` (0 to 15) and writes the tag. As h2 <= 4, h < 5 * 2^128 < 2 p, so h
 * modulo p is h or h - p; the latter is h + 5 without bit 130, and applies if that bit is set. */
static inline void jm_poly1305_end(jm_poly1305_sum *h, const jm_poly1305_key *key,
                                   const uint8_t *rest, size_t bytes, uint8_t *tag) {
    if (bytes) {
        uint64_t word[2];
        load_le128_partial(rest, bytes, 1, word);
        jm_poly1305_absorb(h, key, word[0], word[1], 0);
    }
    jm_poly1305_uint128 sum = (jm_poly1305_uint128)h->h0 + 5;
    const uint64_t g0 = (uint64_t)sum;
    sum = (jm_poly1305_uint128)h->h1 + (uint64_t)(sum >> 64);
    const uint64_t g1 = (uint64_t)sum;
    const uint64_t g2 = h->h2 + (uint64_t)(sum >> 64); /* <= 5 */
    const uint64_t take_g = UINT64_C(0) - (g2 >> 2);   /* all ones or 0 */

    sum = (jm_poly1305_uint128)(h->h0 ^ ((h->h0 ^ g0) & take_g)) + key->s0;
    store_le64(tag, (uint64_t)sum);
    store_le64(tag + 8, (h->h1 ^ ((h->h1 ^ g1) & take_g)) + key->s1 + (uint64_t)(sum >> 64));
}

#endif
