/* SPDX-License-Identifier: Apache-2.0
 * SipHash's values (Aumasson and Bernstein, 2012, section 2) of the parameters of siphash_words.h,
 * except ROTATE.
 */
#ifndef JM_SIPHASH_PARAMETERS_H
#define JM_SIPHASH_PARAMETERS_H

#include "common/words.h"

typedef uint64_t word;
#define LOAD load_le64
#define LOAD_PARTIAL load_le64_partial
#define STORE store_le64
enum { ROTATE_1 = 13, ROTATE_2 = 16, ROTATE_3 = 32, ROTATE_4 = 17, ROTATE_5 = 21, ROTATE_6 = 32 };
/* The four constants spell "somepseudorandomlygeneratedbytes". */
#define START_0 UINT64_C(0x736f6d6570736575)
#define START_1 UINT64_C(0x646f72616e646f6d)
#define START_2 UINT64_C(0x6c7967656e657261)
#define START_3 UINT64_C(0x7465646279746573)
#define RESULT(s) ((s)->v0 ^ (s)->v1 ^ (s)->v2 ^ (s)->v3)
#define KEY_STATE_BYTES JM_SIPHASH_KEY_STATE_BYTES
#define STREAM_BYTES JM_SIPHASH_STREAM_BYTES

#endif
