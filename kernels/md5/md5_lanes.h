/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) on LANES messages at once, and HMAC-MD5 over it: the source shared by
 * the variants whose files include a vector header (common/v32_*.h), define LANES as one, two or
 * four times its V32_LANES, and then include this file.
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is RFC 1321's own. Each step needs the result of the one before through four operations, and has
 * hardly more: one group of vectors leaves a CPU mostly idle, so up to four groups take turns, step
 * by step. There is no message schedule: the words stay in memory and are read in four orders.
 * Constant time: straight-line code, no table is indexed by data.
 */
#ifndef JM_MD5_LANES_H
#define JM_MD5_LANES_H

#include "md5/md5.h"

typedef uint32_t lane_word;
#define GROUP_LANES V32_LANES
enum {
    GROUPS = LANES / V32_LANES,
    CHAIN_WORDS = 4,
    BLOCK_WORDS = 16,
    DIGEST_WORDS = 4,
    LENGTH_BYTES = 8,
    LENGTH_BIG_ENDIAN = 0,
    CODE_BYTES = 18432,
};

/* Which word of the chaining value is word i of the digest. */
static const uint8_t digest_order[DIGEST_WORDS] = {0, 1, 2, 3};

#include "hmac/lanes_v32.h"

typedef struct {
    v32 a, b, c, d;
} working;

/* The functions of section 3.4: F, G, H and I. */
V32_INLINE v32 function_at(unsigned step, v32 b, v32 c, v32 d) {
    if (step < 16) return v32_choose(b, c, d);
    if (step < 32) return v32_choose(d, b, c);
    if (step < 48) return v32_xor3(b, c, d);
    return v32_md5_i(b, c, d);
}

/* Which word of the block a step takes. */
V32_INLINE unsigned word_of(unsigned step) {
    if (step < 16) return step;
    if (step < 32) return (5 * step + 1) % 16;
    if (step < 48) return (3 * step + 5) % 16;
    return 7 * step % 16;
}

/* One step in every group: a = b + ((a + function(b, c, d) + word + T) <<< shift). The words of the
 * state rename themselves from step to step; x, words, groups and next are those of
 * `absorb_groups`. What depends on b, the latest, is added last. */
#define STEP(step, shift, A, B, C, D)                                                              \
    do {                                                                                           \
        const v32 t = v32_set1(md5_t[step]);                                                       \
        for (unsigned g = 0; g < groups; g++) {                                                    \
            const v32 word = v32_load(words + word_of(step) * LANES + g * V32_LANES);              \
            const v32 early = v32_add(x[g].A, v32_add(word, t));                                   \
            const v32 sum = v32_add(early, function_at(step, x[g].B, x[g].C, x[g].D));             \
            x[g].A = v32_add(v32_rotl(sum, shift), x[g].B);                                        \
        }                                                                                          \
    } while (0)
#define STEPS4(step, s0, s1, s2, s3)                                                               \
    do {                                                                                           \
        STEP(step, s0, a, b, c, d);                                                                \
        STEP((step) + 1, s1, d, a, b, c);                                                          \
        STEP((step) + 2, s2, c, d, a, b);                                                          \
        STEP((step) + 3, s3, b, c, d, a);                                                          \
        load_ahead(next, (step) / 4, 16, groups);                                                  \
    } while (0)
#define STEPS16(step, s0, s1, s2, s3)                                                              \
    do {                                                                                           \
        STEPS4(step, s0, s1, s2, s3);                                                              \
        STEPS4((step) + 4, s0, s1, s2, s3);                                                        \
        STEPS4((step) + 8, s0, s1, s2, s3);                                                        \
        STEPS4((step) + 12, s0, s1, s2, s3);                                                       \
    } while (0)

V32_INLINE void add_to(lane_word *state, v32 x) {
    v32_store(state, v32_add(v32_load(state), x));
}

V32_INLINE void absorb_groups(lane_word *state, const lane_word *words, unsigned groups,
                              const next_block *next) {
    working x[GROUPS];
    for (unsigned g = 0; g < groups; g++) {
        const lane_word *const from = state + g * V32_LANES;
        x[g] = (working){v32_load(from), v32_load(from + LANES), v32_load(from + 2 * LANES),
                         v32_load(from + 3 * LANES)};
    }
    STEPS16(0, 7, 12, 17, 22);
    STEPS16(16, 5, 9, 14, 20);
    STEPS16(32, 4, 11, 16, 23);
    STEPS16(48, 6, 10, 15, 21);
    for (unsigned g = 0; g < groups; g++) {
        lane_word *const to = state + g * V32_LANES;
        add_to(to, x[g].a);
        add_to(to + LANES, x[g].b);
        add_to(to + 2 * LANES, x[g].c);
        add_to(to + 3 * LANES, x[g].d);
    }
}

#include "hmac/lanes_groups.h"

#include "hmac/hmac_lanes.h"

#define JM_MD5_LANES(variant_, features_, note_)                                                   \
    JM_HMAC_LANES(md5, variant_, features_, note_, 16, jm_hmac_md5_portable)

#endif
