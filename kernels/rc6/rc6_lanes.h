/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC over RC6 in LANES lanes: the rounds of rc6_portable.c over vectors, each of which holds one
 * word of many messages.
 *
 * The includer defines, above: LANES and a vector, as cmac/cmac_word_lanes.h lists. */
#ifndef JM_RC6_LANES_H
#define JM_RC6_LANES_H

#include "rc6/rc6.h"

#define KEY_WORDS JM_RC6_KEY_WORDS
#include "cmac/cmac_word_lanes.h"

/* b (2 b + 1), rotated left by 5 bits. */
JM_INLINE vec rc6_quadratic(vec b) {
    return vec_rotl(vec_multiply(b, vec_add(vec_add(b, b), vec_set1(1))), 5);
}

/* A round: words a and c change. `i` is the first of its two key words. */
#define ROUND(a, b, c, d, i)                                                                       \
    _Pragma("GCC unroll 4") for (unsigned v = 0; v < VECTORS; v++) {                               \
        vec *w = x->v[v];                                                                          \
        const vec t = rc6_quadratic(w[b]), u = rc6_quadratic(w[d]);                                \
        w[a] = vec_add(vec_rotl_by(vec_xor(w[a], t), u), word_lanes_key(key, own, i, v));          \
        w[c] = vec_add(vec_rotl_by(vec_xor(w[c], u), t), word_lanes_key(key, own, (i) + 1, v));    \
    }

/* Adds two key words to two words of the block. */
JM_INLINE void add_keys(word_lanes_block *x, const vec_word *key, bool own, unsigned first,
                        unsigned second) {
    for (unsigned v = 0; v < VECTORS; v++) {
        x->v[v][first] = vec_add(x->v[v][first], word_lanes_key(key, own, 0, v));
        x->v[v][second] = vec_add(x->v[v][second], word_lanes_key(key, own, 1, v));
    }
}

JM_INLINE void word_lanes_encrypt(word_lanes_block *x, const vec_word *key, bool own) {
    const unsigned words = own ? LANES : 1; /* lanes of a word of the schedule */
    add_keys(x, key, own, 1, 3);
    key += 2 * words;
    for (unsigned round = 0; round < JM_RC6_ROUNDS; round += 4) {
        ROUND(0, 1, 2, 3, 0)
        ROUND(1, 2, 3, 0, 2)
        ROUND(2, 3, 0, 1, 4)
        ROUND(3, 0, 1, 2, 6)
        key += 8 * words;
    }
    add_keys(x, key, own, 0, 2);
}

#define JM_RC6_LANES(name, features_, note_)                                                       \
    JM_CMAC_WORD_LANES(rc6_128, "cmac-rc6-128", name, JM_RC6_128_KEY_BYTES, features_, true, note_)

#endif
