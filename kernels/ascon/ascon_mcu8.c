/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon-Mac and Ascon-Prf (Dobraunig, Eichlseder, Mendel, Schlaeffer: Ascon PRF, MAC, and
 * Short-Input MAC, 2021, section 2) in C for CPUs whose registers hold 8 bits.
 *
 * Technique: the S-boxes byte by byte, five bytes of a column in registers. The rotations of a word
 * are nested, so that a step by one bit serves all rotations inside it, and steps by bytes cost
 * nothing.
 * CPU: any; for AVR and the like.
 * Constant time: rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: ATmega; README.md has its core cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "ascon/ascon.h"
#include "common/block_mac.h"
#include "common/byte_words.h"

#if defined(__AVR__)
enum { ASCON_PRF_STACK_BYTES = 160 };
#elif defined(JM_FREESTANDING)
enum { ASCON_PRF_STACK_BYTES = 224 };
#else
enum { ASCON_PRF_STACK_BYTES = 704 };
#endif

/* Words as they lie in a message: the most significant byte first. */
typedef struct {
    uint8_t byte[ASCON_WORDS][8];
} ascon_words;

/* A word in registers. */
typedef struct {
    uint32_t low, high;
} word;

JM_INLINE word load_word(const uint8_t *from) {
    return (word){byte_load_be32(from + 4), byte_load_be32(from)};
}
JM_INLINE void store_word(uint8_t *to, word x) {
    byte_store_be32(to, x.high);
    byte_store_be32(to + 4, x.low);
}

/* Loads a word rotated right by `bytes`, a constant from 0 to 7. */
#define AT(i) from[7 - ((i) + bytes) % 8]
JM_INLINE word load_rotated(const uint8_t *from, unsigned bytes) {
    jm_byte_word low, high;
    JM_BYTE(low, 0) = AT(0), JM_BYTE(low, 1) = AT(1);
    JM_BYTE(low, 2) = AT(2), JM_BYTE(low, 3) = AT(3);
    JM_BYTE(high, 0) = AT(4), JM_BYTE(high, 1) = AT(5);
    JM_BYTE(high, 2) = AT(6), JM_BYTE(high, 3) = AT(7);
    return (word){low.word, high.word};
}

/* Rotations by one bit to the right, and to the left. */
JM_INLINE word step(word x) {
    return (word){byte_shift_in(x.high, x.low), byte_shift_in(x.low, x.high)};
}
JM_INLINE word step_back(word x) {
    return (word){byte_shift_in_below(x.low, x.high), byte_shift_in_below(x.high, x.low)};
}

JM_INLINE word add(word x, word y) {
    return (word){x.low ^ y.low, x.high ^ y.high};
}

/* Adds to the word at `at` its two rotations to the right (SP 800-232, section 3.4), by the numbers
 * of bits at each function: */
JM_ONCE void diffuse0(uint8_t *at) { /* 19 = 3 + 16, 28 = 3 + 1 + 24 */
    const word inner = add(load_rotated(at, 2), step(load_rotated(at, 3)));
    store_word(at, add(load_word(at), step(step(step(inner)))));
}
JM_ONCE void diffuse1(uint8_t *at) { /* 61 = 64 - 1 - 2, 39 = 40 - 1 */
    const word inner = add(load_rotated(at, 5), step_back(step_back(load_word(at))));
    store_word(at, add(load_word(at), step_back(inner)));
}
JM_ONCE void diffuse2(uint8_t *at) { /* 1, 6 = 8 - 2 */
    const word by_6 = step_back(step_back(load_rotated(at, 1)));
    store_word(at, add(load_word(at), add(step(load_word(at)), by_6)));
}
JM_ONCE void diffuse3(uint8_t *at) { /* 10 = 1 + 1 + 8, 17 = 1 + 16 */
    const word inner = add(load_rotated(at, 2), step(load_rotated(at, 1)));
    store_word(at, add(load_word(at), step(inner)));
}
JM_ONCE void diffuse4(uint8_t *at) { /* 7 = 8 - 1, 41 = 40 + 1 */
    const word by_7 = step_back(load_rotated(at, 1));
    store_word(at, add(load_word(at), add(step(load_rotated(at, 5)), by_7)));
}

/* The S-boxes of eight bits of each word (section 3.3), eight times. */
JM_ONCE void substitute(uint8_t *x) {
    for (uint8_t left = 8; left; left--, x++) {
        uint8_t x0 = x[0], x1 = x[8], x2 = x[16], x3 = x[24], x4 = x[32];
        x0 ^= x4, x4 ^= x3, x2 ^= x1;
        const uint8_t t0 = (uint8_t)(x1 & ~x0), t4 = (uint8_t)(x0 & ~x4);
        x0 ^= (uint8_t)(x2 & ~x1);
        x1 ^= (uint8_t)(x3 & ~x2);
        x2 ^= (uint8_t)(x4 & ~x3);
        x3 ^= t4, x4 ^= t0;
        x1 ^= x0, x0 ^= x4, x3 ^= x2, x2 = (uint8_t)~x2;
        x[0] = x0, x[8] = x1, x[16] = x2, x[24] = x3, x[32] = x4;
    }
}

/* Ascon-p[12]. The constant of round i is i in the low four bits and 15 - i in the high four bits
 * (section 3.2). */
JM_ONCE void permute(ascon_words *x) {
    for (uint8_t constant = 0xf0; constant >= 0x4b; constant -= 0x0f) {
        x->byte[2][7] ^= constant;
        substitute(x->byte[0]);
        diffuse0(x->byte[0]);
        diffuse1(x->byte[1]);
        diffuse2(x->byte[2]);
        diffuse3(x->byte[3]);
        diffuse4(x->byte[4]);
    }
}

JM_INLINE void add_word(ascon_words *x, size_t i, const uint8_t *from) {
    for (uint8_t j = 0; j < 8; j++) x->byte[i][j] ^= from[j];
}

JM_INLINE void put_word(uint8_t *to, const ascon_words *x, size_t i) {
    for (uint8_t j = 0; j < 8; j++) to[j] = x->byte[i][j];
}

#include "ascon/ascon_keyed.h"

JM_ASCON_PRF(mcu8, 0, "bytes in C, for CPUs whose registers hold 8 bits")
