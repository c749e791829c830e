/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC over Serpent in LANES lanes: the rounds of serpent_portable.c over vectors, each of which
 * holds one word of many messages; the S-boxes are the same circuits.
 *
 * The includer defines, above: LANES and a vector, as cmac/cmac_word_lanes.h lists. */
#ifndef JM_SERPENT_LANES_H
#define JM_SERPENT_LANES_H

#include "serpent/serpent.h"

#define KEY_WORDS JM_SERPENT_KEY_WORDS
#include "cmac/cmac_word_lanes.h"

/* The linear transformation, with round key `round`. */
JM_INLINE void transform(vec x[4], const vec_word *key, bool own, unsigned round, unsigned v) {
    const vec a = vec_rotl(x[0], 13), c = vec_rotl(x[2], 3);
    const vec b = vec_rotl(vec_xor3(x[1], a, c), 1);
    const vec d = vec_rotl(vec_xor3(x[3], vec_shl(a, 3), c), 7);
    const vec keyed_a = vec_xor(a, word_lanes_key(key, own, 4 * round, v));
    const vec keyed_c = vec_xor(c, word_lanes_key(key, own, 4 * round + 2, v));
    x[0] = vec_rotl(vec_xor3(keyed_a, b, d), 5);
    x[1] = vec_xor(b, word_lanes_key(key, own, 4 * round + 1, v));
    x[2] = vec_rotl(vec_xor3(keyed_c, vec_shl(b, 7), d), 22);
    x[3] = vec_xor(d, word_lanes_key(key, own, 4 * round + 3, v));
}

JM_INLINE void add_key(word_lanes_block *x, const vec_word *key, bool own) {
    for (unsigned v = 0; v < VECTORS; v++)
        for (unsigned i = 0; i < 4; i++)
            x->v[v][i] = vec_xor(x->v[v][i], word_lanes_key(key, own, i, v));
}

#define SUBSTITUTE(box)                                                                            \
    _Pragma("GCC unroll 4") for (unsigned v = 0; v < VECTORS; v++) serpent_s##box(x->v[v])
#define TRANSFORM(round)                                                                           \
    _Pragma("GCC unroll 4") for (unsigned v = 0; v < VECTORS; v++)                                 \
        transform(x->v[v], key, own, round, v)

JM_INLINE void word_lanes_encrypt(word_lanes_block *x, const vec_word *key, bool own) {
    const unsigned words = own ? LANES : 1; /* lanes of a word of the schedule */
    add_key(x, key, own);
    for (unsigned round = 0;; round += 8) {
        SUBSTITUTE(0);
        TRANSFORM(1);
        SUBSTITUTE(1);
        TRANSFORM(2);
        SUBSTITUTE(2);
        TRANSFORM(3);
        SUBSTITUTE(3);
        TRANSFORM(4);
        SUBSTITUTE(4);
        TRANSFORM(5);
        SUBSTITUTE(5);
        TRANSFORM(6);
        SUBSTITUTE(6);
        TRANSFORM(7);
        SUBSTITUTE(7);
        key += 4 * 8 * words;
        if (round + 8 == JM_SERPENT_ROUNDS) break;
        TRANSFORM(0);
    }
    add_key(x, key, own);
}

#define JM_SERPENT_LANES(name, features_, note_)                                                   \
    JM_CMAC_WORD_LANES(serpent128, "cmac-serpent128", name, JM_SERPENT128_KEY_BYTES, features_,    \
                       true, note_)

#endif
