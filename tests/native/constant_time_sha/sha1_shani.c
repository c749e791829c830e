/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself, every line but its SHA instructions. */
#include "../sha_extensions.h"

#if defined(__x86_64__)
#include <immintrin.h>

#undef _mm_sha1rnds4_epu32 /* a macro in some compilers */
#define _mm_sha1rnds4_epu32(a, b, immediate)                                                       \
    ((__m128i)emulated_sha1rnds4((sha_words)(a), (sha_words)(b), immediate))
#define _mm_sha1nexte_epu32(a, b) ((__m128i)emulated_sha1nexte((sha_words)(a), (sha_words)(b)))
#define _mm_sha1msg1_epu32(a, b) ((__m128i)emulated_sha1msg1((sha_words)(a), (sha_words)(b)))
#define _mm_sha1msg2_epu32(a, b) ((__m128i)emulated_sha1msg2((sha_words)(a), (sha_words)(b)))

#define jm_sha1_shani emulated_sha1_shani
#define jm_hmac_sha1_shani emulated_hmac_sha1_shani
#include "sha1/sha1_shani.c"
#endif
