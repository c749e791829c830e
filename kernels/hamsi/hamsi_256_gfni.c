/* SPDX-License-Identifier: Apache-2.0
 *
 * Hamsi-256 (specification for round 2, section 2) with AVX-512VL and GFNI.
 *
 * Technique: a row of the state in a vector of four words; S-boxes of instructions with three
 * inputs; eight blocks expanded at once. One message. State: the words of the chaining value. CPU:
 * AVX-512 (F, BW, DQ, VL) and GFNI. Constant time: no address depends on data;
 * its source is checked by tests/native/constant_time_instructions.c. Best for: CPUs with GFNI.
 */
#if defined(__x86_64__)

#include "hamsi/hamsi_gfni.h"

#define VEC __m128i
#define TERNARY(a, b, c, table) _mm_ternarylogic_epi32(a, b, c, table)
#define ROTL(x, count) _mm_rol_epi32(x, count)
#define SHIFT(x, count) _mm_slli_epi32(x, count)

#define XOR3(a, b, c) TERNARY(a, b, c, 0x96)
#include "hamsi/hamsi_256_permute.h"

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

HAMSI_HASH(hamsi_256, "hamsi-256", gfni, JM_CPU_AVX512 | JM_CPU_GFNI, true,
           "AVX-512 vectors of 128 bits, GFNI for the expansion", HAMSI_256_BLOCK_BYTES,
           HAMSI_256_WORDS, 32)

#endif
