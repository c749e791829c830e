/* SPDX-License-Identifier: Apache-2.0
 *
 * Blue Midnight Wish (second round of the SHA-3 competition, 2009) in portable C.
 *
 * Technique: words of the function's width, all steps unrolled (bmw_words.h). One message.
 * State: the specification's sixteen words.
 * CPU: any.
 * Constant time: sums, shifts and logic; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#define BMW_BITS 32
#include "bmw/bmw_words.h"
#undef BMW_BITS
#define BMW_BITS 64
#include "bmw/bmw_words.h"

JM_BMW_VARIANT(portable, 0, true, "portable C")
