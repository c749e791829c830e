/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions that luffa_lanes.h needs, for Luffa-512 in vectors of 256 bits with AVX2 or more. */
#include <immintrin.h>

#define NAME luffa_512
#define ID "luffa-512"
#define DIGEST_BYTES 64
#define WIDTH 5
#define LANES 8
#define VEC __m256i
#define LOAD(from) _mm256_load_si256((const __m256i *)(from))
#define STORE(to, x) _mm256_store_si256((__m256i *)(to), x)
#define XOR(a, b) _mm256_xor_si256(a, b)
#define AROUND(x, n)                                                                               \
    _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32((n) % 5, (1 + (n)) % 5, (2 + (n)) % 5,        \
                                                     (3 + (n)) % 5, (4 + (n)) % 5, 5, 6, 7))

/* A polynomial of eight words in one vector, times x. */
#define TWICE(a)                                                                                   \
    XOR(_mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6)),                 \
        _mm256_and_si256(_mm256_permutevar8x32_epi32(a, _mm256_set1_epi32(7)),                     \
                         _mm256_setr_epi32(0, -1, 0, -1, -1, 0, 0, 0)))

#define MESSAGE(block)                                                                             \
    _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(block)),                              \
                        _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3,  \
                                         2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))
