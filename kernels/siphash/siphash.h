/* SPDX-License-Identifier: Apache-2.0
 * SipHash-2-4 (Aumasson and Bernstein, 2012) with 64-bit and 128-bit tags. */
#ifndef JM_SIPHASH_H
#define JM_SIPHASH_H

#include "common/table.h"

#define JM_SIPHASH_KEY_BYTES 16u
#define JM_SIPHASH_WORD_BYTES 8u

extern const jm_implementation jm_siphash_2_4_portable, jm_siphash_2_4_128_portable;
extern const jm_table jm_siphash_table;

#endif
