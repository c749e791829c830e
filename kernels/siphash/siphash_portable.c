/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 and SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section
 * 2), and the 128-bit tag of the authors' reference implementation, which the paper does not
 * describe.
 * Technique: four 64-bit words in registers; the last word is loaded without passing through
 *   memory; the key state is the initial v0 to v3, so that a tag starts with the first round.
 * State layout: a key is v0 to v3 and JM_LIVE; a stream adds the word being filled and the length.
 * CPU features: none.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/forget.h).
 * Best for: very short messages under a secret key, with 64-bit tags. */
#include "common/load_partial.h"
#include "common/load_store.h"

typedef uint64_t word;
#define LOAD load_le64
#define LOAD_PARTIAL load_le64_partial
#define STORE store_le64
#define ROTATE rotl64
enum { ROTATE_1 = 13, ROTATE_2 = 16, ROTATE_3 = 32, ROTATE_4 = 17, ROTATE_5 = 21, ROTATE_6 = 32 };
/* They spell "somepseudorandomlygeneratedbytes". */
#define START_0 UINT64_C(0x736f6d6570736575)
#define START_1 UINT64_C(0x646f72616e646f6d)
#define START_2 UINT64_C(0x6c7967656e657261)
#define START_3 UINT64_C(0x7465646279746573)
#define RESULT(s) ((s)->v0 ^ (s)->v1 ^ (s)->v2 ^ (s)->v3)
#define KEY_STATE_BYTES JM_SIPHASH_KEY_STATE_BYTES
#define STREAM_BYTES JM_SIPHASH_STREAM_BYTES

#include "siphash/siphash_words.h"

DEFINE_SIPHASH("siphash-1-3", siphash_1_3, 1, 3, 8, "64-bit words in plain C.")
DEFINE_SIPHASH("siphash-2-4", siphash_2_4, 2, 4, 8, "64-bit words in plain C.")
DEFINE_SIPHASH("siphash-2-4-128", siphash_2_4_128, 2, 4, 16, "64-bit words in plain C.")
