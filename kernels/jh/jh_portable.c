/* SPDX-License-Identifier: Apache-2.0
 *
 * JH (specification of 2011-01-16, sections 4 to 6; second round: of 2009-09-15) in portable C.
 *
 * Technique: bit slices of 128 elements, two words of 64 bits each. One message.
 * State: the slices of jh.h in order, two words each, the first byte the lowest.
 * CPU: any; for 64-bit machines.
 * Constant time: logic and shifts only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "jh/jh.h"
#include "jh/jh_constants.h"

/* Half of each slice: 64 even and 64 odd elements. Only every seventh round moves bits between
 * halves. */
typedef uint64_t half[8];

static void start(void *chain, const uint64_t words[16]) {
    memcpy(chain, words, JH_STATE_BYTES);
}

/* Section 6: the S-box S0 where a bit of `constant` is 0, and S1 where it is 1, with the highest
 * bits in m0 and the lowest in m3. */
JM_INLINE void substitute(uint64_t *m0, uint64_t *m1, uint64_t *m2, uint64_t *m3,
                          uint64_t constant) {
    *m3 = ~*m3;
    *m0 ^= constant & ~*m2;
    const uint64_t t = constant ^ (*m0 & *m1);
    *m0 ^= *m2 & *m3;
    *m3 ^= ~*m1 & *m2;
    *m1 ^= *m0 & *m2;
    *m2 ^= *m0 & ~*m3;
    *m0 ^= *m1 | *m3;
    *m3 ^= *m1 & *m2;
    *m1 ^= t & *m0;
    *m2 ^= t;
}

/* The layer of S-boxes of one round on half `h`: even elements, then odd elements. */
JM_INLINE void substitute_all(half x, unsigned round, unsigned h) {
    substitute(&x[0], &x[2], &x[4], &x[6], jh_round_constants[round][h]);
    substitute(&x[1], &x[3], &x[5], &x[7], jh_round_constants[round][2 + h]);
}

/* Section 4.1: the linear map of pairs of elements over GF(2^4) with x^4 + x + 1, bit by bit: the
 * odd element b becomes b + 2a, then the even element a becomes a + 2b. */
JM_INLINE void mix(half x) {
    x[1] ^= x[2];
    x[3] ^= x[4];
    x[5] ^= x[6] ^ x[0];
    x[7] ^= x[0];
    x[0] ^= x[3];
    x[2] ^= x[5];
    x[4] ^= x[7] ^ x[1];
    x[6] ^= x[1];
}

/* In the odd elements, swaps bits that are `distance` apart; `mask` has the bits that move up. */
JM_INLINE void swap(half x, unsigned distance, uint64_t mask) {
    for (unsigned w = 1; w < 8; w += 2)
        x[w] = (x[w] & mask) << distance | (x[w] >> distance & mask);
}

/* Rounds `round` to `round` + 6 on half `h` without the swap of the last round, which exchanges the
 * halves. The first bit of a byte is the highest, but the first byte of a word the lowest; the
 * masks suit both, because a swap is the same whichever of two neighbours is the first. */
JM_ONCE void seven_rounds(half x, unsigned round, unsigned h) {
    static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    for (unsigned i = 0; i < JH_SWAPS; i++) {
        substitute_all(x, round + i, h);
        mix(x);
        if (i < 6) swap(x, 1u << i, masks[i]);
    }
}

/* Section 5.3: the compression function F8. */
static void absorb(void *chain, const uint8_t *blocks, size_t count, bool second_round) {
    const unsigned rounds = second_round ? JH_ROUNDS_R2 : JH_ROUNDS;
    uint64_t *const words = chain; /* word 2w + h is half h of slice w */
    half halves[2];
    for (; count; count--, blocks += JH_BLOCK_BYTES) {
        for (unsigned i = 0; i < 8; i++) words[i] ^= load_le64(blocks + 8 * i);
        for (unsigned i = 0; i < 16; i++) halves[i % 2][i / 2] = words[i];
        for (unsigned round = 0; round < rounds; round += JH_SWAPS) {
            for (unsigned h = 0; h < 2; h++) seven_rounds(halves[h], round, h);
            for (unsigned w = 1; w < 8; w += 2) {
                const uint64_t first = halves[0][w];
                halves[0][w] = halves[1][w];
                halves[1][w] = first;
            }
        }
        if (second_round)
            for (unsigned h = 0; h < 2; h++) substitute_all(halves[h], JH_ROUNDS_R2, h);
        for (unsigned i = 0; i < 16; i++) words[i] = halves[i % 2][i / 2];
        for (unsigned i = 0; i < 8; i++) words[8 + i] ^= load_le64(blocks + 8 * i);
    }
    jm_wipe(halves, sizeof halves);
}

/* The digest is the end of the state. */
static void output(const void *chain, uint8_t *digest, size_t digest_bytes) {
    const uint64_t *words = (const uint64_t *)chain + 16 - digest_bytes / 8;
    for (size_t i = 0; i < digest_bytes / 8; i++) store_le64(digest + 8 * i, words[i]);
}

#define VARIANT(name_, id_, digest_bytes_, r2_)                                                    \
    JH_HASH(name_, id_, digest_bytes_, r2_)                                                        \
    JM_BLOCK_HASH_DEFINE(name_, id_, portable, 0, JM_TARGET_ANY, true, "portable C",               \
                         JH_BLOCK_BYTES, digest_bytes_, name_##_hash)
JH_HASHES(VARIANT)
