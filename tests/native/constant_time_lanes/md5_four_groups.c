/* SPDX-License-Identifier: Apache-2.0
 * The source of md5_avx512_x64.c over the compiler's own vectors, a quarter as wide. */
#define LANES 16
#define VEC_WORD_BITS 32
#define HASH_AHEAD_BYTES 128 /* so that short messages are loaded ahead too */
#include "lanes/vec_generic.h"

#include "md5/md5_lanes.h"

JM_MD5_LANES(generic_x16, 0, "the source of avx512_x64 in plain C")
