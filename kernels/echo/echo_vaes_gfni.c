/* SPDX-License-Identifier: Apache-2.0
 *
 * ECHO-256 and ECHO-512 (second round of the SHA-3 competition) with VAES and GFNI in 512-bit
 * registers. Technique: a register holds a row of the big state, lane j the row's word in column j.
 * A round of AES is an instruction for each row; BIG.ShiftRows rotates the lanes of a register,
 * BIG.MixColumns adds rows and their doubles. Latency bounds the time, about 18 core cycles a
 * round on AMD Zen 4; meanwhile the rows of the next block are loaded. CPU: AVX-512, VAES, GFNI.
 * Constant time: no table and no branch on data; its source is checked by
 * tests/native/constant_time_instructions.c. Best for: all messages. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "echo/echo.h"

typedef struct {
    __m512i row[4];
} rows;

#define XOR3(a_, b_, c_) _mm512_ternarylogic_epi64(a_, b_, c_, 0x96)

/* BIG.MixColumns, of rows after BIG.ShiftRows. */
JM_INLINE rows mix_columns(rows s) {
    const __m512i two = _mm512_set1_epi8(2);
    rows doubled, mixed;
    for (unsigned i = 0; i < 4; i++) doubled.row[i] = _mm512_gf2p8mul_epi8(s.row[i], two);
    for (unsigned i = 0; i < 4; i++) {
        const __m512i single = XOR3(s.row[(i + 1) % 4], s.row[(i + 2) % 4], s.row[(i + 3) % 4]);
        mixed.row[i] = XOR3(single, doubled.row[i], doubled.row[(i + 1) % 4]);
    }
    return mixed;
}

/* `key` has the counters of the words. */
JM_INLINE rows permute(rows s, rows key, unsigned rounds) {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i sixteen = _mm512_set_epi64(0, 16, 0, 16, 0, 16, 0, 16);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < 4; i++) s.row[i] = _mm512_aesenc_epi128(s.row[i], key.row[i]);
        for (unsigned i = 0; i < 4; i++) s.row[i] = _mm512_aesenc_epi128(s.row[i], zero);
        for (unsigned i = 0; i < 4; i++) key.row[i] = _mm512_add_epi64(key.row[i], sixteen);
        s.row[1] = _mm512_shuffle_i64x2(s.row[1], s.row[1], 0x39);
        s.row[2] = _mm512_shuffle_i64x2(s.row[2], s.row[2], 0x4e);
        s.row[3] = _mm512_shuffle_i64x2(s.row[3], s.row[3], 0x93);
        s = mix_columns(s);
    }
    return s;
}

/* Compresses with a chaining value of `columns` columns: lanes from `columns` on are the
 * block's. */
JM_INLINE void compress(uint8_t *value, const uint8_t *blocks, size_t count, uint64_t counter,
                        uint64_t step, unsigned columns, unsigned rounds) {
    const __m512i first = _mm512_set_epi64(0, 12, 0, 8, 0, 4, 0, 0);
    rows chain;
    for (unsigned i = 0; i < 4; i++) {
        chain.row[i] = _mm512_broadcast_i64x2(_mm_loadu_si128((const void *)(value + 16 * i)));
        if (columns == 2)
            chain.row[i] = _mm512_mask_broadcast_i64x2(
                chain.row[i], 0xcc, _mm_loadu_si128((const void *)(value + 64 + 16 * i)));
    }
    for (; count; count--, blocks += 64 * (4 - columns), counter += step) {
        rows state, key;
        for (unsigned i = 0; i < 4; i++) {
            __m512i row = chain.row[i];
            for (unsigned j = columns; j < 4; j++)
                row = _mm512_mask_broadcast_i64x2(
                    row, (__mmask8)(3u << 2 * j),
                    _mm_loadu_si128((const void *)(blocks + 64 * (j - columns) + 16 * i)));
            state.row[i] = row;
            key.row[i] =
                _mm512_add_epi64(first, _mm512_maskz_set1_epi64(0x55, (long long)(counter + i)));
        }
        const rows permuted = permute(state, key, rounds);
        /* BIG.Final: the sum of all columns, in every lane. */
        for (unsigned i = 0; i < 4; i++) {
            const __m512i both = _mm512_xor_si512(state.row[i], permuted.row[i]);
            __m512i sum = _mm512_xor_si512(both, _mm512_shuffle_i64x2(both, both, 0x4e));
            if (columns == 1) sum = _mm512_xor_si512(sum, _mm512_shuffle_i64x2(sum, sum, 0xb1));
            chain.row[i] = sum;
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        _mm_storeu_si128((void *)(value + 16 * i), _mm512_castsi512_si128(chain.row[i]));
        if (columns == 2)
            _mm_storeu_si128((void *)(value + 64 + 16 * i),
                             _mm512_extracti64x2_epi64(chain.row[i], 1));
    }
}

static void compress_256(const echo_sizes *sizes, uint8_t *value, const uint8_t *blocks,
                         size_t count, uint64_t counter, uint64_t step) {
    (void)sizes;
    compress(value, blocks, count, counter, step, 1, 8);
}
static void compress_512(const echo_sizes *sizes, uint8_t *value, const uint8_t *blocks,
                         size_t count, uint64_t counter, uint64_t step) {
    (void)sizes;
    compress(value, blocks, count, counter, step, 2, 10);
}

JM_ECHO_VARIANT(vaes_gfni, JM_CPU_AVX512 | JM_CPU_VAES | JM_CPU_GFNI | JM_CPU_AESNI, true,
                "a row of the state in a 512-bit register")

#endif
