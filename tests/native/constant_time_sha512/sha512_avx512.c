/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself, every line but its instructions beyond SSE2: those of SSSE3 are
 * replaced too, so that the file needs no compiler flags. */
#if defined(__x86_64__)
#include "../avx512vl.h"

#include <immintrin.h>

#undef _mm_alignr_epi8
#undef _mm_ror_epi64
#undef _mm_shuffle_epi8
#undef _mm_ternarylogic_epi64
#define _mm_alignr_epi8(high, low, bytes)                                                          \
    ((__m128i)emulated_alignr((vl_bytes)(high), (vl_bytes)(low), bytes))
#define _mm_ror_epi64(x, count) ((__m128i)emulated_ror64((vl_words)(x), count))
#define _mm_shuffle_epi8(x, control)                                                               \
    ((__m128i)emulated_shuffle_bytes((vl_bytes)(x), (vl_bytes)(control)))
#define _mm_ternarylogic_epi64(x, y, z, table)                                                     \
    ((__m128i)emulated_ternary64((vl_words)(x), (vl_words)(y), (vl_words)(z), table))

#define jm_sha384_avx512 emulated_sha384_avx512
#define jm_sha512_avx512 emulated_sha512_avx512
#define jm_sha512_256_avx512 emulated_sha512_256_avx512
#define jm_hmac_sha384_avx512 emulated_hmac_sha384_avx512
#define jm_hmac_sha512_avx512 emulated_hmac_sha512_avx512
#include "sha512/sha512_avx512.c"
#endif
