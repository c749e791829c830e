/* SPDX-License-Identifier: Apache-2.0
 *
 * Groestl of both rounds of the SHA-3 competition with AES-NI.
 * Technique: a 128-bit register holds a row of 16 columns, or with 8 columns the rows of P and Q
 * side by side. SubBytes is AES's last round, whose ShiftRows is undone by the shuffle that also
 *   does ShiftBytes; MixBytes adds registers, doubled by addition. State: the rows of groestl.h.
 * CPU: AES-NI, SSE4.1. Constant time: no table look-up and no branch on data; checked by
 *   tests/native/constant_time.c. Best for: CPUs without GFNI or AVX-512. */
#if defined(__x86_64__)
#include <tmmintrin.h>
#include <wmmintrin.h>

#include "groestl/groestl.h"

JM_INLINE __m128i add(__m128i a, __m128i b) {
    return _mm_xor_si128(a, b);
}

/* Each byte times x in GF(2^8). */
JM_INLINE __m128i doubled(__m128i bytes) {
    const __m128i carried = _mm_cmpgt_epi8(_mm_setzero_si128(), bytes);
    return add(_mm_add_epi8(bytes, bytes), _mm_and_si128(carried, _mm_set1_epi8(0x1b)));
}

/* ShiftRows brings byte 5 i modulo 16 to byte i, and so byte i to byte 13 i: byte i before it must
 * be byte 13 i of the shifted row. `p_` and `q_` rotate the halves of a row, or `p_` a row of 16
 * bytes. */
#define NARROW_BYTE(i_, p_, q_)                                                                    \
    (13 * (i_) % 16 < 8 ? (13 * (i_) + (p_)) % 8 : 8 + (13 * (i_) + (q_)) % 8)
#define WIDE_BYTE(i_, p_, q_) ((13 * (i_) + (p_)) % 16)
#define SHIFTED(BYTE_, p_, q_)                                                                     \
    {BYTE_(0, p_, q_),  BYTE_(1, p_, q_),  BYTE_(2, p_, q_),  BYTE_(3, p_, q_),                    \
     BYTE_(4, p_, q_),  BYTE_(5, p_, q_),  BYTE_(6, p_, q_),  BYTE_(7, p_, q_),                    \
     BYTE_(8, p_, q_),  BYTE_(9, p_, q_),  BYTE_(10, p_, q_), BYTE_(11, p_, q_),                   \
     BYTE_(12, p_, q_), BYTE_(13, p_, q_), BYTE_(14, p_, q_), BYTE_(15, p_, q_)}
#define NARROW(p_, q_) SHIFTED(NARROW_BYTE, p_, q_)
#define WIDE(p_) SHIFTED(WIDE_BYTE, p_, p_)

/* groestl_shifts_p and groestl_shifts_q as shuffles: for P and Q together in the final and the
 * second round, for P with 16 columns, and for Q with 16 columns in the final round. */
static const _Alignas(16) uint8_t shifts_narrow[2][8][16] = {
    {NARROW(0, 1), NARROW(1, 3), NARROW(2, 5), NARROW(3, 7), NARROW(4, 0), NARROW(5, 2),
     NARROW(6, 4), NARROW(7, 6)},
    {NARROW(0, 0), NARROW(1, 1), NARROW(2, 2), NARROW(3, 3), NARROW(4, 4), NARROW(5, 5),
     NARROW(6, 6), NARROW(7, 7)},
};
static const _Alignas(16) uint8_t shifts_wide[2][8][16] = {
    {WIDE(0), WIDE(1), WIDE(2), WIDE(3), WIDE(4), WIDE(5), WIDE(6), WIDE(11)},
    {WIDE(1), WIDE(3), WIDE(5), WIDE(11), WIDE(0), WIDE(2), WIDE(4), WIDE(6)},
};

/* The constants of AddRoundConstant for row 0, for row 7 and for all others, and the changes of the
 * first two, byte for byte, from round to round. */
typedef struct {
    __m128i first, last, others, first_step, last_step;
} constants;

#define COLUMNS_0_TO_7 0x7060504030201000
#define COLUMNS_8_TO_15 ((long long)0xf0e0d0c0b0a09080)
#define ONES 0x0101010101010101

JM_INLINE constants constants_narrow(bool round2) {
    const __m128i zero = _mm_setzero_si128();
    if (round2)
        return (constants){zero, _mm_set_epi64x(0xff, 0), zero, _mm_set_epi64x(0, 1),
                           _mm_set_epi64x(0xff, 0)};
    return (constants){_mm_set_epi64x(-1, COLUMNS_0_TO_7), _mm_set_epi64x(~COLUMNS_0_TO_7, 0),
                       _mm_set_epi64x(-1, 0), _mm_set_epi64x(0, ONES), _mm_set_epi64x(-1, 0)};
}
JM_INLINE constants constants_p(bool round2) {
    const __m128i zero = _mm_setzero_si128();
    if (round2) return (constants){zero, zero, zero, _mm_set_epi64x(0, 1), zero};
    return (constants){_mm_set_epi64x(COLUMNS_8_TO_15, COLUMNS_0_TO_7), zero, zero,
                       _mm_set1_epi8(1), zero};
}
JM_INLINE constants constants_q(bool round2) {
    const __m128i zero = _mm_setzero_si128(), ones = _mm_set1_epi8(-1);
    if (round2)
        return (constants){zero, _mm_set_epi64x(0, 0xff), zero, zero, _mm_set_epi64x(0, 0xff)};
    return (constants){ones, _mm_set_epi64x(~COLUMNS_8_TO_15, ~COLUMNS_0_TO_7), ones, zero, ones};
}

JM_ONCE void permute(__m128i x[8], unsigned rounds, const uint8_t shifts[8][16], constants c) {
    for (unsigned round = 0; round < rounds; round++) {
        __m128i s[8], t[8], sum[8]; /* rows, sums of two neighbouring rows, sums of five */
        for (unsigned r = 0; r < 8; r++) {
            const __m128i constant = r == 0 ? c.first : r == 7 ? c.last : c.others;
            const __m128i shifted =
                _mm_shuffle_epi8(add(x[r], constant), _mm_load_si128((const void *)shifts[r]));
            s[r] = _mm_aesenclast_si128(shifted, _mm_setzero_si128());
        }
        c.first = _mm_add_epi8(c.first, c.first_step);
        c.last = _mm_add_epi8(c.last, c.last_step);
        for (unsigned r = 0; r < 8; r++) t[r] = add(s[r], s[(r + 1) % 8]);
        for (unsigned r = 0; r < 8; r++) sum[r] = add(add(t[r], t[(r + 2) % 8]), s[(r + 6) % 8]);
        for (unsigned r = 0; r < 8; r++) {
            const __m128i fours = add(t[(r + 3) % 8], t[(r + 6) % 8]);
            x[r] = add(sum[(r + 4) % 8], doubled(add(sum[(r + 7) % 8], doubled(fours))));
        }
    }
}

/* Loads as rows the eight columns at `first` and the eight at `second`, which may be the same. */
JM_INLINE void load_rows(__m128i x[8], const uint8_t *first, const uint8_t *second) {
    const __m128i pairs = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    __m128i a[8], b[8];
    for (unsigned i = 0; i < 8; i++)
        a[i] = _mm_shuffle_epi8(
            _mm_loadu_si128((const void *)((i < 4 ? first : second) + 16 * (i % 4))), pairs);
    for (unsigned i = 0; i < 8; i += 2) {
        b[i] = _mm_unpacklo_epi16(a[i], a[i + 1]);
        b[i + 1] = _mm_unpackhi_epi16(a[i], a[i + 1]);
    }
    for (unsigned i = 0; i < 2; i++)
        for (unsigned half = 0; half < 2; half++) {
            a[4 * half + 2 * i] = _mm_unpacklo_epi32(b[4 * half + i], b[4 * half + i + 2]);
            a[4 * half + 2 * i + 1] = _mm_unpackhi_epi32(b[4 * half + i], b[4 * half + i + 2]);
        }
    for (unsigned i = 0; i < 4; i++) {
        x[2 * i] = _mm_unpacklo_epi64(a[i], a[4 + i]);
        x[2 * i + 1] = _mm_unpackhi_epi64(a[i], a[4 + i]);
    }
}

/* The rows of `value` have zeros in the half of Q's rows. */
JM_INLINE void compress_narrow(groestl_rows *value, const uint8_t *blocks, size_t count,
                               bool round2) {
    __m128i *const chain = (void *)value->row;
    __m128i x[8];
    for (; count; count--, blocks += 64) {
        load_rows(x, blocks, blocks);
        for (unsigned r = 0; r < 8; r++) x[r] = add(x[r], chain[r]);
        permute(x, 10, shifts_narrow[round2], constants_narrow(round2));
        for (unsigned r = 0; r < 8; r++)
            chain[r] = add(chain[r], _mm_move_epi64(add(x[r], _mm_unpackhi_epi64(x[r], x[r]))));
    }
    jm_wipe(x, sizeof x);
}
JM_INLINE void output_narrow(groestl_rows *value, bool round2) {
    __m128i *const chain = (void *)value->row;
    __m128i x[8];
    for (unsigned r = 0; r < 8; r++) x[r] = chain[r];
    permute(x, 10, shifts_narrow[round2], constants_narrow(round2));
    for (unsigned r = 0; r < 8; r++) chain[r] = add(chain[r], x[r]);
    jm_wipe(x, sizeof x);
}

JM_INLINE void compress_wide(groestl_rows *value, const uint8_t *blocks, size_t count,
                             bool round2) {
    __m128i *const chain = (void *)value->row;
    __m128i p[8], q[8];
    for (; count; count--, blocks += 128) {
        load_rows(q, blocks, blocks + 64);
        for (unsigned r = 0; r < 8; r++) p[r] = add(q[r], chain[r]);
        permute(p, 14, shifts_wide[0], constants_p(round2));
        permute(q, 14, shifts_wide[!round2], constants_q(round2));
        for (unsigned r = 0; r < 8; r++) chain[r] = add(chain[r], add(p[r], q[r]));
    }
    jm_wipe(p, sizeof p);
    jm_wipe(q, sizeof q);
}
JM_INLINE void output_wide(groestl_rows *value, bool round2) {
    __m128i *const chain = (void *)value->row;
    __m128i p[8];
    for (unsigned r = 0; r < 8; r++) p[r] = chain[r];
    permute(p, 14, shifts_wide[0], constants_p(round2));
    for (unsigned r = 0; r < 8; r++) chain[r] = add(chain[r], p[r]);
    jm_wipe(p, sizeof p);
}

JM_GROESTL_BY_SHAPE
JM_GROESTL_VARIANT(aesni, JM_CPU_AESNI | JM_CPU_SSE41, true, "rows in 128-bit registers")

#endif
