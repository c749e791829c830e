/* SPDX-License-Identifier: Apache-2.0
 *
 * The rounds of Keccak-f[1600] (FIPS 202, section 3) in the lanes of vectors, word i of all lanes
 * in one vector.
 *
 * The includer defines, above: a vector, by the header of lanes/ that it includes (v64_*.h). */
#ifndef JM_KECCAK_LANES_ROUNDS_H
#define JM_KECCAK_LANES_ROUNDS_H

#include "keccak/keccak.h"

/* chi: a row of the next state from five words of this state, already rotated (rho). */
#define ROW(y, word0, word1, word2, word3, word4)                                                  \
    do {                                                                                           \
        const vec r0 = (word0), r1 = (word1), r2 = (word2), r3 = (word3), r4 = (word4);            \
        to[5 * (y)] = vec_xor_andnot(r0, r1, r2);                                                  \
        to[5 * (y) + 1] = vec_xor_andnot(r1, r2, r3);                                              \
        to[5 * (y) + 2] = vec_xor_andnot(r2, r3, r4);                                              \
        to[5 * (y) + 3] = vec_xor_andnot(r3, r4, r0);                                              \
        to[5 * (y) + 4] = vec_xor_andnot(r4, r0, r1);                                              \
    } while (0)
/* Word i after theta, rotated by keccak_offsets[i]: instructions take rotation counts as
 * constants. */
#define MOVED(i, offset) vec_rotl(vec_xor(a[i], effect[(i) % 5]), offset)

JM_INLINE void one_round(const vec a[KECCAK_WORDS], vec to[KECCAK_WORDS], uint64_t constant) {
    vec parity[5], effect[5];
#pragma GCC unroll 5
    for (size_t x = 0; x < 5; x++)
        parity[x] = vec_xor3(vec_xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
#pragma GCC unroll 5
    for (size_t x = 0; x < 5; x++)
        effect[x] = vec_xor(parity[(x + 4) % 5], vec_rotl(parity[(x + 1) % 5], 1));
    ROW(0, vec_xor(a[0], effect[0]), MOVED(6, 44), MOVED(12, 43), MOVED(18, 21), MOVED(24, 14));
    to[0] = vec_xor(to[0], vec_set1(constant));
    ROW(1, MOVED(3, 28), MOVED(9, 20), MOVED(10, 3), MOVED(16, 45), MOVED(22, 61));
    ROW(2, MOVED(1, 1), MOVED(7, 6), MOVED(13, 25), MOVED(19, 8), MOVED(20, 18));
    ROW(3, MOVED(4, 27), MOVED(5, 36), MOVED(11, 10), MOVED(17, 15), MOVED(23, 56));
    ROW(4, MOVED(2, 62), MOVED(8, 55), MOVED(14, 39), MOVED(15, 41), MOVED(21, 2));
}

/* The rounds from `first`, an even number, to the last. */
JM_INLINE void permute_lanes(vec a[KECCAK_WORDS], size_t first) {
    vec b[KECCAK_WORDS];
    for (size_t i = first; i < KECCAK_ROUNDS; i += 2) {
        one_round(a, b, keccak_round_constants[i]);
        one_round(b, a, keccak_round_constants[i + 1]);
    }
}

/* The next 8 bytes of each lane. */
JM_INLINE vec load_words(const uint8_t *const *from, size_t offset) {
    vec_word words[VEC_LANES];
    for (size_t l = 0; l < VEC_LANES; l++) words[l] = load_le64(from[l] + offset);
    vec x;
    memcpy(&x, words, sizeof x);
    return x;
}

#endif
