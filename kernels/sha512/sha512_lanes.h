/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 (FIPS 180-4, section 6.4) on LANES messages at once, and HMAC-SHA-512 and HMAC-SHA-384
 * over it: the source shared by the variants whose files include a vector header (common/v64_*.h),
 * define LANES as one or two times its V64_LANES, and then include this file.
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is FIPS 180-4's own. With two groups of vectors their rounds alternate, and the dependent
 * operations of one fill the gaps of the other. The rounds are a loop over sixteen: the message
 * schedule is a ring of sixteen words in memory, each replaced by the one sixteen later as soon as
 * it is used. Written out, two groups take 36 KiB, more than the 32 KiB first-level instruction
 * cache of most CPUs.
 * Constant time: straight-line code, no table is indexed by data.
 */
#ifndef JM_SHA512_LANES_H
#define JM_SHA512_LANES_H

#include "sha512/sha512.h"

typedef uint64_t lane_word;
#define GROUP_LANES V64_LANES
enum {
    CHAIN_WORDS = 8,
    BLOCK_WORDS = 16,
    LENGTH_BYTES = 16,
    LENGTH_BIG_ENDIAN = 1,
    CODE_BYTES = 15360,
};

/* Which word of the chaining value is word i of the digest; SHA-384 ends before the last two. */
static const uint8_t digest_order[CHAIN_WORDS] = {SHA512_A, SHA512_B, SHA512_C, SHA512_D,
                                                  SHA512_E, SHA512_F, SHA512_G, SHA512_H};

#ifdef V64_PART_LANES
#define LOADS_AHEAD
enum {
    GROUP_PARTS = 2 * V64_LANES / V64_PART_LANES, /* of half a block */
    PART_VECTORS = V64_PART_LANES * BLOCK_WORDS / 2 / V64_LANES,
};
#endif
#include "hmac/load_ahead.h"

V64_INLINE void load_lane_blocks(lane_word *words, const uint8_t *const *from, size_t offset,
                                 size_t groups) {
    for (size_t lane = 0; lane < groups * V64_LANES; lane += V64_LANES)
        for (size_t half = 0; half < BLOCK_WORDS; half += 8) {
            v64 w[8];
            v64_load_rows(from + lane, offset + 8 * half, w);
            for (size_t i = 0; i < 8; i++)
                v64_store(words + (half + i) * LANES + lane, v64_swap_bytes(w[i]));
        }
}

#ifdef LOADS_AHEAD
/* Two lanes of one half of the block; the parts of the first half come first. */
V64_INLINE void load_part(const next_block *next, size_t part) {
    const size_t half = part % GROUP_PARTS / (GROUP_PARTS / 2);
    const size_t lane = part / GROUP_PARTS * V64_LANES + part % (GROUP_PARTS / 2) * V64_PART_LANES;
    v64 w[PART_VECTORS];
    v64_load_part(next->from + lane, next->offset + 64 * half, w);
    for (size_t i = 0; i < V64_PART_LANES; i++)
        jm_fetch_ahead((uintptr_t)next->from[lane + i] + next->offset + 64 * half);
    for (size_t i = 0; i < PART_VECTORS; i++)
        v64_store(next->parts + (part * PART_VECTORS + i) * V64_LANES, v64_swap_bytes(w[i]));
}

V64_INLINE void join_parts(lane_word *words, const lane_word *parts, size_t groups) {
    for (size_t group = 0; group < groups; group++)
        for (size_t half = 0; half < BLOCK_WORDS; half += 8) {
            v64 t[8], w[8];
            for (size_t i = 0; i < 8; i++)
                t[i] = v64_load(parts + (group * BLOCK_WORDS + half + i) * V64_LANES);
            v64_join_parts(t, w);
            for (size_t i = 0; i < 8; i++)
                v64_store(words + (half + i) * LANES + group * V64_LANES, w[i]);
        }
}
#endif

V64_INLINE void load_lane_chains(lane_word *state, const uint8_t *const *from, size_t groups) {
    for (size_t lane = 0; lane < groups * V64_LANES; lane += V64_LANES) {
        v64 w[CHAIN_WORDS];
        v64_load_rows(from + lane, 0, w);
        for (size_t i = 0; i < CHAIN_WORDS; i++) v64_store(state + i * LANES + lane, w[i]);
    }
}

V64_INLINE void store_lane_digests(const lane_word *state, lane_word *rows, size_t groups) {
    for (size_t lane = 0; lane < groups * V64_LANES; lane += V64_LANES) {
        v64 w[CHAIN_WORDS];
        for (size_t i = 0; i < CHAIN_WORDS; i++)
            w[i] = v64_swap_bytes(v64_load(state + digest_order[i] * LANES + lane));
        v64_store_rows(rows + 8 * lane, w);
    }
}

typedef struct {
    v64 a, b, c, d, e, f, g, h;
} working;

V64_INLINE working load_working(const lane_word *state) {
    return (working){
        v64_load(state + SHA512_A * LANES), v64_load(state + SHA512_B * LANES),
        v64_load(state + SHA512_C * LANES), v64_load(state + SHA512_D * LANES),
        v64_load(state + SHA512_E * LANES), v64_load(state + SHA512_F * LANES),
        v64_load(state + SHA512_G * LANES), v64_load(state + SHA512_H * LANES),
    };
}

V64_INLINE void add_to(lane_word *state, v64 x) {
    v64_store(state, v64_add(v64_load(state), x));
}

V64_INLINE void add_working(lane_word *state, const working *x) {
    add_to(state + SHA512_A * LANES, x->a);
    add_to(state + SHA512_B * LANES, x->b);
    add_to(state + SHA512_C * LANES, x->c);
    add_to(state + SHA512_D * LANES, x->d);
    add_to(state + SHA512_E * LANES, x->e);
    add_to(state + SHA512_F * LANES, x->f);
    add_to(state + SHA512_G * LANES, x->g);
    add_to(state + SHA512_H * LANES, x->h);
}

/* The sums are grouped so that what depends on the newest a and e comes last; v64_pin keeps
 * compilers from regrouping them, which makes the dependent path of a round up to twice as long. A
 * group `alone` waits for that path: there two more additions, which form the new e beside t1 and
 * not after it, cost less than the wait. */
V64_INLINE void one_round(v64 a, v64 b, v64 c, v64 *d, v64 e, v64 f, v64 g, v64 *h, v64 k_plus_w,
                          bool alone) {
    const v64 sum1 = v64_xor3(v64_rotr(e, 14), v64_rotr(e, 18), v64_rotr(e, 41));
    const v64 sum0 = v64_xor3(v64_rotr(a, 28), v64_rotr(a, 34), v64_rotr(a, 39));
    const v64 choice = v64_choose(e, f, g);
    const v64 early = v64_pin(v64_add(*h, k_plus_w));
    const v64 t1 = v64_pin(v64_add(v64_pin(v64_add(early, choice)), sum1));
    if (alone)
        *d = v64_pin(v64_add(v64_pin(v64_add(v64_pin(v64_add(*d, early)), choice)), sum1));
    else
        *d = v64_pin(v64_add(*d, t1));
    *h = v64_pin(v64_add(t1, v64_pin(v64_add(sum0, v64_majority(a, b, c)))));
}

/* Replaces word i of the ring, W(t), by W(t + 16) (section 6.4.2, step 1). */
V64_INLINE void extend(lane_word *words, unsigned i) {
    const v64 w1 = v64_load(words + (i + 1) % 16 * LANES);
    const v64 w14 = v64_load(words + (i + 14) % 16 * LANES);
    const v64 sigma0 = v64_xor3(v64_rotr(w1, 1), v64_rotr(w1, 8), v64_shr(w1, 7));
    const v64 sigma1 = v64_xor3(v64_rotr(w14, 19), v64_rotr(w14, 61), v64_shr(w14, 6));
    const v64 sum = v64_add(v64_load(words + i * LANES), v64_load(words + (i + 9) % 16 * LANES));
    v64_store(words + i * LANES, v64_add(v64_add(sum, sigma0), sigma1));
}

/* clang would keep the ring's words in registers from one use to the next, and for two groups spill
 * the working variables instead, which are needed sooner. */
#if defined(__clang__)
#define LEAVE_WORDS_IN_MEMORY() __asm__ volatile("" ::: "memory")
#else
#define LEAVE_WORDS_IN_MEMORY() (void)0
#endif

/* Round t + i in both groups; x, y, words, groups, t and more are those of `rounds16`. */
#define ROUND(i, A, B, C, D, E, F, G, H)                                                           \
    do {                                                                                           \
        if (groups == 2) LEAVE_WORDS_IN_MEMORY();                                                  \
        const v64 k = v64_set1(sha512_k[t + (i)]);                                                 \
        one_round(x->A, x->B, x->C, &x->D, x->E, x->F, x->G, &x->H,                                \
                  v64_add(k, v64_load(words + (i) * LANES)), groups == 1);                         \
        if (groups == 2)                                                                           \
            one_round(y->A, y->B, y->C, &y->D, y->E, y->F, y->G, &y->H,                            \
                      v64_add(k, v64_load(words + (i) * LANES + V64_LANES)), false);               \
        if (more) extend(words, i);                                                                \
        if (more && groups == 2) extend(words + V64_LANES, i);                                     \
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

/* Rounds t to t + 15; `more`: others follow, for which the words are replaced. */
V64_INLINE void rounds16(working *x, working *y, lane_word *words, size_t t, unsigned groups,
                         const next_block *next, bool more) {
    ROUNDS8(0);
    if (more) load_ahead(next, t / 8, 8, groups);
    ROUNDS8(8);
    if (more) load_ahead(next, t / 8 + 1, 8, groups);
}

V64_INLINE void absorb_groups(lane_word *state, lane_word *words, unsigned groups,
                              const next_block *next) {
    working x = load_working(state), y = x;
    if (groups == 2) y = load_working(state + V64_LANES);
    for (size_t t = 0; t < 64; t += 16) rounds16(&x, &y, words, t, groups, next, true);
    rounds16(&x, &y, words, 64, groups, next, false);
    add_working(state, &x);
    if (groups == 2) add_working(state + V64_LANES, &y);
}

#include "hmac/lanes_groups.h"

#include "hmac/hmac_lanes.h"

/* `single_` is the variant to which all but batches are left. */
#define JM_SHA512_LANES(variant_, features_, note_, single_)                                       \
    JM_HMAC_LANES(sha512, variant_, features_, note_, SHA512_DIGEST_BYTES,                         \
                  jm_hmac_sha512_##single_)                                                        \
    JM_HMAC_LANES(sha384, variant_, features_, note_, SHA384_DIGEST_BYTES, jm_hmac_sha384_##single_)

#endif
