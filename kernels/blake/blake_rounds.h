/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE's compression function in general registers, written once for both widths.
 *
 * The includer defines: BLAKE_BITS as 32, and includes this header again with 64. It gets
 * `compress_32` and `compress_64` (blake.h). All loops over a round are unrolled, so that the
 * permutations are constants. */
#include "blake/blake.h"

#define BLAKE_JOIN_(a, b) a##b
#define BLAKE_JOIN(a, b) BLAKE_JOIN_(a, b)
#define WORD BLAKE_JOIN(BLAKE_JOIN(uint, BLAKE_BITS), _t)
#define NAMED(name) BLAKE_JOIN(name, BLAKE_BITS)
#define ROTATE BLAKE_JOIN(rotr, BLAKE_BITS)
#define LOAD BLAKE_JOIN(load_be, BLAKE_BITS)
#define PI BLAKE_JOIN(blake_pi_, BLAKE_BITS)

#ifndef BLAKE_ROUNDS_H
#define BLAKE_ROUNDS_H
static const uint8_t permutations[BLAKE_ROUNDS_MAX][16] = {
#define ROW(...) {__VA_ARGS__},
    BLAKE_PERMUTATIONS(ROW)
#undef ROW
};

/* Section 2.1.2 and 2.2.2: the distances of G's four rotations. */
#define BLAKE_DISTANCES_32 16, 12, 8, 7
#define BLAKE_DISTANCES_64 32, 25, 16, 11
#endif

/* G on the words a to d, with the two message words that permutation[at] and the next entry
 * name. */
JM_INLINE void NAMED(mix_)(WORD v[16], const WORD m[16], const uint8_t *permutation, unsigned at,
                           unsigned a, unsigned b, unsigned c, unsigned d) {
    static const uint8_t distance[4] = {BLAKE_JOIN(BLAKE_DISTANCES_, BLAKE_BITS)};
    const unsigned j = permutation[at], k = permutation[at + 1];
    v[a] += (m[j] ^ PI[k]) + v[b];
    v[d] = ROTATE(v[d] ^ v[a], distance[0]);
    v[c] += v[d];
    v[b] = ROTATE(v[b] ^ v[c], distance[1]);
    v[a] += (m[k] ^ PI[j]) + v[b];
    v[d] = ROTATE(v[d] ^ v[a], distance[2]);
    v[c] += v[d];
    v[b] = ROTATE(v[b] ^ v[c], distance[3]);
}

/* Four columns, then four diagonals. */
JM_INLINE void NAMED(one_round_)(WORD v[16], const WORD m[16], const uint8_t *permutation) {
    NAMED(mix_)(v, m, permutation, 0, 0, 4, 8, 12);
    NAMED(mix_)(v, m, permutation, 2, 1, 5, 9, 13);
    NAMED(mix_)(v, m, permutation, 4, 2, 6, 10, 14);
    NAMED(mix_)(v, m, permutation, 6, 3, 7, 11, 15);
    NAMED(mix_)(v, m, permutation, 8, 0, 5, 10, 15);
    NAMED(mix_)(v, m, permutation, 10, 1, 6, 11, 12);
    NAMED(mix_)(v, m, permutation, 12, 2, 7, 8, 13);
    NAMED(mix_)(v, m, permutation, 14, 3, 4, 9, 14);
}

JM_INLINE void NAMED(compress_)(WORD h[8], const uint8_t *blocks, size_t count,
                                uint64_t counted_bytes, unsigned rounds) {
    WORD v[16], m[16];
    for (; count; count--) {
        const WORD low = (WORD)(counted_bytes << 3);
        const WORD high = (WORD)(counted_bytes >> (BLAKE_BITS - 3));
        for (size_t i = 0; i < 16; i++) m[i] = LOAD(blocks + i * BLAKE_BITS / 8);
        for (size_t i = 0; i < 8; i++) v[i] = h[i];
        for (size_t i = 0; i < 8; i++) v[8 + i] = PI[i];
        v[12] ^= low;
        v[13] ^= low;
        v[14] ^= high;
        v[15] ^= high;
        JM_UNROLL(16)
        for (unsigned i = 0; i < rounds; i++) NAMED(one_round_)(v, m, permutations[i]);
        for (size_t i = 0; i < 8; i++) h[i] ^= v[i] ^ v[8 + i];
        blocks += 2 * BLAKE_BITS;
        counted_bytes += 2 * BLAKE_BITS;
    }
    jm_wipe(m, sizeof m);
}

#undef WORD
#undef NAMED
#undef ROTATE
#undef LOAD
#undef PI
#undef BLAKE_JOIN
#undef BLAKE_JOIN_
