/* SPDX-License-Identifier: Apache-2.0
 *
 * Fugue in 128-bit registers.
 *
 * The includer defines, above: super_mix, SMIX of the four columns of a register, whose result is
 * rotated by one column, the first column last.
 *
 * Three columns are a group, in the lower lanes of a register, whose highest lane is 0. A rotation
 * by three columns moves groups, and so costs nothing: groups lie in memory, and the place of the
 * first moves down. Only SMIX's result, which the next round needs at once, is kept in a register,
 * as columns 1, 2, 3 and 0. After the rotation these are columns 4, 5, 6 and 3, and CMIX adds the
 * first three to columns 0 to 2: the next SMIX takes the sum of two registers. */
#ifndef JM_FUGUE_GROUPS_H
#define JM_FUGUE_GROUPS_H

#include <smmintrin.h>

#include "fugue/fugue.h"

enum { GROUPS_MAX = 12, GROUPS_ROOM = 64 };

JM_INLINE __m128i lane(unsigned at, __m128i from) { /* all other lanes 0 */
    const __m128i zero = _mm_setzero_si128();
    return at == 0   ? _mm_blend_epi16(zero, from, 0x03)
           : at == 1 ? _mm_blend_epi16(zero, from, 0x0c)
           : at == 2 ? _mm_blend_epi16(zero, from, 0x30)
                     : _mm_blend_epi16(zero, from, 0xc0);
}
JM_INLINE __m128i add(__m128i a, __m128i b) {
    return _mm_xor_si128(a, b);
}

/* In the functions below `s` points to the groups, of which s[0] and column 3, the first of s[1],
 * are out of date: `mixed` has the current columns 1, 2, 3 and 0. `mixed` is passed by value and
 * never read from memory, where it would wait for stores. */

JM_INLINE void settle(__m128i *s, __m128i mixed) {
    const __m128i in_order = _mm_shuffle_epi32(mixed, _MM_SHUFFLE(2, 1, 0, 3));
    const __m128i fourth = _mm_shuffle_epi32(mixed, _MM_SHUFFLE(2, 2, 2, 2));
    s[0] = _mm_blend_epi16(in_order, _mm_setzero_si128(), 0xc0);
    s[1] = _mm_blend_epi16(s[1], fourth, 0x03);
}

/* TIX: column 0 is lane 3 of `mixed`, column 1 lane 0. */
JM_INLINE __m128i insert_word(__m128i *s, __m128i mixed, unsigned count, uint32_t word) {
    const __m128i before = _mm_shuffle_epi32(mixed, _MM_SHUFFLE(3, 3, 3, 3));
    const __m128i here = _mm_set1_epi32((int)word);
    const unsigned at = count == 10 ? 3 : 7; /* column 10 or 22 */
    s[at] = add(s[at], lane(1, before));
    s[2] = add(s[2], lane(2, here)); /* column 8 */
    if (count == 12) {
        const __m128i column27 = _mm_shuffle_epi32(s[9], 0);
        const __m128i column30 = _mm_shuffle_epi32(s[10], 0);
        s[1] = add(s[1], lane(1, column27)); /* column 4 */
        s[2] = add(s[2], lane(1, column30)); /* column 7 */
    }
    /* Adds column 24 to column 1. */
    return add(_mm_blend_epi16(mixed, here, 0xc0), lane(0, s[8]));
}

/* The rotation, CMIX and SMIX: afterwards the first group is s[-1]. */
JM_INLINE __m128i round_of_groups(__m128i *s, __m128i mixed, unsigned count) {
    const __m128i next = super_mix(add(s[count - 1], mixed));
    settle(s, mixed);
    __m128i *const half = &s[count / 2 - 1]; /* from column 15 or 18 on, after the rotation */
    *half = add(*half, _mm_blend_epi16(mixed, _mm_setzero_si128(), 0xc0));
    return next;
}

JM_INLINE void absorb_groups(unsigned count, unsigned rounds, fugue_state *state,
                             const uint8_t *words, size_t word_count, unsigned more) {
    __m128i memory[GROUPS_ROOM + GROUPS_MAX];
    __m128i *const top = memory + GROUPS_ROOM, *s = top;
    for (unsigned i = 0; i < count; i++)
        s[i] = _mm_setr_epi32((int)state->column[3 * i], (int)state->column[3 * i + 1],
                              (int)state->column[3 * i + 2], 0);
    __m128i mixed = _mm_setr_epi32((int)state->column[1], (int)state->column[2],
                                   (int)state->column[3], (int)state->column[0]);
    while (word_count || more) {
        if (s - memory < (ptrdiff_t)rounds) { /* no room below the groups */
            for (unsigned i = count; i-- > 0;) top[i] = s[i];
            s = top;
        }
        if (word_count) {
            mixed = insert_word(s, mixed, count, load_le32(words));
            for (unsigned i = 0; i < rounds; i++) mixed = round_of_groups(s--, mixed, count);
            words += FUGUE_WORD_BYTES;
            word_count--;
        } else {
            mixed = round_of_groups(s--, mixed, count);
            more--;
        }
    }
    settle(s, mixed);
    for (unsigned i = 0; i < count; i++) {
        state->column[3 * i] = (uint32_t)_mm_extract_epi32(s[i], 0);
        state->column[3 * i + 1] = (uint32_t)_mm_extract_epi32(s[i], 1);
        state->column[3 * i + 2] = (uint32_t)_mm_extract_epi32(s[i], 2);
    }
    jm_wipe(memory, sizeof memory);
}

static void absorb(const fugue_kind *kind, fugue_state *state, const uint8_t *words, size_t count,
                   unsigned more) {
    if (kind->columns == 30)
        absorb_groups(10, 2, state, words, count, more);
    else
        absorb_groups(12, 4, state, words, count, more);
}

JM_INLINE void smix(uint32_t columns[4]) {
    const __m128i mixed = super_mix(
        _mm_setr_epi32((int)columns[0], (int)columns[1], (int)columns[2], (int)columns[3]));
    columns[0] = (uint32_t)_mm_extract_epi32(mixed, 3);
    columns[1] = (uint32_t)_mm_cvtsi128_si32(mixed);
    columns[2] = (uint32_t)_mm_extract_epi32(mixed, 1);
    columns[3] = (uint32_t)_mm_extract_epi32(mixed, 2);
}

/* Shuffles for the bytes that super_mix adds up, for columns c = 1, 2, 3, 0 of the result in this
 * order. For M times the bytes: in row i, byte i + d of column k = c + i, times 1, 4, 7 or 1 for d
 * = 0 to 3. For row i's sum: the row's bytes except the byte of column i, the same for all c; the
 * sum is taken 1, 7, 4 and 1 times. PLACE_ gives the place of a byte of the state. */
#define PRODUCT(PLACE_, d_)                                                                        \
    _mm_setr_epi8(PRODUCT_COLUMN(PLACE_, 1, d_), PRODUCT_COLUMN(PLACE_, 2, d_),                    \
                  PRODUCT_COLUMN(PLACE_, 3, d_), PRODUCT_COLUMN(PLACE_, 0, d_))
#define PRODUCT_COLUMN(PLACE_, c_, d_)                                                             \
    PLACE_(((c_) + 0) % 4, (0 + (d_)) % 4), PLACE_(((c_) + 1) % 4, (1 + (d_)) % 4),                \
        PLACE_(((c_) + 2) % 4, (2 + (d_)) % 4), PLACE_(((c_) + 3) % 4, (3 + (d_)) % 4)
#define OF_ROW(PLACE_, d_)                                                                         \
    _mm_setr_epi8(ROW_COLUMN(PLACE_, d_), ROW_COLUMN(PLACE_, d_), ROW_COLUMN(PLACE_, d_),          \
                  ROW_COLUMN(PLACE_, d_))
#define ROW_COLUMN(PLACE_, d_)                                                                     \
    PLACE_((0 + (d_)) % 4, 0), PLACE_((1 + (d_)) % 4, 1), PLACE_((2 + (d_)) % 4, 2),               \
        PLACE_((3 + (d_)) % 4, 3)

#endif
