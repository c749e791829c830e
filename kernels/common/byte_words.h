/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of 32 bits for CPUs whose registers hold 8: rotations as such a CPU does them. A rotation
 * by whole bytes renames the bytes; a rotation by a bit shifts four bytes through the carry; a
 * rotation by three to five bits is four products of a byte and a power of two, if the CPU
 * multiplies in two core cycles (ATmega). GCC 5 compiles a rotation by any other count to a loop of
 * single shifts.
 *
 * All functions take constant time. On other machines they give the same results, more slowly. */
#ifndef JM_BYTE_WORDS_H
#define JM_BYTE_WORDS_H

#include "common/secret.h"
#include "common/words.h"

/* Byte i is that of weight 256^i: JM_BYTE(word, i). */
typedef union {
    uint32_t word;
    uint8_t byte[4];
} jm_byte_word;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define JM_BYTE(x, i) ((x).byte[i])
#else
#define JM_BYTE(x, i) ((x).byte[3 - (i)])
#endif

/* Rotates right by `bytes` whole bytes: 1 to 3. */
JM_INLINE uint32_t byte_rotr(uint32_t word, unsigned bytes) {
    const jm_byte_word from = {word};
    jm_byte_word to;
    JM_BYTE(to, 0) = JM_BYTE(from, bytes & 3);
    JM_BYTE(to, 1) = JM_BYTE(from, (1 + bytes) & 3);
    JM_BYTE(to, 2) = JM_BYTE(from, (2 + bytes) & 3);
    JM_BYTE(to, 3) = JM_BYTE(from, (3 + bytes) & 3);
    return to.word;
}

/* `word` shifted right by a bit, with the lowest bit of `above` on top. */
JM_INLINE uint32_t byte_shift_in(uint32_t above, uint32_t word) {
    const jm_byte_word from = {above};
    jm_byte_word to = {word >> 1};
    /* The mask clears a bit that is 0 already: with it GCC takes the AVR instruction to move a
     * bit. */
    JM_BYTE(to, 3) = (uint8_t)((JM_BYTE(to, 3) & 0x7f) | JM_BYTE(from, 0) << 7);
    return to.word;
}

/* `word` shifted left by a bit, with the highest bit of `below` at its end. */
JM_INLINE uint32_t byte_shift_in_below(uint32_t word, uint32_t below) {
    const jm_byte_word from = {below};
    jm_byte_word to = {word + word};
    JM_BYTE(to, 0) |= JM_BYTE(from, 3) >> 7;
    return to.word;
}

JM_INLINE uint32_t bit_rotl1(uint32_t word) {
    return byte_shift_in_below(word, word);
}
JM_INLINE uint32_t bit_rotr1(uint32_t word) {
    return byte_shift_in(word, word);
}

JM_INLINE uint32_t bit_rotl2(uint32_t word) {
    return bit_rotl1(bit_rotl1(word));
}
JM_INLINE uint32_t bit_rotr2(uint32_t word) {
    return bit_rotr1(bit_rotr1(word));
}

/* Rotates left by `bits`, a constant from 3 to 5. */
JM_INLINE uint32_t product_rotl(uint32_t word, unsigned bits) {
    const jm_byte_word from = {word};
    const uint8_t power = (uint8_t)(1u << bits);
    uint16_t p0 = (uint16_t)(JM_BYTE(from, 0) * power);
    uint16_t p1 = (uint16_t)(JM_BYTE(from, 1) * power);
    uint16_t p2 = (uint16_t)(JM_BYTE(from, 2) * power);
    uint16_t p3 = (uint16_t)(JM_BYTE(from, 3) * power);
#if !defined(JM_FREESTANDING)
    /* GCC 12.2 for armhf (-O3) makes the products in a vector of 16-bit lanes and shifts them
     * wrongly; a product that is pinned is none of a vector. */
    JM_PIN("r", p0);
    JM_PIN("r", p1);
    JM_PIN("r", p2);
    JM_PIN("r", p3);
#endif
    jm_byte_word to;
    JM_BYTE(to, 0) = (uint8_t)((uint8_t)p0 | p3 >> 8);
    JM_BYTE(to, 1) = (uint8_t)((uint8_t)p1 | p0 >> 8);
    JM_BYTE(to, 2) = (uint8_t)((uint8_t)p2 | p1 >> 8);
    JM_BYTE(to, 3) = (uint8_t)((uint8_t)p3 | p2 >> 8);
    return to.word;
}

/* Rotates left by `bits`, a constant from 1 to 31, by the fewest steps: single bits to the right,
 * which cost less, or to the left, and whole bytes. */
JM_INLINE uint32_t byte_rotl(uint32_t word, unsigned bits) {
    const unsigned left = bits % 8, bytes = (bits + 4) / 8;
    if (left == 5 || left == 6) word = bit_rotr2(word);
    if (left == 5 || left == 7) word = bit_rotr1(word);
    if (left == 1 || left == 3) word = bit_rotl1(word);
    if (left == 2 || left == 3) word = bit_rotl2(word);
    if (left == 4) word = bit_rotr2(bit_rotr2(word));
    return bytes % 4 ? byte_rotr(word, 4 - bytes % 4) : word;
}

/* load_be32 and store_be32 without the compiler's call that exchanges bytes. */
JM_INLINE uint32_t byte_load_be32(const uint8_t *from) {
    jm_byte_word to;
    JM_BYTE(to, 3) = from[0];
    JM_BYTE(to, 2) = from[1];
    JM_BYTE(to, 1) = from[2];
    JM_BYTE(to, 0) = from[3];
    return to.word;
}
JM_INLINE void byte_store_be32(uint8_t *to, uint32_t word) {
    const jm_byte_word from = {word};
    to[0] = JM_BYTE(from, 3);
    to[1] = JM_BYTE(from, 2);
    to[2] = JM_BYTE(from, 1);
    to[3] = JM_BYTE(from, 0);
}

#endif
