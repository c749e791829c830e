/* SPDX-License-Identifier: Apache-2.0
 *
 * MD5 (RFC 1321, section 3.4) on LANES messages at once, and HMAC-MD5 over it.
 *
 * The includer defines, above:
 *     a vector   the header of lanes/ that it includes (v32_*.h)
 *     LANES      messages at once: one, two or four times VEC_LANES
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is one of RFC 1321. Each step needs the result of the step before for four operations in a row,
 * and has hardly more operations: one vector leaves a CPU mostly idle, so up to four vectors take
 * turns, step by step. There is no message schedule: the words stay in memory and are read in four
 * orders.
 * Constant time: straight-line code, no table is indexed by data. */
#ifndef JM_MD5_LANES_H
#define JM_MD5_LANES_H

#include "md5/md5.h"

#define HASH_CHAIN_WORDS 4
#define HASH_DIGEST_WORDS 4
#define HASH_DIGEST_ORDER 0, 1, 2, 3
#define HASH_LENGTH_BYTES 8
#define HASH_BIG_ENDIAN 0
#define HASH_CODE_BYTES 18432

#define JM_MD5_LANES(variant_, features_, note_)                                                   \
    JM_HMAC_LANES(md5, variant_, features_, note_, 16, jm_hmac_md5_portable)

#include "hmac/hmac_lanes.h"

typedef struct {
    vec a, b, c, d;
} md5_working;

/* The functions of section 3.4: F, G, H and I. */
JM_INLINE vec md5_function(unsigned step, vec b, vec c, vec d) {
    if (step < 16) return vec_choose(b, c, d);
    if (step < 32) return vec_choose(d, b, c);
    if (step < 48) return vec_xor3(b, c, d);
    return vec_md5_i(b, c, d);
}

/* The index of the block's word that a step takes. */
JM_INLINE unsigned md5_word(unsigned step) {
    if (step < 16) return step;
    if (step < 32) return (5 * step + 1) % 16;
    if (step < 48) return (3 * step + 5) % 16;
    return 7 * step % 16;
}

/* Makes four vectors take turns as the source says: Clang would mix their steps, and spill
 * registers, of which AVX2 has sixteen. With GCC this would take more stack. */
#if defined(__clang__) && defined(__AVX2__) && !defined(__AVX512F__)
#define MD5_IN_TURN(x) JM_HIDE("x", x)
#else
#define MD5_IN_TURN(x) (void)0
#endif

/* One step in every group: a = b + ((a + function(b, c, d) + word + T) <<< shift). The words of the
 * state change names from step to step; x, words, constants, vectors and next are those of
 * `hash_compress`. Terms that depend on b, the newest word, are added last. The block's words are
 * read again in each sixteen steps; otherwise compilers would keep them, and spill. */
#define MD5_STEP(step, shift, A, B, C, D)                                                          \
    do {                                                                                           \
        const vec t = vec_set1(constants[step]);                                                   \
        for (unsigned v = 0; v < vectors; v++) {                                                   \
            const vec word = vec_load(words + md5_word(step) * LANES + v * VEC_LANES);             \
            const vec early = vec_add(x[v].A, vec_add(word, t));                                   \
            const vec sum = vec_add(early, md5_function(step, x[v].B, x[v].C, x[v].D));            \
            x[v].A = vec_add(vec_rotl(sum, shift), x[v].B);                                        \
            if (vectors == 4) MD5_IN_TURN(x[v].A);                                                 \
        }                                                                                          \
    } while (0)
#define MD5_STEPS4(step, s0, s1, s2, s3)                                                           \
    do {                                                                                           \
        MD5_STEP(step, s0, a, b, c, d);                                                            \
        MD5_STEP((step) + 1, s1, d, a, b, c);                                                      \
        MD5_STEP((step) + 2, s2, c, d, a, b);                                                      \
        MD5_STEP((step) + 3, s3, b, c, d, a);                                                      \
        hash_load_ahead(next, (step) / 4, 16, vectors);                                            \
    } while (0)
#define MD5_STEPS16(step, s0, s1, s2, s3)                                                          \
    do {                                                                                           \
        JM_HIDE("r", words);                                                                       \
        MD5_STEPS4(step, s0, s1, s2, s3);                                                          \
        MD5_STEPS4((step) + 4, s0, s1, s2, s3);                                                    \
        MD5_STEPS4((step) + 8, s0, s1, s2, s3);                                                    \
        MD5_STEPS4((step) + 12, s0, s1, s2, s3);                                                   \
    } while (0)

JM_INLINE void hash_compress(vec_word *state, vec_word *words, unsigned vectors,
                             const hash_next_block *next) {
    md5_working x[LANES / VEC_LANES];
    const uint32_t *constants = md5_t;
    JM_HIDE("r", constants); /* else they are broadcast ahead, and spilled */
    for (unsigned v = 0; v < vectors; v++) {
        const vec_word *const from = state + v * VEC_LANES;
        x[v] = (md5_working){vec_load(from), vec_load(from + LANES), vec_load(from + 2 * LANES),
                             vec_load(from + 3 * LANES)};
    }
    MD5_STEPS16(0, 7, 12, 17, 22);
    MD5_STEPS16(16, 5, 9, 14, 20);
    MD5_STEPS16(32, 4, 11, 16, 23);
    MD5_STEPS16(48, 6, 10, 15, 21);
    for (unsigned v = 0; v < vectors; v++) {
        vec_word *const to = state + v * VEC_LANES;
        vec_add_to(to, x[v].a);
        vec_add_to(to + LANES, x[v].b);
        vec_add_to(to + 2 * LANES, x[v].c);
        vec_add_to(to + 3 * LANES, x[v].d);
    }
}

#endif
