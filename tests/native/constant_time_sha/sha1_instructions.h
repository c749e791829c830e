/* SPDX-License-Identifier: Apache-2.0
 * Replaces the SHA-1 instructions of the source that follows by their emulation. */
#ifndef JM_SHA1_INSTRUCTIONS_H
#define JM_SHA1_INSTRUCTIONS_H

#include "../sha_extensions.h"

#include <immintrin.h>

#undef _mm_sha1rnds4_epu32 /* a macro in some compilers */
#define _mm_sha1rnds4_epu32(a, b, immediate)                                                       \
    ((__m128i)emulated_sha1rnds4((sha_words)(a), (sha_words)(b), immediate))
#define _mm_sha1nexte_epu32(a, b) ((__m128i)emulated_sha1nexte((sha_words)(a), (sha_words)(b)))
#define _mm_sha1msg1_epu32(a, b) ((__m128i)emulated_sha1msg1((sha_words)(a), (sha_words)(b)))
#define _mm_sha1msg2_epu32(a, b) ((__m128i)emulated_sha1msg2((sha_words)(a), (sha_words)(b)))

#endif
