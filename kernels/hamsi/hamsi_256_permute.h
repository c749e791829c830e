/* SPDX-License-Identifier: Apache-2.0
 *
 * The permutations of Hamsi-256 (specification for round 2, section 2.3) on rows of four words.
 *
 * The includer defines, above: SUBSTITUTE and DIFFUSE of four rows in place, and XOR3(a, b, c). */
#ifndef JM_HAMSI_256_PERMUTE_H
#define JM_HAMSI_256_PERMUTE_H

#include <emmintrin.h>

#include "hamsi/hamsi_constants.h"

#define CONSTANT(last, row) _mm_load_si128((const __m128i *)hamsi_round_constants[last][row])

/* P or P_f without its truncation. */
JM_INLINE void permute(__m128i r[4], unsigned rounds, unsigned last) {
    __m128i r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
    for (unsigned round = 0; round < rounds; round++) {
        r0 = XOR3(r0, CONSTANT(last, 0), _mm_setr_epi32(0, (int)round, 0, 0));
        r1 = _mm_xor_si128(r1, CONSTANT(last, 1));
        r2 = _mm_xor_si128(r2, CONSTANT(last, 2));
        r3 = _mm_xor_si128(r3, CONSTANT(last, 3));
        SUBSTITUTE(r0, r1, r2, r3);
        r1 = _mm_shuffle_epi32(r1, _MM_SHUFFLE(0, 3, 2, 1));
        r2 = _mm_shuffle_epi32(r2, _MM_SHUFFLE(1, 0, 3, 2));
        r3 = _mm_shuffle_epi32(r3, _MM_SHUFFLE(2, 1, 0, 3));
        DIFFUSE(r0, r1, r2, r3);
        r1 = _mm_shuffle_epi32(r1, _MM_SHUFFLE(2, 1, 0, 3));
        r2 = _mm_shuffle_epi32(r2, _MM_SHUFFLE(1, 0, 3, 2));
        r3 = _mm_shuffle_epi32(r3, _MM_SHUFFLE(0, 3, 2, 1));
    }
    r[0] = r0, r[1] = r1, r[2] = r2, r[3] = r3;
}

#endif
