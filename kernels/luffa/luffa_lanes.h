/* SPDX-License-Identifier: Apache-2.0
 *
 * Luffa with a lane of a vector for each of its WIDTH sub-permutations; lanes beyond are computed
 * and not used.
 *
 * The includer defines, above:
 *     NAME, ID, VARIANT, FEATURES, CONSTANT_TIME, NOTE, DIGEST_BYTES
 *     WIDTH, LANES                lanes in use, and lanes of a vector
 *     VEC, LOAD, STORE            a vector of LANES words of 32 bits, aligned
 *     XOR(a, b), XOR3(a, b, c), ROTL(x, count)
 *     SUB_CRUMB(r0, r1, r2, r3)   the S-boxes of section 4.2 on four vectors
 *     TWEAK(x)                    lane j rotated left by j bits
 *     AROUND(x, n)                lane j is lane j + n modulo WIDTH of x
 *     SPREAD(m, block)            m[k], lane j: word k of the message times 2^j, section 3.2 */
#include "luffa/luffa.h"
#include "luffa/luffa_constants.h"

_Static_assert(WIDTH <= LANES && LANES <= 8, "a row of the constants has eight");

/* Polynomials of words, as in section 3.2, in all lanes. */
typedef struct {
    VEC word[LUFFA_WORDS];
} vectors;

JM_INLINE vectors twice(vectors a) {
    const VEC t = a.word[7];
    return (vectors){{t, XOR(a.word[0], t), a.word[1], XOR(a.word[2], t), XOR(a.word[3], t),
                      a.word[4], a.word[5], a.word[6]}};
}

/* The message injection. For width 5 the two steps of section 3.2.3 that add neighbours are done as
 * one: from x, the sum s of all lanes, and the sum f of the two lanes that are not neighbours, it
 * makes x + 2 (x + f + 2 (x + 2 s)). */
JM_INLINE vectors inject(vectors x, const vectors *message) {
    vectors sum, far;
    for (unsigned k = 0; k < LUFFA_WORDS; k++) {
        const VEC a = x.word[k];
        if (WIDTH == 3) {
            sum.word[k] = XOR3(a, AROUND(a, 1), AROUND(a, 2));
        } else {
            const VEC two = XOR(a, AROUND(a, 1));
            far.word[k] = AROUND(two, 2);
            sum.word[k] = XOR3(two, far.word[k], AROUND(a, 4));
        }
    }
    sum = twice(sum);
    if (WIDTH == 5) {
        for (unsigned k = 0; k < LUFFA_WORDS; k++) sum.word[k] = XOR(x.word[k], sum.word[k]);
        sum = twice(sum);
        for (unsigned k = 0; k < LUFFA_WORDS; k++)
            sum.word[k] = XOR3(x.word[k], far.word[k], sum.word[k]);
        sum = twice(sum);
    }
    for (unsigned k = 0; k < LUFFA_WORDS; k++)
        x.word[k] = XOR3(x.word[k], sum.word[k], message->word[k]);
    return x;
}

#define MIX_WORD(x, y)                                                                             \
    do {                                                                                           \
        y = XOR(y, x);                                                                             \
        x = XOR(ROTL(x, 2), y);                                                                    \
        y = XOR(ROTL(y, 14), x);                                                                   \
        x = XOR(ROTL(x, 10), y);                                                                   \
        y = ROTL(y, 1);                                                                            \
    } while (0)

JM_INLINE vectors permute(vectors a) {
    VEC x0 = a.word[0], x1 = a.word[1], x2 = a.word[2], x3 = a.word[3];
    VEC x4 = TWEAK(a.word[4]), x5 = TWEAK(a.word[5]), x6 = TWEAK(a.word[6]), x7 = TWEAK(a.word[7]);
    for (unsigned step = 0; step < LUFFA_STEPS; step++) {
        SUB_CRUMB(x0, x1, x2, x3);
        SUB_CRUMB(x5, x6, x7, x4);
        MIX_WORD(x0, x4);
        MIX_WORD(x1, x5);
        MIX_WORD(x2, x6);
        MIX_WORD(x3, x7);
        x0 = XOR(x0, LOAD(luffa_step_constants[step][0]));
        x4 = XOR(x4, LOAD(luffa_step_constants[step][1]));
    }
    return (vectors){{x0, x1, x2, x3, x4, x5, x6, x7}};
}

typedef uint32_t lanes[LUFFA_WORDS][LANES];

#define FUNCTION_(name_, what_) name_##_##what_
#define FUNCTION(name_, what_) FUNCTION_(name_, what_)

static void FUNCTION(NAME, init)(void *chain) {
    for (unsigned k = 0; k < LUFFA_WORDS; k++)
        memcpy(((uint32_t (*)[LANES])chain)[k], luffa_start[k], sizeof(VEC));
}

static void FUNCTION(NAME, absorb)(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t (*const at)[LANES] = chain;
    vectors a, message;
    for (unsigned k = 0; k < LUFFA_WORDS; k++) a.word[k] = LOAD(at[k]);
    for (; count; count--, blocks += LUFFA_BLOCK_BYTES) {
        SPREAD(message.word, blocks);
        a = permute(inject(a, &message));
    }
    for (unsigned k = 0; k < LUFFA_WORDS; k++) STORE(at[k], a.word[k]);
}

static void FUNCTION(NAME, sum)(const void *chain, uint32_t words[LUFFA_WORDS]) {
    for (unsigned k = 0; k < LUFFA_WORDS; k++) {
        const uint32_t *const lane = ((const uint32_t (*)[LANES])chain)[k];
        words[k] = 0;
        for (unsigned j = 0; j < WIDTH; j++) words[k] ^= lane[j];
    }
}

#define HASH_(name_, variant_)                                                                     \
    LUFFA_HASH(name_, ID, variant_, FEATURES, CONSTANT_TIME, NOTE, sizeof(lanes), DIGEST_BYTES)
#define HASH(name_, variant_) HASH_(name_, variant_)
HASH(NAME, VARIANT)
