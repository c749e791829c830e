/* SPDX-License-Identifier: Apache-2.0
 * The SHA extensions of x86 in C, for tools that cannot run the instructions: same operands, same
 * result. Each function follows the "Operation" section of its instruction in the Intel SDM,
 * vol. 2B (pages as in 325383-060US, September 2016). No branch and no address depends on an
 * operand; SHA1RNDS4's immediate is no operand.
 *
 * Lane 0 of a register is its bits 31:0. The manual numbers words by their place in the message:
 * SHA-1's instructions hold the oldest word in lane 3, SHA-256's in lane 0. */
#ifndef JM_SHA_EXTENSIONS_H
#define JM_SHA_EXTENSIONS_H

#include "common/words.h"

typedef uint32_t sha_words __attribute__((vector_size(16)));

/* A function that is not inlined: dozens of copies in each kernel take a second to compile. */
#define EMULATED static __attribute__((noinline, unused))

/* FIPS 180-4, sections 4.1.1 and 4.1.2. */
static inline uint32_t sha_ch(uint32_t x, uint32_t y, uint32_t z) {
    return (x & y) ^ (~x & z);
}
static inline uint32_t sha_parity(uint32_t x, uint32_t y, uint32_t z) {
    return x ^ y ^ z;
}
static inline uint32_t sha_maj(uint32_t x, uint32_t y, uint32_t z) {
    return (x & y) ^ (x & z) ^ (y & z);
}
static inline uint32_t sha_big_sigma0(uint32_t x) {
    return rotr32(x, 2) ^ rotr32(x, 13) ^ rotr32(x, 22);
}
static inline uint32_t sha_big_sigma1(uint32_t x) {
    return rotr32(x, 6) ^ rotr32(x, 11) ^ rotr32(x, 25);
}
static inline uint32_t sha_sigma0(uint32_t x) {
    return rotr32(x, 7) ^ rotr32(x, 18) ^ (x >> 3);
}
static inline uint32_t sha_sigma1(uint32_t x) {
    return rotr32(x, 17) ^ rotr32(x, 19) ^ (x >> 10);
}

/* SHA1RNDS4, page 4-602. Four rounds on A B C D (A in lane 3); e_w holds the words of the rounds,
 * the first with E added. */
EMULATED sha_words emulated_sha1rnds4(sha_words abcd, sha_words e_w, int immediate) {
    static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    const int select = immediate & 3;
    uint32_t a = abcd[3], b = abcd[2], c = abcd[1], d = abcd[0], e = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t f = select == 0   ? sha_ch(b, c, d)
                           : select == 2 ? sha_maj(b, c, d)
                                         : sha_parity(b, c, d);
        const uint32_t next = f + rotl32(a, 5) + e_w[3 - i] + e + k[select];
        e = d;
        d = c;
        c = rotl32(b, 30);
        b = a;
        a = next;
    }
    return (sha_words){d, c, b, a};
}

/* SHA1NEXTE, page 4-604. The E that the A of four rounds ago becomes, added to the first word. */
EMULATED sha_words emulated_sha1nexte(sha_words abcd_before, sha_words w) {
    w[3] += rotl32(abcd_before[3], 30);
    return w;
}

/* SHA1MSG1, page 4-605. */
EMULATED sha_words emulated_sha1msg1(sha_words older, sha_words newer) {
    const uint32_t w0 = older[3], w1 = older[2], w2 = older[1], w3 = older[0];
    const uint32_t w4 = newer[3], w5 = newer[2];
    return (sha_words){w5 ^ w3, w4 ^ w2, w3 ^ w1, w2 ^ w0};
}

/* SHA1MSG2, page 4-606. The last of the four words needs the first. */
EMULATED sha_words emulated_sha1msg2(sha_words partial, sha_words newest) {
    const uint32_t w13 = newest[2], w14 = newest[1], w15 = newest[0];
    const uint32_t w16 = rotl32(partial[3] ^ w13, 1);
    const uint32_t w17 = rotl32(partial[2] ^ w14, 1);
    const uint32_t w18 = rotl32(partial[1] ^ w15, 1);
    const uint32_t w19 = rotl32(partial[0] ^ w16, 1);
    return (sha_words){w19, w18, w17, w16};
}

/* SHA256RNDS2, page 4-607. Two rounds; the result is the new A B E F, and the old one is then
 * C D G H. Lanes 2 and 3 of wk are not used. */
EMULATED sha_words emulated_sha256rnds2(sha_words cdgh, sha_words abef, sha_words wk) {
    uint32_t a = abef[3], b = abef[2], c = cdgh[3], d = cdgh[2];
    uint32_t e = abef[1], f = abef[0], g = cdgh[1], h = cdgh[0];
    for (int i = 0; i < 2; i++) {
        const uint32_t t1 = sha_ch(e, f, g) + sha_big_sigma1(e) + wk[i] + h;
        const uint32_t t2 = sha_maj(a, b, c) + sha_big_sigma0(a);
        h = g;
        g = f;
        f = e;
        e = t1 + d;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    return (sha_words){f, e, b, a};
}

/* SHA256MSG1, page 4-609. */
EMULATED sha_words emulated_sha256msg1(sha_words older, sha_words newer) {
    const uint32_t w4 = newer[0];
    return (sha_words){
        older[0] + sha_sigma0(older[1]),
        older[1] + sha_sigma0(older[2]),
        older[2] + sha_sigma0(older[3]),
        older[3] + sha_sigma0(w4),
    };
}

/* SHA256MSG2, page 4-610. The last two of the four words need the first two. */
EMULATED sha_words emulated_sha256msg2(sha_words partial, sha_words newest) {
    const uint32_t w16 = partial[0] + sha_sigma1(newest[2]);
    const uint32_t w17 = partial[1] + sha_sigma1(newest[3]);
    const uint32_t w18 = partial[2] + sha_sigma1(w16);
    const uint32_t w19 = partial[3] + sha_sigma1(w17);
    return (sha_words){w16, w17, w18, w19};
}

#endif
