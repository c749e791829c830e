/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1) on LANES messages at once, and HMAC-SHA-1 over it.
 *
 * The includer defines, above:
 *     a vector   the header of lanes/ that it includes (v32_*.h)
 *     LANES      messages at once: one or two times VEC_LANES
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is one of FIPS 180-4. With two vectors their rounds alternate, and operations of one vector fill
 * the gaps in which the other waits. The 80 rounds are written out: each of the four functions
 * lasts twenty rounds, and the message schedule, a ring of words in memory, has a period of
 * sixteen, so that no shorter loop suits both. The schedule is SHA1_SCHEDULED_AHEAD rounds ahead of
 * the rounds, and its last three words are in registers, so that a word does not wait for the store
 * of the word three before it.
 * Constant time: straight-line code, no table is indexed by data. */
#ifndef JM_SHA1_LANES_H
#define JM_SHA1_LANES_H

#include "sha1/sha1.h"

#define HASH_CHAIN_WORDS SHA1_CHAIN_WORDS
#define HASH_DIGEST_WORDS 5
#define HASH_DIGEST_ORDER SHA1_A, SHA1_B, SHA1_C, SHA1_D, SHA1_E
#define HASH_LENGTH_BYTES 8
#define HASH_BIG_ENDIAN 1
#define HASH_CODE_BYTES 17408

#define JM_SHA1_LANES(variant_, features_, note_)                                                  \
    JM_HMAC_LANES(sha1, variant_, features_, note_, 20, jm_hmac_sha1_portable)

#include "hmac/hmac_lanes.h"

enum { SHA1_SCHEDULED_AHEAD = 2 /* rounds, 1 or 2 */ };

typedef struct {
    vec a, b, c, d, e;
    vec recent[3]; /* the schedule's newest words, W(t) at [t % 3] */
} sha1_working;

JM_INLINE sha1_working sha1_load(const vec_word *state, const vec_word *words) {
    return (sha1_working){
        vec_load(state + SHA1_A * LANES),
        vec_load(state + SHA1_B * LANES),
        vec_load(state + SHA1_C * LANES),
        vec_load(state + SHA1_D * LANES),
        vec_load(state + SHA1_E * LANES),
        {vec_load(words + 15 * LANES), vec_load(words + 13 * LANES), vec_load(words + 14 * LANES)},
    };
}

JM_INLINE void sha1_add(vec_word *state, const sha1_working *x) {
    vec_add_to(state + SHA1_A * LANES, x->a);
    vec_add_to(state + SHA1_B * LANES, x->b);
    vec_add_to(state + SHA1_C * LANES, x->c);
    vec_add_to(state + SHA1_D * LANES, x->d);
    vec_add_to(state + SHA1_E * LANES, x->e);
}

/* Makes W(t) of section 6.1.2, step 1, for t >= 16; in the ring it replaces W(t - 16). The last
 * eight words are not read from the ring again, and not stored. */
JM_INLINE void sha1_extend(unsigned t, vec recent[3], vec_word *words) {
    vec_word *const at = words + t % 16 * LANES;
    const vec w8 = vec_load(words + (t + 8) % 16 * LANES);
    const vec w14 = vec_load(words + (t + 2) % 16 * LANES);
    const vec w = vec_rotl(vec_xor3(vec_xor(vec_load(at), w8), w14, recent[t % 3]), 1);
    recent[t % 3] = w;
    if (t < 72) vec_store(at, w);
}

/* The functions of section 4.1.1. */
JM_INLINE vec sha1_function(unsigned t, vec b, vec c, vec d) {
    if (t < 20) return vec_choose(b, c, d);
    if (t >= 40 && t < 60) return vec_majority(b, c, d);
    return vec_xor3(b, c, d);
}

/* Round t (section 6.1.2, step 3), after which e is the next a and b the next c; then a word of the
 * schedule. The words of the state change names from round to round: a to e are words of x, in an
 * order that depends on t. Terms that depend on a, the newest word, are added last. */
JM_INLINE void sha1_round(unsigned t, sha1_working *x, vec a, vec *b, vec c, vec d, vec *e, vec k,
                          vec_word *words) {
    const vec w = t < 16 ? vec_load(words + t * LANES) : x->recent[t % 3];
    const vec first = vec_pin(vec_add(*e, vec_add(k, w)));
    const vec early = vec_pin(vec_add(first, sha1_function(t, *b, c, d)));
    *e = vec_add(early, vec_rotl(a, 5));
    *b = vec_rotl(*b, 30);
    const unsigned next = t + SHA1_SCHEDULED_AHEAD;
    if (next >= 16 && next < 80) sha1_extend(next, x->recent, words);
}

/* The constants of section 4.2.1. */
static const uint32_t sha1_k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

/* Keeps the ring in memory: in registers it would be spilled. */
#define SHA1_LEAVE_WORDS_IN_MEMORY() JM_HIDE("m", *(vec_word(*)[16 * LANES]) words)

/* Round t in both vectors; x, y, k, words, vectors and next are those of `hash_compress`. */
#define SHA1_ROUND(t, A, B, C, D, E)                                                               \
    do {                                                                                           \
        sha1_round(t, &x, x.A, &x.B, x.C, x.D, &x.E, k, words);                                    \
        if (vectors == 2) sha1_round(t, &y, y.A, &y.B, y.C, y.D, &y.E, k, words + VEC_LANES);      \
    } while (0)
#define SHA1_ROUNDS5(t)                                                                            \
    do {                                                                                           \
        SHA1_ROUND(t, a, b, c, d, e);                                                              \
        SHA1_ROUND((t) + 1, e, a, b, c, d);                                                        \
        SHA1_ROUND((t) + 2, d, e, a, b, c);                                                        \
        SHA1_ROUND((t) + 3, c, d, e, a, b);                                                        \
        SHA1_ROUND((t) + 4, b, c, d, e, a);                                                        \
        SHA1_LEAVE_WORDS_IN_MEMORY();                                                              \
        hash_load_ahead(next, (t) / 5, 16, vectors);                                               \
    } while (0)
#define SHA1_ROUNDS20(t)                                                                           \
    do {                                                                                           \
        const vec k = vec_set1(sha1_k[(t) / 20]);                                                  \
        SHA1_ROUNDS5(t);                                                                           \
        SHA1_ROUNDS5((t) + 5);                                                                     \
        SHA1_ROUNDS5((t) + 10);                                                                    \
        SHA1_ROUNDS5((t) + 15);                                                                    \
    } while (0)

JM_INLINE void hash_compress(vec_word *state, vec_word *words, unsigned vectors,
                             const hash_next_block *next) {
    sha1_working x = sha1_load(state, words), y = x;
    if (vectors == 2) y = sha1_load(state + VEC_LANES, words + VEC_LANES);
    SHA1_ROUNDS20(0);
    SHA1_ROUNDS20(20);
    SHA1_ROUNDS20(40);
    SHA1_ROUNDS20(60);
    sha1_add(state, &x);
    if (vectors == 2) sha1_add(state + VEC_LANES, &y);
}

#endif
