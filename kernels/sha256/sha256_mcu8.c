/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 and SHA-224 (FIPS 180-4, section 6.2.2) in C for CPUs whose registers hold 8 bits.
 *
 * Technique: of the eight working variables, which would fill all registers of an AVR, a and e are
 * in registers, and the others in an array through which a window slides: a round writes the new a
 *   before the window and the new e over d, and moves no other variable. The rotations of a sigma
 *   are nested, so that a step by one bit serves all rotations inside it, and steps by bytes cost
 *   nothing (common/byte_words.h). The message schedule is replaced in place, sixteen words at a
 *   time. One message.
 * State: words a to h in the order of sha256.h.
 * CPU: any; for AVR and the like, with an instruction that multiplies bytes.
 * Constant time: additions, products, rotations and logic only; checked by
 *   tests/native/constant_time.c.
 * Best for: ATmega; README.md has its core cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "common/byte_words.h"
#include "sha256/sha256.h"

/* Rotations right by 2, 13 = 2 + 3 + 8 and 22 = 2 + 3 + 1 + 16 bits. */
JM_INLINE uint32_t big_sigma0(uint32_t x) {
    const uint32_t inner = byte_rotr(x, 1) ^ bit_rotr1(byte_rotr(x, 2));
    return bit_rotr2(x ^ bit_rotr1(bit_rotr2(inner)));
}

/* Rotations right by 25 = 1 + 24, 11 = 1 + 2 + 8 and 6 = 1 + 2 + 3 bits. */
JM_INLINE uint32_t big_sigma1(uint32_t x) {
    const uint32_t inner = byte_rotr(x, 1) ^ bit_rotr1(bit_rotr2(x));
    return bit_rotr1(byte_rotr(x, 3) ^ bit_rotr2(inner));
}

/* Rotations right by 7 = 8 - 1 and 18 = 2 + 16 bits, and a shift by 3: a rotation with its upper
 * bits cleared. */
JM_INLINE uint32_t sigma0(uint32_t x) {
    const uint32_t by_2 = bit_rotr2(x);
    jm_byte_word shifted = {bit_rotr1(by_2)};
    JM_BYTE(shifted, 3) &= 0x1f;
    return shifted.word ^ byte_rotr(by_2, 2) ^ byte_rotr(bit_rotl1(x), 1);
}

/* Rotations right by 17 = 1 + 16 and 19 = 1 + 2 + 16 bits, and a shift by 10 = 1 + 1 + 8. */
JM_INLINE uint32_t sigma1(uint32_t x) {
    const uint32_t by_1 = bit_rotr1(x), by_2 = bit_rotr1(by_1);
    jm_byte_word shifted = {byte_rotr(by_2, 1)};
    JM_BYTE(shifted, 3) = 0;
    JM_BYTE(shifted, 2) &= 0x3f;
    return shifted.word ^ byte_rotr(by_1 ^ bit_rotr1(by_2), 2);
}

/* Replaces W[t] by W[t + 16] for sixteen t; indices are modulo 16. */
JM_ONCE void next_words(uint32_t w[16]) {
    for (uint8_t t = 0; t < 16; t++)
        w[t] += sigma0(w[(t + 1) & 15]) + w[(t + 9) & 15] + sigma1(w[(t + 14) & 15]);
}

/* Sixteen rounds. The last 8 words of `v` are a to h before the rounds, and v[0 to 7] are a to h
 * after them. */
enum { ROUNDS_AT_ONCE = 16, WINDOW_WORDS = 8 };
JM_ONCE void sixteen_rounds(uint32_t v[ROUNDS_AT_ONCE + WINDOW_WORDS], const uint32_t *w,
                            const JM_FLASH uint32_t *k) {
    v += ROUNDS_AT_ONCE;
    uint32_t a = v[0], e = v[4];
    uint8_t count = ROUNDS_AT_ONCE;
    do {
        uint32_t sum = v[7];
        sum += *w++;
        sum += *k++;
        sum += ((v[5] ^ v[6]) & e) ^ v[6];
        sum += big_sigma1(e);
        e = v[3] + sum;
        v[3] = e;
        sum += big_sigma0(a);
        sum += ((a | v[1]) & v[2]) | (a & v[1]);
        a = sum;
        *--v = a;
    } while (--count);
}

static const uint8_t order[8] = {SHA256_A, SHA256_B, SHA256_C, SHA256_D,
                                 SHA256_E, SHA256_F, SHA256_G, SHA256_H};

static void init(void *chain) {
    memcpy(chain, sha256_initial, sizeof sha256_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *state = chain;
    uint32_t w[16], v[ROUNDS_AT_ONCE + WINDOW_WORDS];
    for (; count; count--) {
        for (uint8_t t = 0; t < 16; t++, blocks += 4) w[t] = byte_load_be32(blocks);
        for (uint8_t i = 0; i < 8; i++) v[i] = state[order[i]];
        for (uint8_t t = 0;; t += 16) {
            memcpy(v + ROUNDS_AT_ONCE, v, WINDOW_WORDS * sizeof *v);
            sixteen_rounds(v, w, sha256_k + t);
            if (t == 48) break;
            next_words(w);
        }
        for (uint8_t i = 0; i < 8; i++) state[order[i]] += v[i];
    }
    jm_wipe(w, sizeof w);
    jm_wipe(v, sizeof v);
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *state = chain;
    for (uint8_t i = 0; i < 8; i++) byte_store_be32(digest + 4 * i, state[order[i]]);
}

JM_SHA256_VARIANT(mcu8, 0, JM_TARGET_ANY, sizeof sha256_initial,
                  "C for CPUs whose registers hold 8 bits")
