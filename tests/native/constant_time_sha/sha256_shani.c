/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself, every line but its SHA instructions. */
#include "../sha_extensions.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define _mm_sha256rnds2_epu32(a, b, wk)                                                            \
    ((__m128i)emulated_sha256rnds2((sha_words)(a), (sha_words)(b), (sha_words)(wk)))
#define _mm_sha256msg1_epu32(a, b) ((__m128i)emulated_sha256msg1((sha_words)(a), (sha_words)(b)))
#define _mm_sha256msg2_epu32(a, b) ((__m128i)emulated_sha256msg2((sha_words)(a), (sha_words)(b)))

#define jm_sha256_shani emulated_sha256_shani
#define jm_hmac_sha256_shani emulated_hmac_sha256_shani
#include "sha256/sha256_shani.c"
#endif
