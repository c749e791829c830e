/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5): the message as a polynomial over GF(2^130 - 5), evaluated at r,
 * plus s modulo 2^128, in C for 32-bit microcontrollers.
 * Technique: five limbs of 26 bits, and products of 32 x 32 bits, so that no number is longer than
 * 64 bits; what leaves the uppermost limb comes back five times in the lowest. State layout: a key
 * is r, 5 r and s; a chaining value is the accumulator's limbs, carried: each exceeds 26 bits by
 * less than 2^7. CPU features: none. Constant time: as far as the CPU's multiplication is, which on
 * Cortex-M3 it is not. A CPU without one calls the compiler's function, whose time depends on the
 * numbers: PicoRV32, SERV and MSP430, and AVR by two core cycles (tests/firmware has the counts);
 * branches depend on lengths alone. Checked by tests/native/constant_time.c.
 * Functions have an outer and an inner half (common/block_mac.h). Best for: Cortex-M4, RV32IM. */
#define JM_NARROW /* common/compiler.h */
#include "common/block_mac.h"
#include "poly1305/poly1305.h"

#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 320 };
#else
enum { STACK_BYTES = 384 };
#endif

#define LIMB ((UINT32_C(1) << 26) - 1)

typedef struct {
    uint32_t limb[5]; /* of weights 1, 2^26, 2^52, 2^78, 2^104 */
} number;

typedef struct {
    number r;
    uint32_t r_times_5[5]; /* of the upper four limbs; the first is not used */
    uint32_t s[4];
} poly1305_key;

/* 16 little-endian bytes at `from`, and `top` 2^128. */
JM_INLINE number split(const uint8_t *from, uint32_t top) {
    const uint32_t w0 = load_le32(from), w1 = load_le32(from + 4), w2 = load_le32(from + 8);
    const uint32_t w3 = load_le32(from + 12);
    return (number){{w0 & LIMB, (w0 >> 26 | w1 << 6) & LIMB, (w1 >> 20 | w2 << 12) & LIMB,
                     (w2 >> 14 | w3 << 18) & LIMB, w3 >> 8 | top << 24}};
}

static void poly1305_set(poly1305_key *to, const uint8_t *key, size_t key_bytes) {
    (void)key_bytes;
    uint8_t clamped[16];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t mask = i % 4 == 3 ? 0x0f : i % 4 == 0 && i ? 0xfc : 0xff;
        clamped[i] = key[i] & mask;
    }
    to->r = split(clamped, 0);
    for (size_t i = 0; i < 5; i++) to->r_times_5[i] = 5 * to->r.limb[i];
    for (size_t i = 0; i < 4; i++) to->s[i] = load_le32(key + 16 + 4 * i);
}

JM_INLINE void poly1305_begin(number *h, const poly1305_key *key) {
    (void)key;
    *h = (number){{0}};
}

/* h = (h + block) r, carried. Limbs of the sum are below 2^28 and those of 5 r below 2^28.4, so
 * that a sum of five products is below 2^59. */
JM_INLINE void multiply(number *h, const poly1305_key *key, number block) {
    const uint32_t h0 = h->limb[0] + block.limb[0], h1 = h->limb[1] + block.limb[1];
    const uint32_t h2 = h->limb[2] + block.limb[2], h3 = h->limb[3] + block.limb[3];
    const uint32_t h4 = h->limb[4] + block.limb[4];
    const uint32_t *const r = key->r.limb, *const s = key->r_times_5;
#define PRODUCT(a, b) ((uint64_t)(a) * (b))
    uint64_t d = PRODUCT(h0, r[0]) + PRODUCT(h1, s[4]) + PRODUCT(h2, s[3]) + PRODUCT(h3, s[2]) +
                 PRODUCT(h4, s[1]);
    h->limb[0] = (uint32_t)d & LIMB;
    d = (d >> 26) + PRODUCT(h0, r[1]) + PRODUCT(h1, r[0]) + PRODUCT(h2, s[4]) + PRODUCT(h3, s[3]) +
        PRODUCT(h4, s[2]);
    h->limb[1] = (uint32_t)d & LIMB;
    d = (d >> 26) + PRODUCT(h0, r[2]) + PRODUCT(h1, r[1]) + PRODUCT(h2, r[0]) + PRODUCT(h3, s[4]) +
        PRODUCT(h4, s[3]);
    h->limb[2] = (uint32_t)d & LIMB;
    d = (d >> 26) + PRODUCT(h0, r[3]) + PRODUCT(h1, r[2]) + PRODUCT(h2, r[1]) + PRODUCT(h3, r[0]) +
        PRODUCT(h4, s[4]);
    h->limb[3] = (uint32_t)d & LIMB;
    d = (d >> 26) + PRODUCT(h0, r[4]) + PRODUCT(h1, r[3]) + PRODUCT(h2, r[2]) + PRODUCT(h3, r[1]) +
        PRODUCT(h4, r[0]);
    h->limb[4] = (uint32_t)d & LIMB;
#undef PRODUCT
    /* What is above 2^130 is below 2^33. */
    d = 5 * (d >> 26) + h->limb[0];
    h->limb[0] = (uint32_t)d & LIMB;
    h->limb[1] += (uint32_t)(d >> 26);
}

JM_INLINE void poly1305_absorb(number *h, const poly1305_key *key, const uint8_t *blocks,
                               size_t count) {
    for (; count; count--, blocks += JM_POLY1305_BLOCK_BYTES) multiply(h, key, split(blocks, 1));
}

/* h modulo 2^130 - 5 is h or h - p = h + 5 - 2^130, as h < 2 p: the latter if h + 5 reaches 2^130.
 */
JM_INLINE void poly1305_finish(number *h, const poly1305_key *key, const uint8_t *rest,
                               size_t rest_bytes, uint64_t total_bytes, uint8_t *tag) {
    (void)total_bytes;
    if (rest_bytes) {
        uint8_t block[JM_POLY1305_BLOCK_BYTES] = {0};
        for (size_t i = 0; i < rest_bytes; i++) block[i] = rest[i];
        block[rest_bytes] = 1;
        multiply(h, key, split(block, 0));
    }
    uint32_t carry = 0;
    for (unsigned i = 1; i < 5; i++) {
        h->limb[i] += carry;
        carry = h->limb[i] >> 26;
        h->limb[i] &= LIMB;
    }
    h->limb[0] += 5 * carry;
    for (unsigned i = 0; i < 4; i++) {
        h->limb[i + 1] += h->limb[i] >> 26;
        h->limb[i] &= LIMB;
    }
    uint32_t minus_p[5];
    carry = 5;
    for (unsigned i = 0; i < 5; i++) {
        minus_p[i] = h->limb[i] + carry;
        carry = minus_p[i] >> 26;
        minus_p[i] &= LIMB;
    }
    const uint32_t take = 0u - carry;
    for (unsigned i = 0; i < 5; i++) h->limb[i] ^= (h->limb[i] ^ minus_p[i]) & take;
    const uint32_t *const l = h->limb;
    const uint32_t word[4] = {l[0] | l[1] << 26, l[1] >> 6 | l[2] << 20, l[2] >> 12 | l[3] << 14,
                              l[3] >> 18 | l[4] << 8};
    uint64_t sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        sum += (uint64_t)word[i] + key->s[i];
        store_le32(tag + 4 * i, (uint32_t)sum);
        sum >>= 32;
    }
}

JM_BLOCK_MAC_DEFINE(poly1305, "poly1305", mcu32, 0, true,
                    "26-bit limbs in C, for 32-bit microcontrollers.", poly1305_key, number,
                    JM_POLY1305_BLOCK_BYTES, JM_POLY1305_TAG_BYTES, JM_POLY1305_KEY_BYTES,
                    JM_POLY1305_KEY_BYTES, false, STACK_BYTES)
