/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5): the message as a polynomial over GF(2^130 - 5), evaluated at r,
 * plus s modulo 2^128, in C for 32-bit microcontrollers.
 * Technique: words of 32 bits, as they lie in the message, and products of 32 x 32 bits, so that no
 * number is longer than 64 bits. Clamping makes r1, r2 and r3 multiples of 4, so that r1 2^128 =
 * (r1 / 4) 2^130 = 5 (r1 / 4) modulo p = 2^130 - 5 needs no shift. State layout: a key is r, 5/4 of
 * its upper three words, and s; a chaining value is five words, below 5 2^128. CPU features: none.
 * Constant time: as far as the CPU's multiplication takes constant time, which that of Cortex-M3
 * does not. Where the CPU has no such multiplication the compiler's function is called, whose time
 * depends on the numbers: PicoRV32, SERV, MSP430 and AVR (tests/firmware has the counts); branches
 * depend on lengths alone. Checked by tests/native/constant_time.c. Functions have an outer and an
 * inner half (common/block_mac.h).
 * Best for: Cortex-M, RV32IM. */
#define JM_NARROW /* common/secret.h */
#include "common/block_mac.h"
#include "poly1305/poly1305.h"

#if defined(__ARM_ARCH_6M__)
enum { STACK_BYTES = 448 }; /* sixteen registers, eight of which can add; no 64-bit product */
#elif defined(__arm__) || defined(__riscv_mul)
enum { STACK_BYTES = 160 };
#elif defined(JM_FREESTANDING)
enum { STACK_BYTES = 320 };
#else
enum { STACK_BYTES = 448 };
#endif

/* Names instead of an array: a compiler keeps them in registers, even if it does not unroll
 * loops. */
typedef struct {
    uint32_t w0, w1, w2, w3;
} words;

typedef struct {
    words low;
    uint32_t top; /* of weight 2^128; at most 4 between blocks */
} number;

typedef struct {
    words r;          /* clamped: all below 2^28 */
    uint32_t over[4]; /* 5/4 of r1, r2 and r3; the first is not used */
    words s;
} poly1305_key;

JM_INLINE words load_words(const uint8_t *from) {
    return (words){load_le32(from), load_le32(from + 4), load_le32(from + 8), load_le32(from + 12)};
}

JM_INLINE void poly1305_set(poly1305_key *to, const uint8_t *key, size_t key_bytes) {
    (void)key_bytes;
    const uint32_t first = UINT32_C(0x0fffffff), mask = UINT32_C(0x0ffffffc);
    const words r = load_words(key);
    to->r = (words){r.w0 & first, r.w1 & mask, r.w2 & mask, r.w3 & mask};
    to->over[0] = 0;
    to->over[1] = to->r.w1 + (to->r.w1 >> 2);
    to->over[2] = to->r.w2 + (to->r.w2 >> 2);
    to->over[3] = to->r.w3 + (to->r.w3 >> 2);
    to->s = load_words(key + 16);
}

JM_INLINE void poly1305_begin(number *h, const poly1305_key *key) {
    (void)key;
    *h = (number){{0, 0, 0, 0}, 0};
}

#if defined(__ARM_ARCH_6M__)
/* The CPU's products have 32 bits. The compiler's function for 64 bits branches on a carry. */
JM_ONCE uint64_t product(uint32_t a, uint32_t b) {
    const uint32_t low_a = a & 0xffff, high_a = a >> 16, low_b = b & 0xffff, high_b = b >> 16;
    const uint32_t low = low_a * low_b;
    const uint32_t one = low_a * high_b + (low >> 16); /* at most (2^16 - 1)^2 + 2^16 - 1 */
    const uint32_t other = high_a * low_b + (one & 0xffff);
    const uint32_t high = high_a * high_b + (one >> 16) + (other >> 16);
    return (uint64_t)high << 32 | other << 16 | (low & 0xffff);
}
#define PRODUCT product
#else
#define PRODUCT(a, b) ((uint64_t)(a) * (b))
#endif

/* h = (h + block + top 2^128) r, not fully reduced. With top <= 1 the sum's uppermost word is at
 * most 6. A sum of five products is below 5 * 1.25 * 2^60. */
JM_INLINE void multiply(number *h, const poly1305_key *key, words block, uint32_t top) {
    uint64_t d = (uint64_t)h->low.w0 + block.w0;
    uint32_t a0 = (uint32_t)d;
    d = (d >> 32) + h->low.w1 + block.w1;
    uint32_t a1 = (uint32_t)d;
    d = (d >> 32) + h->low.w2 + block.w2;
    uint32_t a2 = (uint32_t)d;
    d = (d >> 32) + h->low.w3 + block.w3;
    uint32_t a3 = (uint32_t)d;
    const uint32_t a4 = h->top + top + (uint32_t)(d >> 32);
    /* Otherwise GCC treats the words as 64-bit numbers with an upper half of 0, and does not use
     * UMLAL, which multiplies 32-bit factors and adds the product. */
    JM_PIN("r", a0);
    JM_PIN("r", a1);
    JM_PIN("r", a2);
    JM_PIN("r", a3);
    const uint32_t r0 = key->r.w0, r1 = key->r.w1, r2 = key->r.w2, r3 = key->r.w3;
    const uint32_t o1 = key->over[1], o2 = key->over[2], o3 = key->over[3];

    d = PRODUCT(a0, r0) + PRODUCT(a1, o3) + PRODUCT(a2, o2) + PRODUCT(a3, o1);
    const uint32_t d0 = (uint32_t)d;
    d = (d >> 32) + PRODUCT(a0, r1) + PRODUCT(a1, r0) + PRODUCT(a2, o3) + PRODUCT(a3, o2) +
        PRODUCT(a4, o1);
    const uint32_t d1 = (uint32_t)d;
    d = (d >> 32) + PRODUCT(a0, r2) + PRODUCT(a1, r1) + PRODUCT(a2, r0) + PRODUCT(a3, o3) +
        PRODUCT(a4, o2);
    const uint32_t d2 = (uint32_t)d;
    d = (d >> 32) + PRODUCT(a0, r3) + PRODUCT(a1, r2) + PRODUCT(a2, r1) + PRODUCT(a3, r0) +
        PRODUCT(a4, o3);
    const uint32_t d3 = (uint32_t)d, d4 = (uint32_t)(d >> 32) + a4 * r0; /* < 11 2^28 */

    /* The part from 2^130 on is added five times: four times as it stands, and once shifted: < 14
     * 2^28. */
    d = (uint64_t)d0 + ((d4 & ~UINT32_C(3)) + (d4 >> 2));
    h->low.w0 = (uint32_t)d;
    d = (d >> 32) + d1;
    h->low.w1 = (uint32_t)d;
    d = (d >> 32) + d2;
    h->low.w2 = (uint32_t)d;
    d = (d >> 32) + d3;
    h->low.w3 = (uint32_t)d;
    h->top = (d4 & 3) + (uint32_t)(d >> 32);
}

/* The only code that multiplies: its calls are large where products are functions. */
JM_ONCE void add_blocks(number *to, const poly1305_key *key, const uint8_t *blocks, size_t count,
                        uint32_t top) {
    number h = *to;
    for (; count; count--, blocks += JM_POLY1305_BLOCK_BYTES)
        multiply(&h, key, load_words(blocks), top);
    *to = h;
#if defined(__riscv) && !defined(__riscv_mul)
    /* The compiler's function for products leaves its numbers in these registers; a function that
     * names them as changed clears them. */
    __asm__ volatile(""
                     :
                     :
                     : "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5",
                       "t6");
#endif
}

JM_INLINE void poly1305_absorb(number *h, const poly1305_key *key, const uint8_t *blocks,
                               size_t count) {
    add_blocks(h, key, blocks, count, 1);
}

/* Stores a word of the tag; returns the carry, at most 2. */
JM_INLINE uint64_t put_word(uint8_t *tag, uint64_t sum) {
    store_le32(tag, (uint32_t)sum);
    return sum >> 32;
}

/* As h < 5 2^128 < 2 p, h modulo p is h or h - p. The latter is h + 5 without bit 130, and applies
 * if h + 5 has that bit. */
JM_INLINE void poly1305_finish(number *h, const poly1305_key *key, const uint8_t *rest,
                               size_t rest_bytes, uint64_t total_bytes, uint8_t *tag) {
    (void)total_bytes;
    if (rest_bytes) {
        union {
            uint32_t word[JM_POLY1305_BLOCK_BYTES / 4];
            uint8_t byte[JM_POLY1305_BLOCK_BYTES];
        } block;
        block.word[0] = block.word[1] = block.word[2] = block.word[3] = 0;
        for (size_t i = 0; i < rest_bytes; i++) {
            block.byte[i] = rest[i];
            JM_KEEP_LOOP(); /* else the loop becomes a call of memcpy */
        }
        block.byte[rest_bytes] = 1;
        add_blocks(h, key, block.byte, 1, 0);
    }
    const words low = h->low;
    uint64_t sum = (uint64_t)low.w0 + 5;
    sum = (sum >> 32) + low.w1;
    sum = (sum >> 32) + low.w2;
    sum = (sum >> 32) + low.w3;
    uint32_t reached = (h->top + (uint32_t)(sum >> 32)) >> 2; /* 0 or 1 */
    JM_PIN("r", reached);                                     /* else a compiler branches on it */
    sum = put_word(tag, (uint64_t)low.w0 + key->s.w0 + (reached << 2 | reached));
    sum = put_word(tag + 4, sum + low.w1 + key->s.w1);
    sum = put_word(tag + 8, sum + low.w2 + key->s.w2);
    put_word(tag + 12, sum + low.w3 + key->s.w3);
}

JM_BLOCK_MAC_DEFINE(poly1305, "poly1305", mcu32, 0, true,
                    "32-bit words in C, for 32-bit microcontrollers.", poly1305_key, number,
                    JM_POLY1305_BLOCK_BYTES, JM_POLY1305_TAG_BYTES, JM_POLY1305_KEY_BYTES,
                    JM_POLY1305_KEY_BYTES, false, STACK_BYTES)
