/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2s-256 (RFC 7693) with AVX-512VL.
 *
 * Technique: the sixteen words in four 128-bit registers, rotated by VPRORD; one VPERMD puts the
 *   block's words, all in one register, in the order of a round.
 * CPU: AVX-512 F, BW, DQ, VL; BMI2.
 * Constant time: additions, rotations and logic only. Its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message at a time, where vectors have latencies of one cycle (README.md).
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "blake2/blake2.h"

typedef uint32_t word;
typedef __m128i row;
#define ADD _mm_add_epi32
#define XOR _mm_xor_si128
#define ROTATE _mm_ror_epi32
#define TURN(row_, n_)                                                                             \
    _mm_shuffle_epi32(row_, _MM_SHUFFLE((3 + (n_)) % 4, (2 + (n_)) % 4, (1 + (n_)) % 4, (n_)))
enum { ROTATE_1 = 16, ROTATE_2 = 12, ROTATE_3 = 8, ROTATE_4 = 7, ROUNDS = 10 };
#define LOAD_ROW(from_) _mm_loadu_si128((const row *)(const void *)(from_))
#define STORE_ROW(to_, row_) _mm_store_si128((row *)(void *)(to_), row_)
#define INITIAL blake2s_initial
#define DIGEST_BYTES BLAKE2S_DIGEST_BYTES

JM_INLINE row LAST_ROW(uint64_t absorbed, bool last) {
    const row flag = last ? _mm_setr_epi32(0, 0, -1, 0) : _mm_setzero_si128();
    return XOR(XOR(LOAD_ROW(INITIAL + 4), flag), _mm_cvtsi64_si128((long long)absorbed));
}

typedef __m512i block_words;

JM_INLINE block_words load_block(const uint8_t *block) {
    return _mm512_loadu_si512(block);
}

/* The words x and y of the columns, and of the diagonals in the order of their words b. */
JM_INLINE void round_words(row words[4], const block_words *block, const uint8_t s[16]) {
    const __m512i places = _mm512_setr_epi32(s[0], s[2], s[4], s[6], s[1], s[3], s[5], s[7], s[14],
                                             s[8], s[10], s[12], s[15], s[9], s[11], s[13]);
    _mm512_store_si512(words, _mm512_permutexvar_epi32(places, *block));
}

/* A masked load reads nothing beyond the message. */
JM_INLINE void load_partial_block(uint8_t block[64], const uint8_t *rest, size_t bytes) {
    const __mmask64 present = _bzhi_u64(~UINT64_C(0), (unsigned)bytes);
    _mm512_storeu_si512(block, _mm512_maskz_loadu_epi8(present, rest));
}

#include "blake2/blake2_mac.h"
#include "blake2/blake2_rows.h"

JM_BLAKE2_VARIANT(blake2s, "blake2s-256", avx512, JM_CPU_AVX512 | JM_CPU_BMI2,
                  "rows in AVX-512VL registers, one message at a time", true, BLAKE2S_BLOCK_BYTES,
                  BLAKE2S_DIGEST_BYTES)
JM_BLAKE2_MAC(blake2s_mac, "blake2s-mac", avx512, JM_CPU_AVX512 | JM_CPU_BMI2,
              "rows in AVX-512VL registers, one message at a time", true, BLAKE2S_BLOCK_BYTES,
              BLAKE2S_DIGEST_BYTES, BLAKE2_MAC_STACK_BYTES)
#endif
