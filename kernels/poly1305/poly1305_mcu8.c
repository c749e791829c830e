/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5): the message as a polynomial over GF(2^130 - 5), evaluated at r,
 * plus s modulo 2^128, in C for CPUs whose registers hold 8 bits.
 * Technique: numbers of bytes, multiplied as by hand, one byte of the product after the other. The
 * part from 2^130 on is added five times: its bytes without the two lowest bits are four times the
 * part, and shifted right by two bits they are the fifth. State layout: a key is r and s; a
 * chaining value is the accumulator, 17 bytes, below 2^131. CPU features: none. Constant time: as
 * far as the CPU's multiplication takes constant time: on AVR, but not on PicoRV32, SERV and
 * MSP430, which have no multiplication; branches depend on lengths alone. Checked by
 * tests/native/constant_time.c. Functions have an outer and an inner half (common/block_mac.h).
 * Best for: ATmega; README.md has its core cycles. */
#define JM_NARROW /* common/secret.h */
#include "common/block_mac.h"
#include "poly1305/poly1305.h"

enum { R_BYTES = 16, SUM_BYTES = 17, PRODUCT_BYTES = R_BYTES + SUM_BYTES };
#if defined(__AVR__)
enum { STACK_BYTES = 160 };
#elif defined(JM_FREESTANDING)
enum { STACK_BYTES = 192 };
#else
enum { STACK_BYTES = 832 };
#endif

typedef struct {
    uint8_t r[R_BYTES], s[16];
} poly1305_key;

typedef struct {
    uint8_t byte[SUM_BYTES];
} number;

JM_INLINE void poly1305_set(poly1305_key *to, const uint8_t *key, size_t key_bytes) {
    (void)key_bytes;
    for (uint8_t i = 0; i < 16; i++) {
        const uint8_t mask = i % 4 == 3 ? 0x0f : i % 4 == 0 && i ? 0xfc : 0xff;
        to->r[i] = key[i] & mask;
        to->s[i] = key[16 + i];
    }
}

JM_INLINE void poly1305_begin(number *h, const poly1305_key *key) {
    (void)key;
    *h = (number){{0}};
}

/* Adds the products of `count` pairs of bytes, at least 1, to `sum`: bytes at `up` and after it
 * times bytes at `down` and before it. */
JM_INLINE uint32_t add_products(uint32_t sum, const uint8_t *up, const uint8_t *down,
                                uint8_t count) {
    do sum += (unsigned)*up++ * *down--;
    while (--count);
    return sum;
}

/* h = h r, not fully reduced. Before: h < 2^132. After: h < 2^131. */
JM_ONCE void multiply(number *h, const uint8_t r[R_BYTES]) {
    uint8_t product[PRODUCT_BYTES];
    uint32_t sum = 0;
    for (uint8_t at = 0; at < R_BYTES; at++) {
        sum = add_products(sum, h->byte, r + at, at + 1);
        product[at] = (uint8_t)sum;
        sum >>= 8;
    }
    for (uint8_t at = R_BYTES; at < PRODUCT_BYTES - 1; at++) {
        sum = add_products(sum, h->byte + at - (R_BYTES - 1), r + R_BYTES - 1,
                           PRODUCT_BYTES - 1 - at);
        product[at] = (uint8_t)sum;
        sum >>= 8;
    }
    product[PRODUCT_BYTES - 1] = (uint8_t)sum;

    uint16_t carry = 0;
    uint8_t above = product[R_BYTES];
    const uint8_t lowest = above & 3;
    product[R_BYTES] = above & 0xfc;
    for (uint8_t i = 0; i < R_BYTES; i++) {
        const uint8_t next = product[R_BYTES + 1 + i];
        carry += product[i];
        carry += product[R_BYTES + i];
        carry += (uint8_t)(above >> 2 | next << 6);
        h->byte[i] = (uint8_t)carry;
        carry >>= 8;
        above = next;
    }
    /* The uppermost byte of the product is 0, because the product is below 2^256. */
    h->byte[R_BYTES] = (uint8_t)(carry + lowest);
}

/* h += the 16 bytes at `from` + `top` 2^128. */
JM_INLINE void add_block(number *h, const uint8_t *from, uint8_t top) {
    uint16_t carry = 0;
    for (uint8_t i = 0; i < 16; i++) {
        carry += h->byte[i];
        carry += *from++;
        h->byte[i] = (uint8_t)carry;
        carry >>= 8;
    }
    h->byte[16] = (uint8_t)(h->byte[16] + top + carry);
}

JM_INLINE void poly1305_absorb(number *h, const poly1305_key *key, const uint8_t *blocks,
                               size_t count) {
    for (; count; count--, blocks += JM_POLY1305_BLOCK_BYTES) {
        add_block(h, blocks, 1);
        multiply(h, key->r);
    }
}

/* As h < 2^131 < 4 p, let g be h without its bits from 2^130 on, plus five times those bits as a
 * number: h modulo p = 2^130 - 5 is g or g + 5 - 2^130. */
JM_INLINE void poly1305_finish(number *h, const poly1305_key *key, const uint8_t *rest,
                               size_t rest_bytes, uint64_t total_bytes, uint8_t *tag) {
    (void)total_bytes;
    if (rest_bytes) {
        uint8_t block[JM_POLY1305_BLOCK_BYTES] = {0};
        for (uint8_t i = 0; i < rest_bytes; i++) block[i] = rest[i];
        block[rest_bytes] = 1;
        add_block(h, block, 0);
        multiply(h, key->r);
    }
    uint16_t carry = (uint16_t)(5 * (h->byte[16] >> 2));
    h->byte[16] &= 3;
    for (uint8_t i = 0; i < SUM_BYTES; i++) {
        carry += h->byte[i];
        h->byte[i] = (uint8_t)carry;
        carry >>= 8;
    }
    uint8_t minus_p[SUM_BYTES];
    carry = 5;
    for (uint8_t i = 0; i < SUM_BYTES; i++) {
        carry += h->byte[i];
        minus_p[i] = (uint8_t)carry;
        carry >>= 8;
    }
    const uint8_t take = (uint8_t)(0u - (minus_p[16] >> 2));
    carry = 0;
    for (uint8_t i = 0; i < 16; i++) {
        carry += (uint8_t)(h->byte[i] ^ ((h->byte[i] ^ minus_p[i]) & take));
        carry += key->s[i];
        tag[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

JM_BLOCK_MAC_DEFINE(poly1305, "poly1305", mcu8, 0, true,
                    "Bytes in C, for CPUs whose registers hold 8 bits.", poly1305_key, number,
                    JM_POLY1305_BLOCK_BYTES, JM_POLY1305_TAG_BYTES, JM_POLY1305_KEY_BYTES,
                    JM_POLY1305_KEY_BYTES, false, STACK_BYTES)
