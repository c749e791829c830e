/* SPDX-License-Identifier: Apache-2.0
 * The source of sha512_avx512_x8.c over the compiler's own vectors, a quarter as wide. */
#define LANES 2
#define VEC_WORD_BITS 64
#define HASH_AHEAD_BYTES 128 /* so that short messages are loaded ahead too */
#include "lanes/vec_generic.h"
#include "sha512/sha512.h"

#include "common/sha2_lanes.h"

JM_SHA512_LANES(generic_x2, 0, "the source of avx512_x8 in plain C", portable)
