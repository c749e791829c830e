/* SPDX-License-Identifier: Apache-2.0
 * The source of keccak_avx512_x8.c over the compiler's own vectors, a quarter as wide. */
#define LANES 2
#define VEC_WORD_BITS 64
#include "lanes/vec_generic.h"

#include "keccak/keccak_lanes.h"

#define VARIANT "generic_x2"
#define FEATURES 0
#define NOTE "the source of avx512_x8 in plain C"
#define KECCAK_SINGLE jm_keccak_portable

extern const jm_implementation jm_keccak_generic_x2[KECCAK_MAC_COUNT];
JM_KECCAK_LANES(generic_x2)
