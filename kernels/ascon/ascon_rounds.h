/* SPDX-License-Identifier: Apache-2.0
 *
 * The permutation Ascon-p[12] (SP 800-232, section 3) and the two hashes over it, written once for
 * the variants that differ in instructions. A file that includes this gets init, absorb and finish
 * of a jm_block_hash for each. */
#ifndef JM_ASCON_ROUNDS_H
#define JM_ASCON_ROUNDS_H

#include "ascon/ascon.h"

/* Constant, 64 S-boxes side by side, and each word's diffusion (sections 3.2 to 3.4). */
JM_INLINE void one_round(uint64_t x[ASCON_WORDS], uint64_t constant) {
    uint64_t t[ASCON_WORDS];
    x[2] ^= constant;
    x[0] ^= x[4];
    x[4] ^= x[3];
    x[2] ^= x[1];
#pragma GCC unroll 5
    for (size_t i = 0; i < ASCON_WORDS; i++) t[i] = x[i] ^ (~x[(i + 1) % 5] & x[(i + 2) % 5]);
    t[1] ^= t[0];
    t[0] ^= t[4];
    t[3] ^= t[2];
    t[2] = ~t[2];
    x[0] = t[0] ^ rotr64(t[0], 19) ^ rotr64(t[0], 28);
    x[1] = t[1] ^ rotr64(t[1], 61) ^ rotr64(t[1], 39);
    x[2] = t[2] ^ rotr64(t[2], 1) ^ rotr64(t[2], 6);
    x[3] = t[3] ^ rotr64(t[3], 10) ^ rotr64(t[3], 17);
    x[4] = t[4] ^ rotr64(t[4], 7) ^ rotr64(t[4], 41);
}

/* Round i's constant is i in its low half byte and 15 - i in its high one (section 3.2). */
JM_INLINE void permute(uint64_t x[ASCON_WORDS]) {
#pragma GCC unroll 12
    for (unsigned i = 0; i < ASCON_ROUNDS; i++) one_round(x, (15 - i) << 4 | i);
}

/* Adds `count` words, permuting after each. */
JM_INLINE void absorb_words(void *chain, const uint8_t *blocks, size_t count, bool big_endian) {
    uint64_t x[ASCON_WORDS];
    memcpy(x, chain, sizeof x);
    for (; count; count--, blocks += ASCON_RATE_BYTES) {
        x[0] ^= big_endian ? load_be64(blocks) : load_le64(blocks);
        permute(x);
    }
    memcpy(chain, x, sizeof x);
}

/* Adds the last, padded word, and squeezes the digest word by word. */
JM_INLINE void finish_words(void *chain, uint64_t last, uint8_t *digest, bool big_endian) {
    uint64_t x[ASCON_WORDS];
    memcpy(x, chain, sizeof x);
    x[0] ^= last;
    for (size_t at = 0; at < ASCON_DIGEST_BYTES; at += ASCON_RATE_BYTES) {
        permute(x);
        if (big_endian)
            store_be64(digest + at, x[0]);
        else
            store_le64(digest + at, x[0]);
    }
    memcpy(chain, x, sizeof x);
}

static void init_hash256(void *chain) {
    memcpy(chain, ascon_hash256_initial, sizeof ascon_hash256_initial);
}

static void absorb_hash256(void *chain, const uint8_t *blocks, size_t count) {
    absorb_words(chain, blocks, count, false);
}

/* The padding is a bit 1 and zeros, in the order in which the bytes are a number: the lowest bit of
 * the next byte. */
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

/* Here it is the highest bit of the next byte. */
static void finish_hash_v12(void *chain, const uint8_t *rest, size_t rest_bytes,
                            uint64_t total_bytes, uint8_t *digest) {
    (void)total_bytes;
    const uint64_t part = load_le64_partial(rest, rest_bytes) | UINT64_C(0x80) << 8 * rest_bytes;
    finish_words(chain, __builtin_bswap64(part), digest, true);
}

#endif
