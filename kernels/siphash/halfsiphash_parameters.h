/* SPDX-License-Identifier: Apache-2.0
 * HalfSipHash's values (Aumasson, reference implementation of SipHash, halfsiphash.c) of the
 * parameters of siphash_words.h, except ROTATE. */
#ifndef JM_HALFSIPHASH_PARAMETERS_H
#define JM_HALFSIPHASH_PARAMETERS_H

#include "common/words.h"

typedef uint32_t word;
#define LOAD load_le32
#define LOAD_PARTIAL(from, bytes) ((uint32_t)load_le64_partial(from, bytes))
#define STORE store_le32
enum { ROTATE_1 = 5, ROTATE_2 = 8, ROTATE_3 = 16, ROTATE_4 = 13, ROTATE_5 = 7, ROTATE_6 = 16 };
/* The first halves of SipHash's third and fourth constant: "lygetedb". */
#define START_0 0u
#define START_1 0u
#define START_2 UINT32_C(0x6c796765)
#define START_3 UINT32_C(0x74656462)
#define RESULT(s) ((s)->v1 ^ (s)->v3)
#define KEY_STATE_BYTES JM_HALFSIPHASH_KEY_STATE_BYTES
#define STREAM_BYTES JM_HALFSIPHASH_STREAM_BYTES

#endif
