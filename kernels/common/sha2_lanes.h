/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-2 (FIPS 180-4, sections 6.2.2 and 6.4.2) on LANES messages at once, written once for both
 * word sizes and all widths of vectors.
 *
 * The includer defines, in sha256.h or sha512.h, which it includes before:
 *
 *   SHA2_AT(letter)           where word A to H lies in a chaining value
 *   SHA2_ROUNDS, SHA2_K       number of rounds and their constants
 *   SHA2_BIG_SIGMA0, SHA2_BIG_SIGMA1, SHA2_SIGMA0, SHA2_SIGMA1   sections 4.1.2 and 4.1.3
 *   SHA2_EXTENDS_AT_USE       1: a word of the message schedule is made when it is used; 0: as soon
 *                             as the word sixteen before it has been used, and none in the last
 *                             sixteen rounds. SHA-256 is faster with 1, SHA-512 with 0, by up to a
 *                             tenth (Zen 5, GCC 12).
 *   HASH_LENGTH_BYTES, HASH_CODE_BYTES   and LANES, and a vector: hmac/hash_lanes.h
 *
 * Technique: word-sliced: a vector holds the same word of several messages, so that every operation
 * is FIPS 180-4's own. With two vectors their rounds alternate, and the dependent operations of one
 * fill the gaps of the other. The rounds are a loop over eight, after which the words of the state
 * have their names again; the message schedule is a ring of sixteen words in memory, whose halves
 * change places from turn to turn, and each word is replaced by the one sixteen later. A loop
 * over sixteen has twice the code: together with the code that fills and closes lanes it was more
 * than Zen 5 holds decoded, so that up to 17 % of the time depended on the address that the linker
 * chose. Written out, the rounds of SHA-512 in two vectors take 36 KiB, more than the first-level
 * instruction cache of most CPUs.
 * Constant time: straight-line code, no table is indexed by data.
 */
#ifndef JM_SHA2_LANES_H
#define JM_SHA2_LANES_H

#if !defined(SHA2_AT) || !defined(SHA2_ROUNDS) || !defined(SHA2_K) ||                              \
    !defined(SHA2_EXTENDS_AT_USE) || !defined(SHA2_BIG_SIGMA0) || !defined(SHA2_BIG_SIGMA1) ||     \
    !defined(SHA2_SIGMA0) || !defined(SHA2_SIGMA1)
#error "a parameter of common/sha2_lanes.h is missing"
#endif
#define HASH_CHAIN_WORDS 8
#define HASH_DIGEST_WORDS 8
#define HASH_DIGEST_ORDER                                                                          \
    SHA2_AT(A), SHA2_AT(B), SHA2_AT(C), SHA2_AT(D), SHA2_AT(E), SHA2_AT(F), SHA2_AT(G), SHA2_AT(H)
#define HASH_BIG_ENDIAN 1

_Static_assert(LANES <= 2 * VEC_LANES, "one or two vectors");

#include "hmac/hmac_lanes.h"

typedef struct {
    vec a, b, c, d, e, f, g, h;
} sha2_working;

JM_INLINE sha2_working sha2_load(const vec_word *state) {
    return (sha2_working){
        vec_load(state + SHA2_AT(A) * LANES), vec_load(state + SHA2_AT(B) * LANES),
        vec_load(state + SHA2_AT(C) * LANES), vec_load(state + SHA2_AT(D) * LANES),
        vec_load(state + SHA2_AT(E) * LANES), vec_load(state + SHA2_AT(F) * LANES),
        vec_load(state + SHA2_AT(G) * LANES), vec_load(state + SHA2_AT(H) * LANES),
    };
}

JM_INLINE void sha2_add(vec_word *state, const sha2_working *x) {
    vec_add_to(state + SHA2_AT(A) * LANES, x->a);
    vec_add_to(state + SHA2_AT(B) * LANES, x->b);
    vec_add_to(state + SHA2_AT(C) * LANES, x->c);
    vec_add_to(state + SHA2_AT(D) * LANES, x->d);
    vec_add_to(state + SHA2_AT(E) * LANES, x->e);
    vec_add_to(state + SHA2_AT(F) * LANES, x->f);
    vec_add_to(state + SHA2_AT(G) * LANES, x->g);
    vec_add_to(state + SHA2_AT(H) * LANES, x->h);
}

/* One round (step 3), after which d is the next e and h the next a. The words of the state rename
 * themselves from round to round. The sums are grouped so that the terms of the newest a and e come
 * last; vec_pin keeps compilers from regrouping them, which makes the dependent path of a round up
 * to twice as long. A vector `alone` waits for that path: there two more additions, which form the
 * new e beside t1 and not after it, cost less than the wait. */
JM_INLINE void sha2_round(vec a, vec b, vec c, vec *d, vec e, vec f, vec g, vec *h, vec k_plus_w,
                          bool alone) {
    const vec sum1 = SHA2_BIG_SIGMA1(e), sum0 = SHA2_BIG_SIGMA0(a);
    const vec choice = vec_choose(e, f, g);
    const vec early = vec_pin(vec_add(*h, VEC_PIN_IN_CLANG(k_plus_w)));
    const vec t1 = vec_pin(vec_add(vec_pin(vec_add(early, choice)), sum1));
    if (alone)
        *d = vec_pin(vec_add(vec_pin(vec_add(vec_pin(vec_add(*d, early)), choice)), sum1));
    else
        *d = vec_pin(vec_add(*d, t1));
    *h = vec_pin(vec_add(t1, vec_pin(vec_add(sum0, vec_majority(a, b, c)))));
}

/* The last sixteen words of the message schedule in halves of eight rows: `near` serves the eight
 * rounds at hand, `far` is the other half. */
typedef struct {
    vec_word *near, *far;
} sha2_ring;

JM_INLINE vec_word *sha2_row(sha2_ring ring, unsigned i) {
    return i % 16 < 8 ? ring.near + i % 8 * LANES : ring.far + i % 8 * LANES;
}

/* Replaces word i of the ring, W(t), by W(t + 16) (step 1), and returns W(t + 16). The term of the
 * latest word, W(t + 14), is added last. */
JM_INLINE vec sha2_extend(sha2_ring ring, unsigned i) {
    const vec w1 = vec_load(sha2_row(ring, i + 1)), w14 = vec_load(sha2_row(ring, i + 14));
    const vec sigma0 = SHA2_SIGMA0(w1), sigma1 = SHA2_SIGMA1(w14);
    const vec w0 = vec_load(sha2_row(ring, i)), w9 = vec_load(sha2_row(ring, i + 9));
    const vec early = VEC_PIN_IN_CLANG(vec_add(VEC_PIN_IN_CLANG(vec_add(w0, w9)), sigma0));
    const vec w = vec_add(early, sigma1);
    vec_store(sha2_row(ring, i), w);
    return w;
}

JM_INLINE vec sha2_word(sha2_ring ring, unsigned i, bool extend) {
    return SHA2_EXTENDS_AT_USE && extend ? sha2_extend(ring, i) : vec_load(sha2_row(ring, i));
}

/* Round t + i in both vectors; x, y, first, second, vectors, t and extend are those of
 * `sha2_rounds8`. */
#define SHA2_ROUND(i, A, B, C, D, E, F, G, H)                                                      \
    do {                                                                                           \
        const vec k = vec_set1(SHA2_K[t + (i)]);                                                   \
        sha2_round(x->A, x->B, x->C, &x->D, x->E, x->F, x->G, &x->H,                               \
                   vec_add(k, sha2_word(first, i, extend)), vectors == 1);                         \
        if (vectors == 2)                                                                          \
            sha2_round(y->A, y->B, y->C, &y->D, y->E, y->F, y->G, &y->H,                           \
                       vec_add(k, sha2_word(second, i, extend)), false);                           \
        if (!SHA2_EXTENDS_AT_USE && extend) {                                                      \
            sha2_extend(first, i);                                                                 \
            if (vectors == 2) sha2_extend(second, i);                                              \
        }                                                                                          \
    } while (0)

/* Rounds t to t + 7, whose words are in words[0] to words[7 * LANES]; `others` are the eight rows
 * before or after them. If `extend`, words are replaced: at their use by the words of these rounds,
 * or after it (SHA2_EXTENDS_AT_USE 0) by the words of the rounds sixteen later. */
JM_INLINE void sha2_rounds8(sha2_working *x, sha2_working *y, vec_word *words, vec_word *others,
                            size_t t, unsigned vectors, bool extend) {
    const sha2_ring first = {words, others}, second = {words + VEC_LANES, others + VEC_LANES};
    SHA2_ROUND(0, a, b, c, d, e, f, g, h);
    SHA2_ROUND(1, h, a, b, c, d, e, f, g);
    SHA2_ROUND(2, g, h, a, b, c, d, e, f);
    SHA2_ROUND(3, f, g, h, a, b, c, d, e);
    SHA2_ROUND(4, e, f, g, h, a, b, c, d);
    SHA2_ROUND(5, d, e, f, g, h, a, b, c);
    SHA2_ROUND(6, c, d, e, f, g, h, a, b);
    SHA2_ROUND(7, b, c, d, e, f, g, h, a);
    /* Promoted to registers, the ring would be spilled. */
    if (SHA2_EXTENDS_AT_USE || vectors == 2) JM_HIDE("m", *(vec_word(*)[8 * LANES]) words);
}

/* Rounds t to t + 7; beside them a part of the next block is loaded, all of it in the first 64. */
JM_INLINE void sha2_turn(sha2_working *x, sha2_working *y, vec_word *words, size_t t,
                         unsigned vectors, const hash_next_block *next, bool extend) {
    sha2_rounds8(x, y, words + t % 16 * LANES, words + (t + 8) % 16 * LANES, t, vectors, extend);
    if (t < 64) hash_load_ahead(next, t / 8, 8, vectors);
}

/* Rounds `from` to `to` - 1, both multiples of sixteen. One vector has half the code of two: with
 * one, a loop over sixteen takes 2 % less, in AVX2 (AMD EPYC). */
JM_INLINE void sha2_rounds(sha2_working *x, sha2_working *y, vec_word *words, size_t from,
                           size_t to, unsigned vectors, const hash_next_block *next, bool extend) {
    if (vectors == 2) {
        for (size_t t = from; t < to; t += 8) sha2_turn(x, y, words, t, vectors, next, extend);
        return;
    }
    for (size_t t = from; t < to; t += 16) {
        sha2_turn(x, y, words, t, vectors, next, extend);
        sha2_turn(x, y, words, t + 8, vectors, next, extend);
    }
}

JM_INLINE void hash_compress(vec_word *state, vec_word *words, unsigned vectors,
                             const hash_next_block *next) {
    const size_t change = SHA2_EXTENDS_AT_USE ? 16 : SHA2_ROUNDS - 16;
    sha2_working x = sha2_load(state), y = x;
    if (vectors == 2) y = sha2_load(state + VEC_LANES);
    sha2_rounds(&x, &y, words, 0, change, vectors, next, !SHA2_EXTENDS_AT_USE);
    sha2_rounds(&x, &y, words, change, SHA2_ROUNDS, vectors, next, SHA2_EXTENDS_AT_USE);
    sha2_add(state, &x);
    if (vectors == 2) sha2_add(state + VEC_LANES, &y);
}

#endif
