/* SPDX-License-Identifier: Apache-2.0
 * SipHash-2-4 and SipHash-1-3 (Aumasson and Bernstein, 2012) with 64-bit tags, SipHash-2-4 with
 * 128-bit tags, and HalfSipHash-2-4 with 32-bit and 64-bit tags. */
#ifndef JM_SIPHASH_H
#define JM_SIPHASH_H

#include "joulemark/kernel.h"

#define JM_SIPHASH_KEY_BYTES 16u
#define JM_SIPHASH_WORD_BYTES 8u

/* v0 to v3 and JM_LIVE, in every variant, in whole lines. */
#define JM_SIPHASH_IN_LINES(bytes_)                                                                \
    (((bytes_) + JM_STATE_ALIGN - 1u) / JM_STATE_ALIGN * JM_STATE_ALIGN)
#define JM_SIPHASH_KEY_STATE_BYTES JM_SIPHASH_IN_LINES(40u)
#define JM_SIPHASH_STREAM_BYTES JM_SIPHASH_IN_LINES(56u)
#define JM_HALFSIPHASH_KEY_STATE_BYTES JM_SIPHASH_IN_LINES(24u)
#define JM_HALFSIPHASH_STREAM_BYTES JM_SIPHASH_IN_LINES(40u)

extern const jm_implementation jm_siphash_1_3_mcu8, jm_siphash_1_3_mcu32;
extern const jm_implementation jm_siphash_2_4_mcu32, jm_siphash_2_4_128_mcu32;
extern const jm_implementation jm_siphash_2_4_mcu8, jm_siphash_2_4_128_mcu8;
extern const jm_implementation jm_siphash_1_3_portable;
extern const jm_implementation jm_siphash_2_4_portable, jm_siphash_2_4_128_portable;
extern const jm_implementation jm_siphash_1_3_avx2_x4;
extern const jm_implementation jm_siphash_2_4_avx2_x4, jm_siphash_2_4_128_avx2_x4;
extern const jm_implementation jm_siphash_1_3_avx2_x8;
extern const jm_implementation jm_siphash_2_4_avx2_x8, jm_siphash_2_4_128_avx2_x8;
extern const jm_implementation jm_siphash_1_3_avx512_x8;
extern const jm_implementation jm_siphash_2_4_avx512_x8, jm_siphash_2_4_128_avx512_x8;
extern const jm_implementation jm_siphash_1_3_avx512_x16;
extern const jm_implementation jm_siphash_2_4_avx512_x16, jm_siphash_2_4_128_avx512_x16;
extern const jm_implementation jm_halfsiphash_2_4_mcu8, jm_halfsiphash_2_4_64_mcu8;
extern const jm_implementation jm_halfsiphash_2_4_portable, jm_halfsiphash_2_4_64_portable;

#endif
