/* SPDX-License-Identifier: Apache-2.0
 *
 * Groestl of both rounds of the SHA-3 competition with GFNI in 256-bit registers.
 * Technique: P and Q side by side. With 16 columns a register holds a row of P and the same row of
 *   Q; with 8 columns these two fill half a register, and a register holds two rows. SubBytes is an
 *   instruction, ShiftBytes a shuffle within lanes, and MixBytes adds registers times 1, 2 and 4:
 *   with 8 columns, also registers that begin with an odd row. A round's constant is added with the
 *   sums of the round before. State: the rows of groestl.h. CPU: AVX-512 (its 32 registers and
 *   three-input logic), GFNI. Constant time: no table and no branch on data; its source
 *   is checked by tests/native/constant_time_instructions.c. Best for: all messages. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "groestl/groestl.h"

#define XOR3(a_, b_, c_) _mm256_ternarylogic_epi64(a_, b_, c_, 0x96)

/* Indices of 8 or of 16 bytes of a lane from `at_` on, rotated to the left. */
#define SHIFTED_8(at_, by_)                                                                        \
    (at_) + (0 + (by_)) % 8, (at_) + (1 + (by_)) % 8, (at_) + (2 + (by_)) % 8,                     \
        (at_) + (3 + (by_)) % 8, (at_) + (4 + (by_)) % 8, (at_) + (5 + (by_)) % 8,                 \
        (at_) + (6 + (by_)) % 8, (at_) + (7 + (by_)) % 8
#define NARROW(p_, q_) SHIFTED_8(0, p_), SHIFTED_8(8, q_)
#define SHIFTED_16(by_)                                                                            \
    (0 + (by_)) % 16, (1 + (by_)) % 16, (2 + (by_)) % 16, (3 + (by_)) % 16, (4 + (by_)) % 16,      \
        (5 + (by_)) % 16, (6 + (by_)) % 16, (7 + (by_)) % 16, (8 + (by_)) % 16, (9 + (by_)) % 16,  \
        (10 + (by_)) % 16, (11 + (by_)) % 16, (12 + (by_)) % 16, (13 + (by_)) % 16,                \
        (14 + (by_)) % 16, (15 + (by_)) % 16
#define WIDE(p_, q_) SHIFTED_16(p_), SHIFTED_16(q_)

/* groestl_shifts_p and groestl_shifts_q as shuffles, for the final and for the second round. */
static const _Alignas(32) uint8_t shifts_narrow[2][4][32] = {
    {{NARROW(0, 1), NARROW(1, 3)},
     {NARROW(2, 5), NARROW(3, 7)},
     {NARROW(4, 0), NARROW(5, 2)},
     {NARROW(6, 4), NARROW(7, 6)}},
    {{NARROW(0, 0), NARROW(1, 1)},
     {NARROW(2, 2), NARROW(3, 3)},
     {NARROW(4, 4), NARROW(5, 5)},
     {NARROW(6, 6), NARROW(7, 7)}},
};
static const _Alignas(32) uint8_t shifts_wide[2][8][32] = {
    {{WIDE(0, 1)},
     {WIDE(1, 3)},
     {WIDE(2, 5)},
     {WIDE(3, 11)},
     {WIDE(4, 0)},
     {WIDE(5, 2)},
     {WIDE(6, 4)},
     {WIDE(11, 6)}},
    {{WIDE(0, 0)},
     {WIDE(1, 1)},
     {WIDE(2, 2)},
     {WIDE(3, 3)},
     {WIDE(4, 4)},
     {WIDE(5, 5)},
     {WIDE(6, 6)},
     {WIDE(11, 11)}},
};

#define COLUMNS_0_TO_7 0x7060504030201000
#define COLUMNS_8_TO_15 ((long long)0xf0e0d0c0b0a09080)
#define ONES 0x0101010101010101

/* The constants of AddRoundConstant for the first register, for the last and for those between, and
 * the changes of the first two, byte for byte, from round to round. */
typedef struct {
    __m256i first, last, others, first_step, last_step;
} constants;

JM_INLINE constants constants_narrow(bool round2) {
    const __m256i zero = _mm256_setzero_si256();
    if (round2)
        return (constants){zero, _mm256_set_epi64x(0xff, 0, 0, 0), zero,
                           _mm256_set_epi64x(0, 0, 0, 1), _mm256_set_epi64x(0xff, 0, 0, 0)};
    return (constants){_mm256_set_epi64x(-1, 0, -1, COLUMNS_0_TO_7),
                       _mm256_set_epi64x(~COLUMNS_0_TO_7, 0, -1, 0),
                       _mm256_set_epi64x(-1, 0, -1, 0), _mm256_set_epi64x(0, 0, 0, ONES),
                       _mm256_set_epi64x(-1, 0, 0, 0)};
}
JM_INLINE constants constants_wide(bool round2) {
    const __m256i zero = _mm256_setzero_si256();
    if (round2)
        return (constants){zero, _mm256_set_epi64x(0, 0xff, 0, 0), zero,
                           _mm256_set_epi64x(0, 0, 0, 1), _mm256_set_epi64x(0, 0xff, 0, 0)};
    return (constants){_mm256_set_epi64x(-1, -1, COLUMNS_8_TO_15, COLUMNS_0_TO_7),
                       _mm256_set_epi64x(~COLUMNS_8_TO_15, ~COLUMNS_0_TO_7, 0, 0),
                       _mm256_set_epi64x(-1, -1, 0, 0), _mm256_set_epi64x(0, 0, ONES, ONES),
                       _mm256_set_epi64x(-1, -1, 0, 0)};
}

/* The constant of register `at` of `registers`. */
JM_INLINE __m256i constant_of(const constants *c, unsigned at, unsigned registers) {
    return at == 0 ? c->first : at + 1 == registers ? c->last : c->others;
}

/* P and Q on `registers` registers, 4 or 8, whose first rows are 8 / registers apart. */
JM_INLINE void permute(__m256i x[8], unsigned registers, unsigned rounds,
                       const uint8_t shifts[][32], constants c) {
    const __m256i s_box = _mm256_set1_epi64x((long long)0xf1e3c78f1f3e7cf8);
    const __m256i two = _mm256_set1_epi8(2), four = _mm256_set1_epi8(4);
    const unsigned apart = 8 / registers;
    __m256i shift[8];
    for (unsigned i = 0; i < registers; i++) {
        shift[i] = _mm256_load_si256((const void *)shifts[i]);
        x[i] = _mm256_xor_si256(x[i], constant_of(&c, i, registers));
    }
    for (unsigned round = 0; round < rounds; round++) {
        __m256i s[8], t[8]; /* the register from a row on, and its sum with the next row's */
        for (unsigned i = 0; i < registers; i++)
            s[apart * i] =
                _mm256_gf2p8affineinv_epi64_epi8(_mm256_shuffle_epi8(x[i], shift[i]), s_box, 0x63);
        if (apart == 2)
            for (unsigned r = 1; r < 8; r += 2)
                s[r] = _mm256_permute2x128_si256(s[r - 1], s[(r + 1) % 8], 0x21);
        for (unsigned r = 0; r < 8; r++) t[r] = _mm256_xor_si256(s[r], s[(r + 1) % 8]);
        c.first = _mm256_add_epi8(c.first, c.first_step);
        c.last = _mm256_add_epi8(c.last, c.last_step);
        for (unsigned i = 0; i < registers; i++) {
            const unsigned r = apart * i;
            const __m256i fours = _mm256_xor_si256(t[(r + 3) % 8], t[(r + 6) % 8]);
            const __m256i twos = XOR3(t[(r + 7) % 8], t[(r + 1) % 8], s[(r + 5) % 8]);
            const __m256i ones = XOR3(s[(r + 2) % 8], t[(r + 4) % 8], t[(r + 6) % 8]);
            x[i] = XOR3(_mm256_xor_si256(ones, constant_of(&c, i, registers)),
                        _mm256_gf2p8mul_epi8(twos, two), _mm256_gf2p8mul_epi8(fours, four));
        }
    }
    /* Takes back the constant that was added for the round after the last. */
    for (unsigned i = 0; i < registers; i++)
        x[i] = _mm256_xor_si256(x[i], constant_of(&c, i, registers));
}

/* Turns two columns in a lane into pairs of bytes of each row, and back. */
#define PAIRS                                                                                      \
    _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15))

/* Loads the 8 columns of a block as rows, each twice in a lane. */
JM_INLINE void load_narrow(__m256i x[4], const uint8_t *block) {
    const __m512i pairs = _mm512_shuffle_epi8(_mm512_loadu_si512(block), PAIRS);
    const __m512i rows =
        _mm512_set_epi16(27, 19, 11, 3, 27, 19, 11, 3, 26, 18, 10, 2, 26, 18, 10, 2, 25, 17, 9, 1,
                         25, 17, 9, 1, 24, 16, 8, 0, 24, 16, 8, 0);
    const __m512i top = _mm512_permutexvar_epi16(rows, pairs);
    const __m512i bottom =
        _mm512_permutexvar_epi16(_mm512_add_epi16(rows, _mm512_set1_epi16(4)), pairs);
    x[0] = _mm512_castsi512_si256(top), x[1] = _mm512_extracti64x4_epi64(top, 1);
    x[2] = _mm512_castsi512_si256(bottom), x[3] = _mm512_extracti64x4_epi64(bottom, 1);
}

/* Loads the 16 columns of a block as rows, each in both lanes. */
JM_INLINE void load_wide(__m256i x[8], const uint8_t *block) {
    const __m512i first = _mm512_shuffle_epi8(_mm512_loadu_si512(block), PAIRS);
    const __m512i second = _mm512_shuffle_epi8(_mm512_loadu_si512(block + 64), PAIRS);
    const __m512i two_rows =
        _mm512_set_epi16(57, 49, 41, 33, 25, 17, 9, 1, 57, 49, 41, 33, 25, 17, 9, 1, 56, 48, 40, 32,
                         24, 16, 8, 0, 56, 48, 40, 32, 24, 16, 8, 0);
    for (short r = 0; r < 8; r += 2) {
        const __m512i rows = _mm512_permutex2var_epi16(
            first, _mm512_add_epi16(two_rows, _mm512_set1_epi16(r)), second);
        x[r] = _mm512_castsi512_si256(rows), x[r + 1] = _mm512_extracti64x4_epi64(rows, 1);
    }
}

/* `value` holds P's half of each register, and zeros in Q's half. */
JM_INLINE void compress_narrow(groestl_rows *value, const uint8_t *blocks, size_t count,
                               bool round2) {
    __m256i chain[4], x[8];
    for (unsigned i = 0; i < 4; i++) chain[i] = _mm256_load_si256((const void *)value->row[2 * i]);
    for (; count; count--, blocks += 64) {
        load_narrow(x, blocks);
        for (unsigned i = 0; i < 4; i++) x[i] = _mm256_xor_si256(x[i], chain[i]);
        permute(x, 4, 10, shifts_narrow[round2], constants_narrow(round2));
        for (unsigned i = 0; i < 4; i++) {
            const __m256i swapped = _mm256_shuffle_epi32(x[i], 0x4e);
            chain[i] = XOR3(chain[i], x[i], swapped);
        }
        for (unsigned i = 0; i < 4; i++) chain[i] = _mm256_maskz_mov_epi64(0x5, chain[i]);
    }
    for (unsigned i = 0; i < 4; i++) _mm256_store_si256((void *)value->row[2 * i], chain[i]);
}
JM_INLINE void output_narrow(groestl_rows *value, bool round2) {
    __m256i chain[4], x[8];
    for (unsigned i = 0; i < 4; i++)
        x[i] = chain[i] = _mm256_load_si256((const void *)value->row[2 * i]);
    permute(x, 4, 10, shifts_narrow[round2], constants_narrow(round2));
    for (unsigned i = 0; i < 4; i++)
        _mm256_store_si256((void *)value->row[2 * i], _mm256_xor_si256(x[i], chain[i]));
}

JM_INLINE void compress_wide(groestl_rows *value, const uint8_t *blocks, size_t count,
                             bool round2) {
    __m256i x[8];
    for (; count; count--, blocks += 128) {
        load_wide(x, blocks);
        for (unsigned r = 0; r < 8; r++)
            x[r] = _mm256_xor_si256(
                x[r], _mm256_zextsi128_si256(_mm_load_si128((const void *)value->row[r])));
        permute(x, 8, 14, shifts_wide[round2], constants_wide(round2));
        for (unsigned r = 0; r < 8; r++) {
            const __m128i both =
                _mm_xor_si128(_mm256_castsi256_si128(x[r]), _mm256_extracti128_si256(x[r], 1));
            __m128i *const row = (void *)value->row[r];
            _mm_store_si128(row, _mm_xor_si128(_mm_load_si128(row), both));
        }
    }
}
JM_INLINE void output_wide(groestl_rows *value, bool round2) {
    __m256i x[8];
    for (unsigned r = 0; r < 8; r++)
        x[r] = _mm256_zextsi128_si256(_mm_load_si128((const void *)value->row[r]));
    permute(x, 8, 14, shifts_wide[round2], constants_wide(round2));
    for (unsigned r = 0; r < 8; r++) {
        __m128i *const row = (void *)value->row[r];
        _mm_store_si128(row, _mm_xor_si128(_mm_load_si128(row), _mm256_castsi256_si128(x[r])));
    }
}

JM_GROESTL_BY_SHAPE
JM_GROESTL_VARIANT(gfni, JM_CPU_AVX512 | JM_CPU_GFNI, true, "P and Q side by side, rows in lanes")

#endif
