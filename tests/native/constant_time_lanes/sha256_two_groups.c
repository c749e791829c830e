/* SPDX-License-Identifier: Apache-2.0
 * The source of sha256_avx512_x32.c over the compiler's own vectors, a quarter as wide. */
#define LANES 8
#define VEC_WORD_BITS 32
#define HASH_AHEAD_BYTES 128 /* so that short messages are loaded ahead too */
#include "lanes/vec_generic.h"
#include "sha256/sha256.h"

#include "common/sha2_lanes.h"

JM_SHA256_LANES(generic_x8, 0, "the source of avx512_x32 in plain C")
