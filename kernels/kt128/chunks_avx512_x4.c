/* SPDX-License-Identifier: Apache-2.0
 *
 * Chunks of KT128 (RFC 9861) in four lanes, for kt128_avx512.c, whose header applies here too:
 * 256-bit vectors with AVX-512VL's rotations and logic of three operands. On CPUs that execute
 * 512-bit vectors in two halves, as Zen 4 does, four chunks take half of the time of eight. */
#if defined(__x86_64__)
#include "lanes/v64_avx2.h"

#include "kt128/kt128_lanes.h"

void jm_kt128_chunks_avx512_x4(uint64_t (*values)[KT128_VALUE_WORDS], const uint8_t *message,
                               size_t count, uint64_t *first) {
    lanes_chunks(values, message, count, first);
}

#endif
