/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2b-512 (RFC 7693) with AVX-512VL.
 *
 * Technique: the sixteen words in four 256-bit registers, rotated by VPRORQ; VPERMT2Q picks the
 *   words of half a round out of the block's two registers.
 * CPU: AVX-512 F, BW, DQ, VL; BMI2.
 * Constant time: additions, rotations and logic only. Its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message at a time, where vectors have latencies of one cycle (README.md).
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "blake2/blake2.h"

typedef uint64_t word;
typedef __m256i row;
#define ADD _mm256_add_epi64
#define XOR _mm256_xor_si256
/* Rotates by half a word with VPSHUFD, which takes one cycle, VPRORQ two. */
#define ROTATE(row_, count_)                                                                       \
    ((count_) == 32 ? _mm256_shuffle_epi32(row_, _MM_SHUFFLE(2, 3, 0, 1))                          \
                    : _mm256_ror_epi64(row_, count_))
#define TURN(row_, n_)                                                                             \
    _mm256_permute4x64_epi64(row_,                                                                 \
                             _MM_SHUFFLE((3 + (n_)) % 4, (2 + (n_)) % 4, (1 + (n_)) % 4, (n_)))
enum { ROTATE_1 = 32, ROTATE_2 = 24, ROTATE_3 = 16, ROTATE_4 = 63, ROUNDS = 12 };
#define LOAD_ROW(from_) _mm256_loadu_si256((const row *)(const void *)(from_))
#define STORE_ROW(to_, row_) _mm256_store_si256((row *)(void *)(to_), row_)
#define INITIAL blake2b_initial
#define DIGEST_BYTES BLAKE2B_DIGEST_BYTES

JM_INLINE row LAST_ROW(uint64_t absorbed, bool last) {
    const row counter = _mm256_zextsi128_si256(_mm_cvtsi64_si128((long long)absorbed));
    const row flag = last ? _mm256_setr_epi64x(0, 0, -1, 0) : _mm256_setzero_si256();
    return XOR(XOR(LOAD_ROW(INITIAL + 4), flag), counter);
}

typedef struct {
    __m512i low, high;
} block_words;

JM_INLINE block_words load_block(const uint8_t *block) {
    return (block_words){_mm512_loadu_si512(block), _mm512_loadu_si512(block + 64)};
}

/* The words x and y of the columns, and of the diagonals in the order of their words b. */
JM_INLINE void round_words(row words[4], const block_words *block, const uint8_t s[16]) {
    const __m512i columns = _mm512_setr_epi64(s[0], s[2], s[4], s[6], s[1], s[3], s[5], s[7]);
    const __m512i diagonals =
        _mm512_setr_epi64(s[14], s[8], s[10], s[12], s[15], s[9], s[11], s[13]);
    _mm512_store_si512(words, _mm512_permutex2var_epi64(block->low, columns, block->high));
    _mm512_store_si512(words + 2, _mm512_permutex2var_epi64(block->low, diagonals, block->high));
}

/* A masked load reads nothing beyond the message. */
JM_INLINE void load_partial_block(uint8_t block[128], const uint8_t *rest, size_t bytes) {
    const size_t low = bytes < 64 ? bytes : 64, high = bytes - low;
    const __mmask64 ones = ~UINT64_C(0);
    const __m512i first = _mm512_maskz_loadu_epi8(_bzhi_u64(ones, (unsigned)low), rest);
    const __m512i second =
        _mm512_maskz_loadu_epi8(_bzhi_u64(ones, (unsigned)high), high ? rest + 64 : rest);
    _mm512_storeu_si512(block, first);
    _mm512_storeu_si512(block + 64, second);
}

#include "blake2/blake2_mac.h"
#include "blake2/blake2_rows.h"

JM_BLAKE2_VARIANT(blake2b, "blake2b-512", avx512, JM_CPU_AVX512 | JM_CPU_BMI2,
                  "rows in AVX-512VL registers, one message at a time", true, BLAKE2B_BLOCK_BYTES,
                  BLAKE2B_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2b_mac, "blake2b-mac", avx512, JM_CPU_AVX512 | JM_CPU_BMI2,
              "rows in AVX-512VL registers, one message at a time", true, BLAKE2B_BLOCK_BYTES,
              BLAKE2B_DIGEST_BYTES, BLAKE2B_ROWS_MAC_STACK_BYTES)
#endif
