/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself; here the compiler makes its vectors of smaller registers. */
#pragma GCC diagnostic ignored "-Wpsabi" /* how such vectors are passed: all is inlined */

#define jm_siphash_1_3_avx512_x8 emulated_siphash_1_3_avx512_x8
#define jm_siphash_2_4_avx512_x8 emulated_siphash_2_4_avx512_x8
#define jm_siphash_2_4_128_avx512_x8 emulated_siphash_2_4_128_avx512_x8
#include "siphash/siphash_avx512_x8.c"
