/* SPDX-License-Identifier: Apache-2.0
 *
 * GMAC over AES (NIST SP 800-38D) in plain C, without tables.
 * Technique: products of polynomials by integer multiplication of every fourth bit, whose carries
 * fall into the three bits between; one block at a time.
 * State layout: H x, the key schedule of the portable AES, the counter block of the nonce. CPU
 * features: none. Constant time: as far as the CPU's multiplication takes constant time; branches
 * depend on lengths alone. Checked by tests/native/constant_time.c. Best for: CPUs without
 * PCLMULQDQ. */
#include "gmac/gmac.h"

#include "common/words.h"

enum { SCHEDULE_BYTES = JM_AES256_SCHEDULE_BYTES_portable, STACK_BYTES = 2048 };

typedef struct {
    uint64_t low, high;
} gmac_powers; /* H x */

/* The lower 64 bits of the product of two polynomials. At most 16 products of bits fall on one
 * place, and 16 only on bits 60 to 63, whose carry leaves the number. */
static inline uint64_t multiply_low(uint64_t a, uint64_t b) {
    const uint64_t every_fourth = UINT64_C(0x1111111111111111);
    uint64_t product = 0;
    for (unsigned sum = 0; sum < 4; sum++) {
        uint64_t part = 0;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned j = (sum - i) % 4;
            part ^= (a & every_fourth << i) * (b & every_fourth << j);
        }
        product |= part & every_fourth << sum;
    }
    return product;
}

static inline uint64_t reversed(uint64_t a) {
    a = (a >> 1 & UINT64_C(0x5555555555555555)) | (a & UINT64_C(0x5555555555555555)) << 1;
    a = (a >> 2 & UINT64_C(0x3333333333333333)) | (a & UINT64_C(0x3333333333333333)) << 2;
    a = (a >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (a & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    return __builtin_bswap64(a);
}

/* The 127 bits of a product. Its upper half is the lower half of the product of the reversed
 * numbers, reversed. */
static inline void multiply(uint64_t a, uint64_t b, uint64_t *low, uint64_t *high) {
    *low = multiply_low(a, b);
    *high = reversed(multiply_low(reversed(a), reversed(b))) >> 1;
}

/* Adds the modulus times `half`, the lowest word, which becomes zero, to the two words after it. */
static inline void fold(uint64_t half, uint64_t *next, uint64_t *over) {
    *next ^= half << 63 ^ half << 62 ^ half << 57;
    *over ^= half ^ half >> 1 ^ half >> 2 ^ half >> 7;
}

/* a = a h x^-128. */
static inline void absorb(gmac_powers *a, const gmac_powers *h) {
    uint64_t w0, w1, w2, w3, m0, m1; /* by Karatsuba */
    multiply(a->low, h->low, &w0, &w1);
    multiply(a->high, h->high, &w2, &w3);
    multiply(a->low ^ a->high, h->low ^ h->high, &m0, &m1);
    m0 ^= w0 ^ w2;
    m1 ^= w1 ^ w3;
    w1 ^= m0;
    w2 ^= m1;
    fold(w0, &w1, &w2);
    fold(w1, &w2, &w3);
    *a = (gmac_powers){w2, w3};
}

static inline void make_powers(gmac_powers *to, const uint8_t h[16]) {
    const uint64_t high = load_be64(h), low = load_be64(h + 8);
    const uint64_t over = UINT64_C(0) - (high >> 63);
    to->low = low << 1 ^ (over & 1);
    to->high = (high << 1 | low >> 63) ^ (over & UINT64_C(0xc200000000000000));
}

static inline void ghash(const gmac_powers *powers, const uint8_t *in, size_t bytes,
                         uint64_t first_bits, uint64_t second_bits, uint8_t out[16]) {
    const gmac_powers h = *powers;
    gmac_powers a = {0, 0};
    for (; bytes >= JM_GMAC_BLOCK_BYTES; in += JM_GMAC_BLOCK_BYTES, bytes -= JM_GMAC_BLOCK_BYTES) {
        a.high ^= load_be64(in);
        a.low ^= load_be64(in + 8);
        absorb(&a, &h);
    }
    if (bytes) {
        uint64_t word[2];
        load_le128_partial(in, bytes, 0, word);
        a.high ^= __builtin_bswap64(word[0]);
        a.low ^= __builtin_bswap64(word[1]);
        absorb(&a, &h);
    }
    a.high ^= first_bits;
    a.low ^= second_bits;
    absorb(&a, &h);
    store_be64(out, a.high);
    store_be64(out + 8, a.low);
}

static inline void absorb_blocks(const gmac_powers *powers, uint8_t sum[16], const uint8_t *in,
                                 size_t blocks) {
    gmac_powers a = {load_be64(sum + 8), load_be64(sum)};
    for (; blocks; blocks--, in += JM_GMAC_BLOCK_BYTES) {
        a.high ^= load_be64(in);
        a.low ^= load_be64(in + 8);
        absorb(&a, powers);
    }
    store_be64(sum, a.high);
    store_be64(sum + 8, a.low);
}

static inline void encrypt(const jm_implementation *cipher, const void *schedule,
                           const uint8_t in[16], uint8_t out[16]) {
    cipher->cipher->encrypt(cipher, schedule, in, out, 1);
}

static inline void store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    store_le64(counter, low);
    store_le64(counter + 8, high);
}

#include "gmac/gmac_variant.h"

#define NOTE "AES and GHASH in plain C without tables, one block at a time."
JM_GMAC_VARIANT(portable, 128, jm_aes128_portable, 0, true, NOTE);
JM_GMAC_VARIANT(portable, 192, jm_aes192_portable, 0, true, NOTE);
JM_GMAC_VARIANT(portable, 256, jm_aes256_portable, 0, true, NOTE);
