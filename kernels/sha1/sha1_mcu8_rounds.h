/* SPDX-License-Identifier: Apache-2.0
 *
 * The eighty rounds of SHA-1 (FIPS 180-4, section 6.1.2) for CPUs whose registers hold 8 bits. The
 * working variables fill 20 of an AVR's 32 registers; so a loop contains one round, which moves the
 * variables (ten core cycles), and each of the four functions has its loop. The message schedule is
 * replaced in place, sixteen words at a time, at addresses that the compiler knows: indexing a ring
 * would cost more than the rounds. */
#ifndef JM_SHA1_MCU8_ROUNDS_H
#define JM_SHA1_MCU8_ROUNDS_H

#include "common/byte_words.h"

/* Replaces W[t] by W[t + 16] for sixteen t; indices are modulo 16. */
#define SHA1_NEXT_WORD(t)                                                                          \
    w[t] = bit_rotl1(w[t] ^ w[((t) + 2) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 13) & 15])
#define SHA1_NEXT_WORDS(t)                                                                         \
    do {                                                                                           \
        SHA1_NEXT_WORD(t);                                                                         \
        SHA1_NEXT_WORD((t) + 1);                                                                   \
        SHA1_NEXT_WORD((t) + 2);                                                                   \
        SHA1_NEXT_WORD((t) + 3);                                                                   \
    } while (0)
JM_ONCE void sha1_next_words(uint32_t w[16]) {
    SHA1_NEXT_WORDS(0);
    SHA1_NEXT_WORDS(4);
    SHA1_NEXT_WORDS(8);
    SHA1_NEXT_WORDS(12);
}

/* sha1_<name>: `count` rounds, at least 1, with the words from `w` on; `x` is a to e. */
#define SHA1_ROUNDS(name, function, k)                                                             \
    JM_ONCE void sha1_##name(uint32_t x[5], const uint32_t *w, uint8_t count) {                    \
        uint32_t a = x[0], b = x[1], c = x[2], d = x[3], e = x[4];                                 \
        do {                                                                                       \
            const uint32_t sum = (function) + e + *w++ + (k) + product_rotl(a, 5);                 \
            e = d, d = c, c = bit_rotr2(b), b = a, a = sum;                                        \
        } while (--count);                                                                         \
        x[0] = a, x[1] = b, x[2] = c, x[3] = d, x[4] = e;                                          \
    }
SHA1_ROUNDS(choose, ((c ^ d) & b) ^ d, UINT32_C(0x5a827999))
SHA1_ROUNDS(parity, b ^ c ^ d, UINT32_C(0x6ed9eba1))
SHA1_ROUNDS(majority, ((b | c) & d) | (b & c), UINT32_C(0x8f1bbcdc))
SHA1_ROUNDS(last_parity, b ^ c ^ d, UINT32_C(0xca62c1d6))

/* All rounds. `w` is the message block before, and the last sixteen words of its schedule
 * afterwards. */
JM_ONCE void sha1_eighty_rounds(uint32_t x[5], uint32_t w[16]) {
    sha1_choose(x, w, 16);
    sha1_next_words(w);
    sha1_choose(x, w, 4);
    sha1_parity(x, w + 4, 12);
    sha1_next_words(w);
    sha1_parity(x, w, 8);
    sha1_majority(x, w + 8, 8);
    sha1_next_words(w);
    sha1_majority(x, w, 12);
    sha1_last_parity(x, w + 12, 4);
    sha1_next_words(w);
    sha1_last_parity(x, w, 16);
}

#endif
