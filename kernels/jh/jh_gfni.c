/* SPDX-License-Identifier: Apache-2.0
 *
 * JH (specification of 2011-01-16, sections 4 to 6; second round: of 2009-09-15) with AVX-512VL and
 * GFNI.
 *
 * Technique: bit slices of 128 elements, a vector each; S-boxes of instructions with three inputs;
 * an affine map swaps bits within bytes. One message.
 * State: the slices of jh.h in order.
 * CPU: AVX-512 (F, BW, DQ, VL) and GFNI.
 * Constant time: logic, rotations and shuffles with constants only; its source is checked by
 * tests/native/constant_time_instructions.c.
 * Best for: CPUs with GFNI.
 */
#if defined(__x86_64__)

#include <immintrin.h>

#include "jh/jh.h"

/* Tables of TERNARY are written as logic of A, B and C: bit 4a + 2b + c of `table` is the
 * result. */
enum { A = 0xf0, B = 0xcc, C = 0xaa };
#define TERNARY(a, b, c, table) _mm_ternarylogic_epi64(a, b, c, (table) & 0xff)
#define MIX3(a, b, c) TERNARY(a, b, c, A ^ B ^ C)

/* The S-boxes in four steps, eleven instructions, in place of the ten steps of section 6: given
 * `a`, each result is a function of five bits. A search over all pairs of functions of three bits
 * found four, n0 to n3, from which all results are made. */
#define SUBSTITUTE(m0, m1, m2, m3, c)                                                              \
    do {                                                                                           \
        const __m128i a = TERNARY(m0, m2, c, A ^ (~B & C));                                        \
        const __m128i n0 = TERNARY(a, m1, m3, 0x65), n1 = TERNARY(a, m1, m2, 0x64);                \
        const __m128i n2 = TERNARY(a, m2, m3, 0x19), n3 = TERNARY(a, m1, m2, 0x78);                \
        const __m128i h = TERNARY(n0, m1, m2, 0x6c), g = TERNARY(n3, n0, m2, 0xe2);                \
        m0 = TERNARY(n1, n2, a, 0x56);                                                             \
        m3 = TERNARY(n3, n2, m1, 0xec);                                                            \
        m1 = TERNARY(h, c, m0, A ^ (B & C));                                                       \
        m2 = _mm_xor_si128(g, c);                                                                  \
    } while (0)

/* Each byte of `matrix` gives a bit of the result; the highest byte gives the lowest bit. */
#define AFFINE(x, matrix) _mm_gf2p8affine_epi64_epi8(x, _mm_set1_epi64x(matrix), 0)
#define SWAP0(x) AFFINE(x, 0x0201080420108040)
#define SWAP1(x) AFFINE(x, 0x0408010240801020)
#define SWAP2(x) AFFINE(x, 0x1020408001020408)
#define SWAP3(x)                                                                                   \
    _mm_shuffle_epi8(x, _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14))
#define SWAP4(x) _mm_rol_epi32(x, 16)
#define SWAP5(x) _mm_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1))
#define SWAP6(x) _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2))

#define FEATURES (JM_CPU_AVX512 | JM_CPU_GFNI)
#define CONSTANT_TIME true
#define NOTE "AVX-512 vectors of 128 bits, GFNI"

#include "jh/jh_vectors.h"

#define VARIANT(name_, id_, digest_bytes_, r2_)                                                    \
    JH_HASH(name_, id_, digest_bytes_, r2_)                                                        \
    VARIANT_OF(name_, id_, digest_bytes_, gfni)
JH_HASHES(VARIANT)

#endif
