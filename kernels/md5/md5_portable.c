/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) in portable C.
 *
 * Technique: 64 steps unrolled. Each step waits for the step before, so the functions are written
 *   to use `b`, the newest word, as late as possible: F as d ^ (b & (c ^ d)); G as a sum of its two
 *   halves, which share no bit, so that the half without b is added ahead of time. One message.
 * State: words a to d in order.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: comparing with history; MD5 itself is broken as a hash.
 */
#include "md5/md5.h"

/* Keeps a sum apart: Clang would regroup it, so that three additions would wait for `b`. */
static inline uint32_t md5_early(uint32_t sum) {
#if defined(__clang__)
    JM_PIN("r", sum);
#endif
    return sum;
}

#define F(a, b, c, d) (a + (((c ^ d) & b) ^ d))
#define G(a, b, c, d) (md5_early(a + (c & ~d)) + (b & d))
#define H(a, b, c, d) (a + ((c ^ d) ^ b))
#define I(a, b, c, d) (a + ((b | ~d) ^ c))

/* The index of the message word that step i takes. */
#define F_WORD(i) ((i) & 15)
#define G_WORD(i) ((5 * (i) + 1) & 15)
#define H_WORD(i) ((3 * (i) + 5) & 15)
#define I_WORD(i) ((7 * (i)) & 15)

#define STEP(FUNCTION, a, b, c, d, i, shift)                                                       \
    do {                                                                                           \
        a += load_le32(blocks + 4 * FUNCTION##_WORD(i)) + md5_t[i];                                \
        a = md5_early(a);                                                                          \
        a = rotl32(FUNCTION(a, b, c, d), shift) + b;                                               \
    } while (0)
#define FOUR_STEPS(FUNCTION, i, s0, s1, s2, s3)                                                    \
    do {                                                                                           \
        STEP(FUNCTION, a, b, c, d, i, s0);                                                         \
        STEP(FUNCTION, d, a, b, c, (i) + 1, s1);                                                   \
        STEP(FUNCTION, c, d, a, b, (i) + 2, s2);                                                   \
        STEP(FUNCTION, b, c, d, a, (i) + 3, s3);                                                   \
    } while (0)
#define SIXTEEN_STEPS(FUNCTION, i, s0, s1, s2, s3)                                                 \
    do {                                                                                           \
        FOUR_STEPS(FUNCTION, i, s0, s1, s2, s3);                                                   \
        FOUR_STEPS(FUNCTION, (i) + 4, s0, s1, s2, s3);                                             \
        FOUR_STEPS(FUNCTION, (i) + 8, s0, s1, s2, s3);                                             \
        FOUR_STEPS(FUNCTION, (i) + 12, s0, s1, s2, s3);                                            \
    } while (0)

static void init(void *chain) {
    memcpy(chain, md5_initial, sizeof md5_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *state = chain;
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (; count; count--, blocks += 64) {
        const uint32_t a_before = a, b_before = b, c_before = c, d_before = d;
        SIXTEEN_STEPS(F, 0, 7, 12, 17, 22);
        SIXTEEN_STEPS(G, 16, 5, 9, 14, 20);
        SIXTEEN_STEPS(H, 32, 4, 11, 16, 23);
        SIXTEEN_STEPS(I, 48, 6, 10, 15, 21);
        a += a_before, b += b_before, c += c_before, d += d_before;
    }
    state[0] = a, state[1] = b, state[2] = c, state[3] = d;
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *state = chain;
    for (size_t i = 0; i < 4; i++) store_le32(digest + 4 * i, state[i]);
}

JM_MD5_VARIANT(portable, 0, JM_TARGET_ANY, sizeof md5_initial, "portable C")
