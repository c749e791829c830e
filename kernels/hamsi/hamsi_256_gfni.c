/* SPDX-License-Identifier: Apache-2.0
 *
 * Hamsi-256 (specification for round 2, section 2) with AVX-512VL and GFNI.
 *
 * Technique: a row of the state in a vector of four words; S-boxes of instructions with three
 * inputs; eight blocks expanded at once. One message. State: the words of the chaining value. CPU:
 * AVX-512 (F, BW, DQ, VL) and GFNI. Constant time: not claimed, since valgrind runs neither AVX-512
 * nor GFNI; no address depends on data. Best for: CPUs that have it.
 */
#if defined(__x86_64__)

#include "hamsi/hamsi_expand_gfni.h"
#include "hamsi/hamsi_ternary.h"

#define VEC __m128i
#define TERNARY(a, b, c, table) _mm_ternarylogic_epi32(a, b, c, table)
#define ROTL(x, count) _mm_rol_epi32(x, count)
#define SHIFT(x, count) _mm_slli_epi32(x, count)

#define CONSTANT(last, row) _mm_load_si128((const __m128i *)hamsi_round_constants[last][row])

/* P or P_f without its truncation. */
JM_INLINE void permute(__m128i r[4], unsigned rounds, unsigned last) {
    __m128i r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
    for (unsigned round = 0; round < rounds; round++) {
        r0 = TERNARY(r0, CONSTANT(last, 0), _mm_setr_epi32(0, (int)round, 0, 0), 0x96);
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

typedef uint64_t expanded[HAMSI_256_BLOCK_BYTES][HAMSI_AT_ONCE];

static void hamsi_256_blocks(void *chain, const uint8_t *blocks, size_t count, bool ends) {
    _Alignas(64) expanded m;
    __m128i low = _mm_load_si128(chain), high = _mm_load_si128((__m128i *)chain + 1);
    while (count) {
        const size_t taken = count < HAMSI_AT_ONCE ? count : HAMSI_AT_ONCE;
        HAMSI_EXPAND(m, blocks, taken, HAMSI_256_BLOCK_BYTES, hamsi_256_matrices);
        for (size_t i = 0; i < taken; i++) {
            __m128i r[4] = {_mm_unpacklo_epi64(_mm_loadl_epi64((__m128i *)&m[0][i]), low),
                            _mm_unpackhi_epi64(low, _mm_set1_epi64x((long long)m[1][i])),
                            _mm_unpacklo_epi64(_mm_loadl_epi64((__m128i *)&m[2][i]), high),
                            _mm_unpackhi_epi64(high, _mm_set1_epi64x((long long)m[3][i]))};
            if (ends && i + 1 == count)
                permute(r, HAMSI_256_LAST_ROUNDS, 1);
            else
                permute(r, HAMSI_256_ROUNDS, 0);
            low = _mm_xor_si128(low, r[0]);
            high = _mm_xor_si128(high, r[2]);
        }
        blocks += taken * HAMSI_256_BLOCK_BYTES;
        count -= taken;
    }
    _mm_store_si128(chain, low);
    _mm_store_si128((__m128i *)chain + 1, high);
    jm_wipe(m, sizeof m);
}

HAMSI_HASH(hamsi_256, "hamsi-256", gfni, JM_CPU_AVX512 | JM_CPU_GFNI, false,
           "AVX-512 vectors of 128 bits, GFNI for the expansion", HAMSI_256_BLOCK_BYTES,
           HAMSI_256_WORDS, 32)

#endif
