/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of Hamsi with GFNI share: the expansion of eight blocks at once, and a round on
 * vectors of words.
 *
 * The includer defines, above or below: VEC, a vector of words; TERNARY(a, b, c, table), whose
 * result is bit 4a + 2b + c of the table; ROTL(x, count) and SHIFT(x, count), to the left. */
#include <immintrin.h>

#include "hamsi/hamsi.h"
#include "hamsi/hamsi_constants.h"
#include "hamsi/hamsi_matrices.h"

/* ---- the expansion (section 2.2.4) ----
 *
 * Lane q of eight bytes holds byte 8g + q of each of the eight expansions; each lane multiplies the
 * blocks' bytes by another matrix. */

enum { HAMSI_AT_ONCE = 8 };

/* Moves the bytes at even places of each 128 bits to the front, and back. */
JM_INLINE __m512i hamsi_apart(__m512i x) {
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1,
                                                                       3, 5, 7, 9, 11, 13, 15)));
}
JM_INLINE __m512i hamsi_together(__m512i x) {
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4,
                                                                       12, 5, 13, 6, 14, 7, 15)));
}

/* Lanes of eight bytes: byte b of lane i is byte i of block b. */
JM_INLINE __m512i hamsi_by_byte(const uint8_t *blocks, size_t block_bytes) {
    __m512i x, from;
    if (block_bytes == 8) {
        x = _mm512_loadu_si512(blocks);
        from = _mm512_set_epi16(31, 27, 23, 19, 15, 11, 7, 3, 30, 26, 22, 18, 14, 10, 6, 2, 29, 25,
                                21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
    } else {
        x = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)blocks));
        from = _mm512_set_epi16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 13, 11, 9, 7, 5,
                                3, 1, 14, 12, 10, 8, 6, 4, 2, 0);
    }
    return hamsi_apart(_mm512_permutexvar_epi16(from, x));
}

/* Words 2g and 2g + 1 of the expansions of blocks of `bytes` bytes, in a lane for each block. */
JM_INLINE __m512i hamsi_words(const __m512i *by_byte, unsigned bytes,
                              const uint64_t (*matrices)[8]) {
    __m512i sum = _mm512_setzero_si512();
    for (unsigned i = 0; i < bytes; i++)
        sum = _mm512_xor_si512(
            sum, _mm512_gf2p8affine_epi64_epi8(by_byte[i], _mm512_load_si512(matrices[i]), 0));
    const __m512i by_block =
        _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11, 3,
                         26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    return _mm512_permutexvar_epi16(by_block, hamsi_together(sum));
}

/* Expands at most eight blocks: words[g][b] has words 2g and 2g + 1 of block b. */
#define HAMSI_EXPAND(words_, blocks_, count_, block_bytes_, matrices_)                             \
    do {                                                                                           \
        uint8_t copied[HAMSI_AT_ONCE * (block_bytes_)];                                            \
        const uint8_t *eight = (blocks_);                                                          \
        if ((count_) < HAMSI_AT_ONCE) {                                                            \
            memset(copied, 0, sizeof copied);                                                      \
            memcpy(copied, blocks_, (count_) * (block_bytes_));                                    \
            eight = copied;                                                                        \
        }                                                                                          \
        const __m512i lanes = hamsi_by_byte(eight, block_bytes_);                                  \
        __m512i by_byte[block_bytes_];                                                             \
        for (unsigned i = 0; i < (block_bytes_); i++)                                              \
            by_byte[i] = _mm512_permutexvar_epi64(_mm512_set1_epi64(i), lanes);                    \
        for (unsigned g = 0; g < (block_bytes_); g++)                                              \
            _mm512_store_si512((words_)[g], hamsi_words(by_byte, block_bytes_, (matrices_)[g]));   \
        if ((count_) < HAMSI_AT_ONCE) jm_wipe(copied, sizeof copied);                              \
    } while (0)

/* ---- the S-box and the linear map of the rounds (sections 2.3.2 and 2.3.3) ----
 *
 * Each output bit of the S-box is a function of a fourth bit and of two functions of three bits; a
 * search found five functions of three bits that suffice for all four outputs. */

#define SUBSTITUTE(a, b, c, d)                                                                     \
    do {                                                                                           \
        const VEC n0 = TERNARY(a, b, c, 0x52), n1 = TERNARY(a, b, d, 0x27);                        \
        const VEC n2 = TERNARY(b, c, d, 0x6d), n3 = TERNARY(a, c, d, 0x5b);                        \
        const VEC n4 = TERNARY(a, b, c, 0x6b);                                                     \
        const VEC first = TERNARY(n0, n4, d, 0x69), third = TERNARY(n1, n2, a, 0x1d);              \
        d = TERNARY(n0, n2, b, 0x2d);                                                              \
        b = TERNARY(n4, n3, c, 0x2e);                                                              \
        a = first;                                                                                 \
        c = third;                                                                                 \
    } while (0)

#define DIFFUSE(a, b, c, d)                                                                        \
    do {                                                                                           \
        a = ROTL(a, 13);                                                                           \
        c = ROTL(c, 3);                                                                            \
        b = ROTL(TERNARY(b, a, c, 0x96), 1);                                                       \
        d = ROTL(TERNARY(d, c, SHIFT(a, 3), 0x96), 7);                                             \
        a = ROTL(TERNARY(a, b, d, 0x96), 5);                                                       \
        c = ROTL(TERNARY(c, d, SHIFT(b, 7), 0x96), 22);                                            \
    } while (0)
