/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1) on LANES messages at once, and HMAC-SHA-1 over it: the source
 * shared by the variants whose files include a vector header (common/v32_*.h), define LANES as one
 * or two times its V32_LANES, and then include this file.
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is FIPS 180-4's own. With two groups of vectors their rounds alternate, and the dependent
 * operations of one fill the gaps of the other. The 80 rounds are written out: their four functions
 * last twenty rounds each and the message schedule, a ring of words in memory, goes round in
 * sixteen, so that a shorter loop would have neither in step. The schedule is SCHEDULED_AHEAD
 * rounds ahead of them, and its last three words are in registers: a word does not wait for the
 * store of the one three before it.
 * Constant time: straight-line code, no table is indexed by data.
 */
#ifndef JM_SHA1_LANES_H
#define JM_SHA1_LANES_H

#include "sha1/sha1.h"

typedef uint32_t lane_word;
#define GROUP_LANES V32_LANES
enum {
    CHAIN_WORDS = SHA1_CHAIN_WORDS,
    BLOCK_WORDS = 16,
    DIGEST_WORDS = 5,
    LENGTH_BYTES = 8,
    LENGTH_BIG_ENDIAN = 1,
    SCHEDULED_AHEAD = 2, /* rounds, 1 or 2 */
    CODE_BYTES = 17408,
};

/* Which word of the chaining value is word i of the digest. */
static const uint8_t digest_order[DIGEST_WORDS] = {SHA1_A, SHA1_B, SHA1_C, SHA1_D, SHA1_E};

#include "hmac/lanes_v32.h"

typedef struct {
    v32 a, b, c, d, e;
    v32 recent[3]; /* the schedule's newest words, W(t) at [t % 3] */
} working;

V32_INLINE working load_working(const lane_word *state, const lane_word *words) {
    return (working){
        v32_load(state + SHA1_A * LANES),
        v32_load(state + SHA1_B * LANES),
        v32_load(state + SHA1_C * LANES),
        v32_load(state + SHA1_D * LANES),
        v32_load(state + SHA1_E * LANES),
        {v32_load(words + 15 * LANES), v32_load(words + 13 * LANES), v32_load(words + 14 * LANES)},
    };
}

V32_INLINE void add_to(lane_word *state, v32 x) {
    v32_store(state, v32_add(v32_load(state), x));
}

V32_INLINE void add_working(lane_word *state, const working *x) {
    add_to(state + SHA1_A * LANES, x->a);
    add_to(state + SHA1_B * LANES, x->b);
    add_to(state + SHA1_C * LANES, x->c);
    add_to(state + SHA1_D * LANES, x->d);
    add_to(state + SHA1_E * LANES, x->e);
}

/* Makes W(t) of section 6.1.2, step 1, for t >= 16; in the ring it replaces W(t - 16). The last
 * eight are not looked up again. */
V32_INLINE void extend_to(unsigned t, v32 recent[3], lane_word *words) {
    lane_word *const at = words + t % 16 * LANES;
    const v32 w8 = v32_load(words + (t + 8) % 16 * LANES);
    const v32 w14 = v32_load(words + (t + 2) % 16 * LANES);
    const v32 w = v32_rotl(v32_xor(v32_xor3(v32_load(at), w14, w8), recent[t % 3]), 1);
    recent[t % 3] = w;
    if (t < 72) v32_store(at, w);
}

/* The functions of section 4.1.1. */
V32_INLINE v32 function_at(unsigned t, v32 b, v32 c, v32 d) {
    if (t < 20) return v32_choose(b, c, d);
    if (t >= 40 && t < 60) return v32_majority(b, c, d);
    return v32_xor3(b, c, d);
}

/* Round t (section 6.1.2, step 3), after which e is the next a and b the next c; then a word of the
 * schedule. The words of the state rename themselves from round to round: a to e are x's, in some
 * order. What depends on a, the latest, is added last. */
V32_INLINE void one_round(unsigned t, working *x, v32 a, v32 *b, v32 c, v32 d, v32 *e, v32 k,
                          lane_word *words) {
    const v32 w = t < 16 ? v32_load(words + t * LANES) : x->recent[t % 3];
    const v32 early = v32_add(v32_add(*e, v32_add(k, w)), function_at(t, *b, c, d));
    *e = v32_add(early, v32_rotl(a, 5));
    *b = v32_rotl(*b, 30);
    const unsigned next = t + SCHEDULED_AHEAD;
    if (next >= 16 && next < 80) extend_to(next, x->recent, words);
}

/* The constants of section 4.2.1. */
static const uint32_t sha1_k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

/* Round t in both groups; x, y, k, words, groups and next are those of `absorb_groups`. */
#define ROUND(t, A, B, C, D, E)                                                                    \
    do {                                                                                           \
        one_round(t, &x, x.A, &x.B, x.C, x.D, &x.E, k, words);                                     \
        if (groups == 2) one_round(t, &y, y.A, &y.B, y.C, y.D, &y.E, k, words + V32_LANES);        \
    } while (0)
#define ROUNDS5(t)                                                                                 \
    do {                                                                                           \
        ROUND(t, a, b, c, d, e);                                                                   \
        ROUND((t) + 1, e, a, b, c, d);                                                             \
        ROUND((t) + 2, d, e, a, b, c);                                                             \
        ROUND((t) + 3, c, d, e, a, b);                                                             \
        ROUND((t) + 4, b, c, d, e, a);                                                             \
        keep_in_memory(words);                                                                     \
        load_ahead(next, (t) / 5, 16, groups);                                                     \
    } while (0)
#define ROUNDS20(t)                                                                                \
    do {                                                                                           \
        const v32 k = v32_set1(sha1_k[(t) / 20]);                                                  \
        ROUNDS5(t);                                                                                \
        ROUNDS5((t) + 5);                                                                          \
        ROUNDS5((t) + 10);                                                                         \
        ROUNDS5((t) + 15);                                                                         \
    } while (0)

/* Makes the compiler leave the ring in memory; promoted to registers, it would be spilled. */
V32_INLINE void keep_in_memory(lane_word *words) {
    __asm__ volatile("" : "+m"(*(lane_word(*)[BLOCK_WORDS * LANES]) words));
}

V32_INLINE void absorb_groups(lane_word *state, lane_word *words, unsigned groups,
                              const next_block *next) {
    working x = load_working(state, words), y = x;
    if (groups == 2) y = load_working(state + V32_LANES, words + V32_LANES);
    ROUNDS20(0);
    ROUNDS20(20);
    ROUNDS20(40);
    ROUNDS20(60);
    add_working(state, &x);
    if (groups == 2) add_working(state + V32_LANES, &y);
}

#include "hmac/lanes_groups.h"

#include "hmac/hmac_lanes.h"

#define JM_SHA1_LANES(variant_, features_, note_)                                                  \
    JM_HMAC_LANES(sha1, variant_, features_, note_, 20, jm_hmac_sha1_portable)

#endif
