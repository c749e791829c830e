/* SPDX-License-Identifier: Apache-2.0
 * Replaces the SHA-256 instructions of the source that follows by their emulation. */
#ifndef JM_SHA256_INSTRUCTIONS_H
#define JM_SHA256_INSTRUCTIONS_H

#include "../sha_extensions.h"

#include <immintrin.h>

#define _mm_sha256rnds2_epu32(a, b, wk)                                                            \
    ((__m128i)emulated_sha256rnds2((sha_words)(a), (sha_words)(b), (sha_words)(wk)))
#define _mm_sha256msg1_epu32(a, b) ((__m128i)emulated_sha256msg1((sha_words)(a), (sha_words)(b)))
#define _mm_sha256msg2_epu32(a, b) ((__m128i)emulated_sha256msg2((sha_words)(a), (sha_words)(b)))

#endif
