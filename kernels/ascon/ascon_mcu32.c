/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon-Mac and Ascon-Prf (Dobraunig, Eichlseder, Mendel, Schlaeffer: Ascon PRF, MAC, and
 * Short-Input MAC, 2021, section 2) in C for 32-bit microcontrollers.
 *
 * Technique: a word of 64 bits is two words of 32, its even and its odd bits ("bit interleaving"),
 * so that a rotation of the word is a rotation of each; these processors rotate an operand at no
 * cost. Words of the message are taken apart as they are added, and words of the tag joined as they
 * are stored. CPU: any; for Cortex-M3 and M4.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: Cortex-M; README.md has its core cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "ascon/ascon.h"
#include "common/block_mac.h"

#if defined(JM_FREESTANDING)
enum { ASCON_PRF_STACK_BYTES = 288 };
#else
enum { ASCON_PRF_STACK_BYTES = 640 };
#endif

typedef struct {
    uint32_t even[ASCON_WORDS], odd[ASCON_WORDS];
} ascon_words;

/* Exchanges the bits of `word` at mask << shift with those at mask. */
JM_INLINE uint32_t exchange(uint32_t word, unsigned shift, uint32_t mask) {
    const uint32_t t = ((word >> shift) ^ word) & mask;
    return word ^ t ^ t << shift;
}

/* Moves the even bits of `word` to its lower half and the odd bits to its upper half; and back. */
JM_INLINE uint32_t take_apart(uint32_t word) {
    word = exchange(word, 1, 0x22222222);
    word = exchange(word, 2, 0x0c0c0c0c);
    word = exchange(word, 4, 0x00f000f0);
    return exchange(word, 8, 0x0000ff00);
}
JM_INLINE uint32_t join(uint32_t word) {
    word = exchange(word, 8, 0x0000ff00);
    word = exchange(word, 4, 0x00f000f0);
    word = exchange(word, 2, 0x0c0c0c0c);
    return exchange(word, 1, 0x22222222);
}

/* Adds the eight bytes at `from`, big-endian, to word `i` of the state. */
JM_INLINE void add_word(ascon_words *x, size_t i, const uint8_t *from) {
    const uint32_t high = take_apart(load_be32(from)), low = take_apart(load_be32(from + 4));
    x->even[i] ^= high << 16 | (low & 0xffff);
    x->odd[i] ^= (high & 0xffff0000) | low >> 16;
}

JM_INLINE void put_word(uint8_t *to, const ascon_words *x, size_t i) {
    const uint32_t even = x->even[i], odd = x->odd[i];
    store_be32(to, join(even >> 16 | (odd & 0xffff0000)));
    store_be32(to + 4, join((even & 0xffff) | odd << 16));
}

/* S-boxes side by side (SP 800-232, section 3.3). */
JM_INLINE void substitute(uint32_t x[ASCON_WORDS]) {
    x[0] ^= x[4], x[4] ^= x[3], x[2] ^= x[1];
    const uint32_t t0 = x[1] & ~x[0], t1 = x[2] & ~x[1], t2 = x[3] & ~x[2], t3 = x[4] & ~x[3];
    const uint32_t t4 = x[0] & ~x[4];
    x[0] ^= t1, x[1] ^= t2, x[2] ^= t3, x[3] ^= t4, x[4] ^= t0;
    x[1] ^= x[0], x[0] ^= x[4], x[3] ^= x[2], x[2] = ~x[2];
}

/* Word i and its rotations by n and m bits (section 3.4). A rotation by 2 k bits rotates both parts
 * by k; a rotation by 2 k + 1 exchanges the parts, and the former even part is rotated by k + 1,
 * the odd one by k. */
#define PART(n, same, other, is_odd)                                                               \
    ((n) % 2 ? rotr32(other, (n) / 2 + (is_odd)) : rotr32(same, (n) / 2))
#define DIFFUSE(i, n, m)                                                                           \
    do {                                                                                           \
        const uint32_t e = even[i], o = odd[i];                                                    \
        even[i] = e ^ PART(n, e, o, 0) ^ PART(m, e, o, 0);                                         \
        odd[i] = o ^ PART(n, o, e, 1) ^ PART(m, o, e, 1);                                          \
    } while (0)
/* Word 2, rotated by 1 and 6 bits: written apart, since rotr32 by 0 bits would shift by 32, which
 * is undefined in C. */
JM_INLINE void diffuse2(uint32_t *even, uint32_t *odd) {
    const uint32_t e = *even, o = *odd;
    *even = e ^ o ^ rotr32(e, 3);
    *odd = o ^ rotr32(e, 1) ^ rotr32(o, 3);
}

/* Bits 0, 2, 4 and 6 of a byte. */
#define EVEN_BITS(c) (((c) & 1) | ((c) >> 1 & 2) | ((c) >> 2 & 4) | ((c) >> 3 & 8))

/* Ascon-p[12]. The constant of round i is i in the low four bits and 15 - i in the high four bits
 * (section 3.2). */
JM_ONCE void permute(ascon_words *x) {
    uint32_t even[ASCON_WORDS], odd[ASCON_WORDS];
    for (unsigned i = 0; i < ASCON_WORDS; i++) even[i] = x->even[i], odd[i] = x->odd[i];
    for (uint32_t constant = 0xf0; constant >= 0x4b; constant -= 0x0f) {
        even[2] ^= EVEN_BITS(constant);
        odd[2] ^= EVEN_BITS(constant >> 1);
        substitute(even);
        substitute(odd);
        DIFFUSE(0, 19, 28);
        DIFFUSE(1, 61, 39);
        diffuse2(&even[2], &odd[2]);
        DIFFUSE(3, 10, 17);
        DIFFUSE(4, 7, 41);
    }
    for (unsigned i = 0; i < ASCON_WORDS; i++) x->even[i] = even[i], x->odd[i] = odd[i];
}

#include "ascon/ascon_keyed.h"

JM_ASCON_PRF(mcu32, 0, "even and odd bits apart in C, for 32-bit microcontrollers")
