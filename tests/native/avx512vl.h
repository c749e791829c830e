/* SPDX-License-Identifier: Apache-2.0
 * Instructions of AVX-512VL and of SSSE3 on 128-bit registers in C, for tools that cannot run
 * AVX-512VL: same operands, same result. Each function follows the "Operation" section of its
 * instruction in the Intel SDM, vol. 2. No branch and no address depends on an operand but PSHUFB's
 * control; immediates are not operands. */
#ifndef JM_AVX512VL_H
#define JM_AVX512VL_H

#include "common/words.h"

typedef uint64_t vl_words __attribute__((vector_size(16)));
typedef uint8_t vl_bytes __attribute__((vector_size(16)));

/* VPRORQ, 0 < count < 64. */
static inline vl_words emulated_ror64(vl_words x, unsigned count) {
    return (vl_words){rotr64(x[0], count), rotr64(x[1], count)};
}

/* VPTERNLOGQ. Bit 4x + 2y + z of `table` is the result for one bit of each operand. */
static inline vl_words emulated_ternary64(vl_words x, vl_words y, vl_words z, unsigned table) {
    vl_words result = {0, 0};
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1)
            result |= (row & 4 ? x : ~x) & (row & 2 ? y : ~y) & (row & 1 ? z : ~z);
    return result;
}

/* PALIGNR, 0 <= bytes <= 16. */
static inline vl_bytes emulated_alignr(vl_bytes high, vl_bytes low, unsigned bytes) {
    vl_bytes result;
    for (unsigned i = 0; i < 16; i++)
        result[i] = i + bytes < 16 ? low[i + bytes] : high[i + bytes - 16];
    return result;
}

/* PSHUFB. */
static inline vl_bytes emulated_shuffle_bytes(vl_bytes x, vl_bytes control) {
    vl_bytes result;
    for (unsigned i = 0; i < 16; i++) result[i] = control[i] & 0x80 ? 0 : x[control[i] & 15];
    return result;
}

#endif
