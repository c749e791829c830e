/* SPDX-License-Identifier: Apache-2.0
 *
 * Blue Midnight Wish (second round of the SHA-3 competition, 2009) with AVX-512.
 *
 * Technique: the sixteen words of a step lie in one vector of 32-bit words or two of 64-bit words.
 *   f0, AddElement, the terms that f0's words contribute to f1's, and f2 are computed for all words
 *   at once, with shifts and rotations that differ from lane to lane. Only the sixteen words of f1,
 *   each of which waits for the word before, are computed in general registers. One message.
 * State: the specification's sixteen words, in one or two vectors.
 * CPU: AVX-512 F, DQ and VL, and BMI2.
 * Constant time: no branch and no address depends on the message; its source is checked by
 *   tests/native/constant_time_instructions.c.
 * Best for: one message at a time.
 */
#if defined(__x86_64__)
#include "bmw/bmw_32_vector.h"
#include "bmw/bmw_64_vectors.h"

JM_BMW_VARIANT(avx512, JM_CPU_AVX512 | JM_CPU_BMI2, true, "sixteen words in one or two vectors")

#endif
