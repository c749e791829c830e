/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2) on LANES messages at once, and HMAC-SHA-256 over it: the source
 * shared by the variants whose files include a vector header (common/v32_*.h), define LANES as one
 * or two times its V32_LANES, and then include this file.
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is FIPS 180-4's own. With two groups of vectors their rounds alternate, and the dependent
 * operations of one fill the gaps of the other. The rounds are a loop over sixteen: the message
 * schedule is a ring of sixteen words in memory, each replaced by the one sixteen later when that
 * is needed, and the code fits the CPU's caches of decoded instructions.
 * Constant time: straight-line code, no table is indexed by data.
 */
#ifndef JM_SHA256_LANES_H
#define JM_SHA256_LANES_H

#include "sha256/sha256.h"

typedef uint32_t lane_word;
#define GROUP_LANES V32_LANES
enum {
    CHAIN_WORDS = 8,
    BLOCK_WORDS = 16,
    DIGEST_WORDS = 8,
    LENGTH_BYTES = 8,
    LENGTH_BIG_ENDIAN = 1,
    CODE_BYTES = 16384,
};

/* Which word of the chaining value is word i of the digest. */
static const uint8_t digest_order[DIGEST_WORDS] = {SHA256_A, SHA256_B, SHA256_C, SHA256_D,
                                                   SHA256_E, SHA256_F, SHA256_G, SHA256_H};

#include "hmac/lanes_v32.h"

typedef struct {
    v32 a, b, c, d, e, f, g, h;
} working;

V32_INLINE working load_working(const lane_word *state) {
    return (working){
        v32_load(state + SHA256_A * LANES), v32_load(state + SHA256_B * LANES),
        v32_load(state + SHA256_C * LANES), v32_load(state + SHA256_D * LANES),
        v32_load(state + SHA256_E * LANES), v32_load(state + SHA256_F * LANES),
        v32_load(state + SHA256_G * LANES), v32_load(state + SHA256_H * LANES),
    };
}

V32_INLINE void add_to(lane_word *state, v32 x) {
    v32_store(state, v32_add(v32_load(state), x));
}

V32_INLINE void add_working(lane_word *state, const working *x) {
    add_to(state + SHA256_A * LANES, x->a);
    add_to(state + SHA256_B * LANES, x->b);
    add_to(state + SHA256_C * LANES, x->c);
    add_to(state + SHA256_D * LANES, x->d);
    add_to(state + SHA256_E * LANES, x->e);
    add_to(state + SHA256_F * LANES, x->f);
    add_to(state + SHA256_G * LANES, x->g);
    add_to(state + SHA256_H * LANES, x->h);
}

/* One round (section 6.2.2, step 3), after which d is the next e and h the next a. The words of the
 * state rename themselves from round to round. What depends on a and e, the latest, is added last.
 * `alone`: no other group fills the time in which these are waited for; two additions more then
 * make the way to the next e and a shorter by one each. */
V32_INLINE void one_round(v32 a, v32 b, v32 c, v32 *d, v32 e, v32 f, v32 g, v32 *h, v32 k_plus_w,
                          bool alone) {
    const v32 sum1 = v32_xor3(v32_rotr(e, 6), v32_rotr(e, 11), v32_rotr(e, 25));
    const v32 sum0 = v32_xor3(v32_rotr(a, 2), v32_rotr(a, 13), v32_rotr(a, 22));
    const v32 early = v32_add(*h, k_plus_w), choice = v32_choose(e, f, g);
    const v32 t1 = v32_add(v32_add(early, choice), sum1);
    const v32 majority = v32_majority(a, b, c);
    if (alone) {
        *d = v32_add(v32_add(v32_add(*d, early), choice), sum1);
        *h = v32_add(v32_add(t1, majority), sum0);
    } else {
        *d = v32_add(*d, t1);
        *h = v32_add(t1, v32_add(sum0, majority));
    }
}

/* W(t) of section 6.2.2, step 1, from the ring, in which it replaces W(t - 16); i is t % 16. */
V32_INLINE v32 extend(lane_word *words, unsigned i) {
    const v32 w1 = v32_load(words + (i + 1) % 16 * LANES);
    const v32 w14 = v32_load(words + (i + 14) % 16 * LANES);
    const v32 sigma0 = v32_xor3(v32_rotr(w1, 7), v32_rotr(w1, 18), v32_shr(w1, 3));
    const v32 sigma1 = v32_xor3(v32_rotr(w14, 17), v32_rotr(w14, 19), v32_shr(w14, 10));
    const v32 sum = v32_add(v32_load(words + i * LANES), v32_load(words + (i + 9) % 16 * LANES));
    const v32 w = v32_add(v32_add(sum, sigma0), sigma1);
    v32_store(words + i * LANES, w);
    return w;
}

/* Makes the compiler leave the ring in memory; promoted to registers, it would be spilled. */
V32_INLINE void keep_in_memory(lane_word *words) {
    __asm__ volatile("" : "+m"(*(lane_word(*)[BLOCK_WORDS * LANES]) words));
}

V32_INLINE v32 word_at(lane_word *words, unsigned i, bool first) {
    return first ? v32_load(words + i * LANES) : extend(words, i);
}

/* Round t + i in both groups; x, y, words, groups, t and first are those of `rounds16`. */
#define ROUND(i, A, B, C, D, E, F, G, H)                                                           \
    do {                                                                                           \
        const v32 k = v32_set1(sha256_k[t + (i)]);                                                 \
        one_round(x->A, x->B, x->C, &x->D, x->E, x->F, x->G, &x->H,                                \
                  v32_add(k, word_at(words, i, first)), groups == 1);                              \
        if (groups == 2)                                                                           \
            one_round(y->A, y->B, y->C, &y->D, y->E, y->F, y->G, &y->H,                            \
                      v32_add(k, word_at(words + V32_LANES, i, first)), false);                    \
    } while (0)
#define ROUNDS8(i)                                                                                 \
    do {                                                                                           \
        ROUND(i, a, b, c, d, e, f, g, h);                                                          \
        ROUND(i + 1, h, a, b, c, d, e, f, g);                                                      \
        ROUND(i + 2, g, h, a, b, c, d, e, f);                                                      \
        ROUND(i + 3, f, g, h, a, b, c, d, e);                                                      \
        ROUND(i + 4, e, f, g, h, a, b, c, d);                                                      \
        ROUND(i + 5, d, e, f, g, h, a, b, c);                                                      \
        ROUND(i + 6, c, d, e, f, g, h, a, b);                                                      \
        ROUND(i + 7, b, c, d, e, f, g, h, a);                                                      \
    } while (0)

/* Rounds t to t + 15; `first`: t is 0. */
V32_INLINE void rounds16(working *x, working *y, lane_word *words, size_t t, unsigned groups,
                         const next_block *next, bool first) {
    ROUNDS8(0);
    load_ahead(next, t / 8, 8, groups);
    ROUNDS8(8);
    load_ahead(next, t / 8 + 1, 8, groups);
    keep_in_memory(words);
}

V32_INLINE void absorb_groups(lane_word *state, lane_word *words, unsigned groups,
                              const next_block *next) {
    working x = load_working(state), y = x;
    if (groups == 2) y = load_working(state + V32_LANES);
    rounds16(&x, &y, words, 0, groups, next, true);
    for (size_t t = 16; t < 64; t += 16) rounds16(&x, &y, words, t, groups, next, false);
    add_working(state, &x);
    if (groups == 2) add_working(state + V32_LANES, &y);
}

#include "hmac/lanes_groups.h"

#include "hmac/hmac_lanes.h"

#define JM_SHA256_LANES(variant_, features_, note_)                                                \
    JM_HMAC_LANES(sha256, variant_, features_, note_, 32, jm_hmac_sha256_portable)

#endif
