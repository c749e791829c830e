/* SPDX-License-Identifier: Apache-2.0
 *
 * The permutation Ascon-p[12] (SP 800-232, section 3) and the two hashes over it, written once for
 * the variants that differ in instructions.
 *
 * The includer defines nothing, and gets init, absorb and finish of a jm_block_hash for each hash.
 */
#ifndef JM_ASCON_ROUNDS_H
#define JM_ASCON_ROUNDS_H

#include "ascon/ascon.h"

/* One operation, kept where it stands: compilers would gather operations of one kind, and the four
 * units of a CPU, two of which rotate, would wait for each other. */
#define STEP(to, value)                                                                            \
    do {                                                                                           \
        (to) = (value);                                                                            \
        JM_HIDE("r", to);                                                                          \
    } while (0)

/* Constant, 64 S-boxes side by side, and each word's diffusion (sections 3.2 to 3.4). Between
 * rounds x2 is the standard's word with all bits inverted, because the S-box's last inversion is
 * left out; the next round's constant, with all bits inverted too, undoes it. */
JM_INLINE void one_round(uint64_t x[ASCON_WORDS], uint64_t constant) {
    uint64_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4];
    uint64_t t0, t1, t2, t3, t4, u0, u1, u2, u3, u4, v0, v1, v2, v3, v4;
    STEP(x2, x2 ^ constant);
    STEP(x2, x2 ^ x1);
    STEP(t1, ~x2 & x3);
    STEP(x0, x0 ^ x4);
    STEP(x4, x4 ^ x3);
    STEP(t0, ~x1 & x2);
    STEP(t3, ~x4 & x0);
    STEP(t4, ~x0 & x1);
    STEP(t2, ~x3 & x4);
    STEP(t0, t0 ^ x0);
    STEP(t4, t4 ^ x4);
    STEP(t2, t2 ^ x2);
    STEP(t1, t1 ^ x1);
    STEP(t3, t3 ^ x3);
    STEP(t1, t1 ^ t0);
    STEP(t3, t3 ^ t2);
    STEP(t0, t0 ^ t4);
    STEP(u0, rotr64(t0, 19));
    STEP(v0, rotr64(t0, 28));
    STEP(t0, t0 ^ u0);
    STEP(t0, t0 ^ v0);
    STEP(u1, rotr64(t1, 61));
    STEP(v1, rotr64(t1, 39));
    STEP(u2, rotr64(t2, 1));
    STEP(v2, rotr64(t2, 6));
    STEP(t1, t1 ^ u1);
    STEP(u4, rotr64(t4, 7));
    STEP(v3, rotr64(t3, 17));
    STEP(u3, rotr64(t3, 10));
    STEP(t2, t2 ^ u2);
    STEP(t2, t2 ^ v2);
    STEP(t1, t1 ^ v1);
    STEP(t3, t3 ^ u3);
    STEP(t3, t3 ^ v3);
    STEP(v4, rotr64(t4, 41));
    STEP(t4, t4 ^ u4);
    STEP(t4, t4 ^ v4);
    x[0] = t0, x[1] = t1, x[2] = t2, x[3] = t3, x[4] = t4;
}

/* The constant of round i is i in the low four bits and 15 - i in the high four bits (section 3.2).
 * x2 is inverted before and after. */
JM_INLINE void permute(uint64_t x[ASCON_WORDS]) {
#pragma GCC unroll 12
    for (unsigned i = 0; i < ASCON_ROUNDS; i++) one_round(x, ~(uint64_t)((15 - i) << 4 | i));
}

JM_INLINE void load_state(uint64_t x[ASCON_WORDS], const void *chain) {
    memcpy(x, chain, ASCON_WORDS * sizeof *x);
    x[2] = ~x[2];
}

JM_INLINE void store_state(void *chain, uint64_t x[ASCON_WORDS]) {
    x[2] = ~x[2];
    memcpy(chain, x, ASCON_WORDS * sizeof *x);
}

/* Adds `count` words, permuting after each. */
JM_INLINE void absorb_words(void *chain, const uint8_t *blocks, size_t count, bool big_endian) {
    uint64_t x[ASCON_WORDS];
    load_state(x, chain);
    for (; count; count--, blocks += ASCON_RATE_BYTES) {
        x[0] ^= big_endian ? load_be64(blocks) : load_le64(blocks);
        permute(x);
    }
    store_state(chain, x);
}

/* Adds the last, padded word, and squeezes the digest word by word. */
JM_INLINE void finish_words(void *chain, uint64_t last, uint8_t *digest, bool big_endian) {
    uint64_t x[ASCON_WORDS];
    load_state(x, chain);
    x[0] ^= last;
    for (size_t at = 0; at < ASCON_DIGEST_BYTES; at += ASCON_RATE_BYTES) {
        permute(x);
        if (big_endian)
            store_be64(digest + at, x[0]);
        else
            store_le64(digest + at, x[0]);
    }
    store_state(chain, x);
}

static void init_hash256(void *chain) {
    memcpy(chain, ascon_hash256_initial, sizeof ascon_hash256_initial);
}

static void absorb_hash256(void *chain, const uint8_t *blocks, size_t count) {
    absorb_words(chain, blocks, count, false);
}

/* The padding is a bit 1 and zeros. Words are little-endian, so that it sets the lowest bit of the
 * next byte. */
static void finish_hash256(void *chain, const uint8_t *rest, size_t rest_bytes,
                           uint64_t total_bytes, uint8_t *digest) {
    (void)total_bytes;
    const uint64_t part = load_le64_partial(rest, rest_bytes);
    finish_words(chain, part | UINT64_C(1) << 8 * rest_bytes, digest, false);
}

static void init_hash_v12(void *chain) {
    memcpy(chain, ascon_hash_v12_initial, sizeof ascon_hash_v12_initial);
}

static void absorb_hash_v12(void *chain, const uint8_t *blocks, size_t count) {
    absorb_words(chain, blocks, count, true);
}

/* Words are big-endian: the padding sets the highest bit of the next byte. */
static void finish_hash_v12(void *chain, const uint8_t *rest, size_t rest_bytes,
                            uint64_t total_bytes, uint8_t *digest) {
    (void)total_bytes;
    const uint64_t part = load_le64_partial(rest, rest_bytes) | UINT64_C(0x80) << 8 * rest_bytes;
    finish_words(chain, __builtin_bswap64(part), digest, true);
}

#endif
