/* SPDX-License-Identifier: Apache-2.0
 *
 * Hamsi-512 (specification for round 2, section 2) with AVX-512VL and GFNI.
 *
 * Technique: a row of the state in a vector of eight words; S-boxes of instructions with three
 * inputs; the four linear maps within rows in four lanes of 128 bits; eight blocks expanded at
 * once. One message. State: the words of the chaining value. CPU: AVX-512 (F, BW, DQ, VL) and GFNI.
 * Constant time: no address depends on data; its source is checked by
 * tests/native/constant_time_instructions.c. Best for: CPUs with GFNI.
 */
#if defined(__x86_64__)

#include "hamsi/hamsi_gfni.h"

#define CONSTANT(last, row) _mm256_load_si256((const __m256i *)hamsi_round_constants[last][row])
#define WORDS(...) _mm256_setr_epi32(__VA_ARGS__)

typedef struct {
    __m256i r0, r1, r2, r3;
} rows;

#define VEC __m256i
#define TERNARY(a, b, c, table) _mm256_ternarylogic_epi32(a, b, c, table)
#define ROTL(x, count) _mm256_rol_epi32(x, count)
#define SHIFT(x, count) _mm256_slli_epi32(x, count)

/* S-boxes, and the linear map of words i of row 0, i + 1 of row 1, i + 2 of row 2 and i + 3 of
 * row 3. Rows 1 to 3 remain rotated: their word i is word i + 1, i + 2 and i + 3 of the
 * specification. */
JM_INLINE rows columns(rows s) {
    SUBSTITUTE(s.r0, s.r1, s.r2, s.r3);
    s.r1 = _mm256_alignr_epi32(s.r1, s.r1, 1);
    s.r2 = _mm256_alignr_epi32(s.r2, s.r2, 2);
    s.r3 = _mm256_alignr_epi32(s.r3, s.r3, 3);
    DIFFUSE(s.r0, s.r1, s.r2, s.r3);
    return s;
}

#undef VEC
#undef TERNARY
#undef ROTL
#undef SHIFT
#define VEC __m128i
#define TERNARY(a, b, c, table) _mm_ternarylogic_epi32(a, b, c, table)
#define ROTL(x, count) _mm_rol_epi32(x, count)
#define SHIFT(x, count) _mm_slli_epi32(x, count)

/* The linear maps of words 0, 2, 5, 7 of row 0; 0, 3, 5, 6 of row 2; 1, 3, 4, 6 of row 1; and 1, 2,
 * 4, 7 of row 3: in lanes 0 to 3, in this order. The rows are rotated before, and in the
 * specification's order after. */
JM_INLINE rows within(rows s) {
    /* The first words of rows 0 and 2, then their second, third and fourth words; and the same of
     * rows 1 and 3. */
    const __m256i even =
        _mm256_permutex2var_epi32(s.r0, WORDS(0, 8 + 6, 2, 8 + 1, 5, 8 + 3, 7, 8 + 4), s.r2);
    const __m256i odd =
        _mm256_permutex2var_epi32(s.r1, WORDS(0, 8 + 6, 2, 8 + 7, 3, 8 + 1, 5, 8 + 4), s.r3);
    const __m256i ac = _mm256_unpacklo_epi64(even, odd), bd = _mm256_unpackhi_epi64(even, odd);
    __m128i a = _mm256_castsi256_si128(ac), c = _mm256_extracti128_si256(ac, 1);
    __m128i b = _mm256_castsi256_si128(bd), d = _mm256_extracti128_si256(bd, 1);
    DIFFUSE(a, b, c, d);
    const __m256i ac_after = _mm256_inserti128_si256(_mm256_castsi128_si256(a), c, 1);
    const __m256i bd_after = _mm256_inserti128_si256(_mm256_castsi128_si256(b), d, 1);
    const __m256i even_after = _mm256_unpacklo_epi64(ac_after, bd_after);
    const __m256i odd_after = _mm256_unpackhi_epi64(ac_after, bd_after);
    /* Indices below 8 take unchanged words of the rotated row, indices from 8 on changed words. */
    return (rows){
        _mm256_permutex2var_epi32(s.r0, WORDS(8, 1, 8 + 2, 3, 4, 8 + 4, 6, 8 + 6), even_after),
        _mm256_permutex2var_epi32(s.r1, WORDS(7, 8, 1, 8 + 2, 8 + 4, 4, 8 + 6, 6), odd_after),
        _mm256_permutex2var_epi32(s.r2, WORDS(8 + 1, 7, 0, 8 + 3, 2, 8 + 5, 8 + 7, 5), even_after),
        _mm256_permutex2var_epi32(s.r3, WORDS(5, 8 + 1, 8 + 3, 0, 8 + 5, 2, 3, 8 + 7), odd_after),
    };
}

/* P or P_f without its truncation. */
JM_INLINE rows permute(rows s, unsigned rounds, unsigned last) {
    for (unsigned round = 0; round < rounds; round++) {
        s.r0 = _mm256_ternarylogic_epi32(s.r0, CONSTANT(last, 0),
                                         WORDS(0, (int)round, 0, 0, 0, 0, 0, 0), 0x96);
        s.r1 = _mm256_xor_si256(s.r1, CONSTANT(last, 1));
        s.r2 = _mm256_xor_si256(s.r2, CONSTANT(last, 2));
        s.r3 = _mm256_xor_si256(s.r3, CONSTANT(last, 3));
        s = within(columns(s));
    }
    return s;
}

typedef uint64_t expanded[HAMSI_512_BLOCK_BYTES][HAMSI_AT_ONCE];

/* A row of two words of block `i` from m[g] and two from m[g + 1], which begin `at` 0 or 1 pairs
 * into the row; pairs `first` and `first` + 1 of the half `h` of the chaining value stand between
 * them. */
#define ROW(m, i, g, h, first, at)                                                                 \
    _mm256_mask_permutex_epi64(_mm256_mask_set1_epi64(_mm256_set1_epi64x((long long)(m)[g][i]),    \
                                                      0xc, (long long)(m)[(g) + 1][i]),            \
                               (at) ? 5 : 10, h, (first) * 5 + ((first) + 1) * 80)

static void hamsi_512_blocks(void *chain, const uint8_t *blocks, size_t count, bool ends) {
    _Alignas(64) expanded m;
    __m256i low = _mm256_load_si256(chain), high = _mm256_load_si256((__m256i *)chain + 1);
    while (count) {
        const size_t taken = count < HAMSI_AT_ONCE ? count : HAMSI_AT_ONCE;
        HAMSI_EXPAND(m, blocks, taken, HAMSI_512_BLOCK_BYTES, hamsi_512_matrices);
        for (size_t i = 0; i < taken; i++) {
            rows s = {ROW(m, i, 0, low, 0, 0), ROW(m, i, 2, low, 2, 1), ROW(m, i, 4, high, 0, 0),
                      ROW(m, i, 6, high, 2, 1)};
            if (ends && i + 1 == count)
                s = permute(s, HAMSI_512_LAST_ROUNDS, 1);
            else
                s = permute(s, HAMSI_512_ROUNDS, 0);
            low = _mm256_xor_si256(low, s.r0);
            high = _mm256_xor_si256(high, s.r2);
        }
        blocks += taken * HAMSI_512_BLOCK_BYTES;
        count -= taken;
    }
    _mm256_store_si256(chain, low);
    _mm256_store_si256((__m256i *)chain + 1, high);
    jm_wipe(m, sizeof m);
}

HAMSI_HASH(hamsi_512, "hamsi-512", gfni, JM_CPU_AVX512 | JM_CPU_GFNI, true,
           "AVX-512 vectors of 256 bits, GFNI for the expansion", HAMSI_512_BLOCK_BYTES,
           HAMSI_512_WORDS, 64)

#endif
