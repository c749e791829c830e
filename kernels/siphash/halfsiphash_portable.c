/* SPDX-License-Identifier: Apache-2.0
 *
 * HalfSipHash-2-4 (Aumasson, reference implementation of SipHash, halfsiphash.c), with a tag of 32
 * bits and with one of 64.
 * Technique: as siphash_portable.c, with words of 32 bits and other rotations.
 * State layout: a key is v0 to v3 and JM_LIVE; a stream adds the word being filled and the length.
 * CPU features: none.
 * Constant time: additions, rotations and XOR; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/forget.h).
 * Best for: CPUs with words of 32 bits; those of 64 compute SipHash faster. */
#include "common/load_partial.h"
#include "common/load_store.h"

typedef uint32_t word;
#define LOAD load_le32
#define LOAD_PARTIAL(from, bytes) ((uint32_t)load_le64_partial(from, bytes))
#define STORE store_le32
#define ROTATE rotl32
enum { ROTATE_1 = 5, ROTATE_2 = 8, ROTATE_3 = 16, ROTATE_4 = 13, ROTATE_5 = 7, ROTATE_6 = 16 };
/* The first halves of SipHash's third and fourth constant: "lygetedb". */
#define START_0 0u
#define START_1 0u
#define START_2 UINT32_C(0x6c796765)
#define START_3 UINT32_C(0x74656462)
#define RESULT(s) ((s)->v1 ^ (s)->v3)
#define KEY_STATE_BYTES JM_HALFSIPHASH_KEY_STATE_BYTES
#define STREAM_BYTES JM_HALFSIPHASH_STREAM_BYTES

#include "siphash/siphash_words.h"

DEFINE_SIPHASH("halfsiphash-2-4", halfsiphash_2_4, 2, 4, 4, "32-bit words in plain C.")
DEFINE_SIPHASH("halfsiphash-2-4-64", halfsiphash_2_4_64, 2, 4, 8, "32-bit words in plain C.")
