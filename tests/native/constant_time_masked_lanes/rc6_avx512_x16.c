/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself over vectors in plain C: four times as many, of 16 bytes. */
#if defined(__x86_64__)
#define VEC_WORD_BITS 32
#include "lanes/vec_generic.h"

#define jm_cmac_rc6_128_avx512_x16 emulated_cmac_rc6_128_avx512_x16
#endif
#include "rc6/rc6_avx512_x16.c"
