/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of SIMD in vectors, for simd_avx512.c, which includes this file once for each number of
 * lanes.
 *
 * The includer defines: LANES, VECTOR, VECTOR_TYPE, BITS, `expand_<lanes>` and `exchanged_<lanes>`.
 * It gets `compress_<lanes>`. */
#define JOIN_(a_, b_) a_##b_
#define JOIN(a_, b_) JOIN_(a_, b_)
#define IN_LANES(name_) JOIN(name_, LANES)
#define LOAD(from_) JOIN(VECTOR(loadu_si), BITS)((const VECTOR_TYPE *)(from_))
#define STORE(to_, vector_) JOIN(VECTOR(storeu_si), BITS)((VECTOR_TYPE *)(to_), vector_)
#define XOR(a_, b_) JOIN(VECTOR(xor_si), BITS)(a_, b_)
#define ADD(a_, b_) VECTOR(add_epi32)(a_, b_)
#define TURN(x_, count_) VECTOR(rolv_epi32)(x_, VECTOR(set1_epi32)(count_))

JM_INLINE void IN_LANES(step_)(VECTOR_TYPE h[SIMD_ROWS], VECTOR_TYPE w, size_t number) {
    const uint8_t *rotations = simd_rotations[number < 32 ? number / 8 : 3];
    const VECTOR_TYPE turned = TURN(h[0], rotations[number % 4]);
    const VECTOR_TYPE chosen = number < 32 && number % 8 >= 4
                                   ? VECTOR(ternarylogic_epi32)(h[0], h[1], h[2], 0xe8)
                                   : VECTOR(ternarylogic_epi32)(h[0], h[1], h[2], 0xca);
    const VECTOR_TYPE sum = ADD(ADD(h[3], w), chosen);
    h[3] = h[2];
    h[2] = h[1];
    h[1] = turned;
    /* With four lanes three exchanges take turns, with eight lanes seven. */
    const size_t exchange = IN_LANES(simd_exchange_)[number % (LANES - 1)];
    h[0] = ADD(TURN(sum, rotations[(number + 1) % 4]), IN_LANES(exchanged_)(turned, exchange));
}

static void IN_LANES(compress_)(uint32_t *chain, const uint8_t *blocks, size_t count, bool last) {
    enum { ROW_BYTES = 4 * LANES, BLOCK_BYTES = SIMD_ROWS * ROW_BYTES };
    VECTOR_TYPE w[SIMD_EXPANDED], h[SIMD_ROWS], before[SIMD_ROWS];
#pragma GCC unroll 4
    for (size_t i = 0; i < SIMD_ROWS; i++) h[i] = LOAD(chain + LANES * i);
    for (; count; count--) {
        IN_LANES(expand_)(w, blocks, last);
#pragma GCC unroll 4
        for (size_t i = 0; i < SIMD_ROWS; i++) {
            before[i] = h[i];
            h[i] = XOR(h[i], LOAD(blocks + ROW_BYTES * i));
        }
#pragma GCC unroll 32
        for (size_t i = 0; i < SIMD_EXPANDED; i++) IN_LANES(step_)(h, w[simd_order[i]], i);
#pragma GCC unroll 4
        for (size_t i = 0; i < SIMD_ROWS; i++) IN_LANES(step_)(h, before[i], SIMD_EXPANDED + i);
        blocks += BLOCK_BYTES;
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < SIMD_ROWS; i++) STORE(chain + LANES * i, h[i]);
}

#undef JOIN_
#undef JOIN
#undef IN_LANES
#undef LOAD
#undef STORE
#undef XOR
#undef ADD
#undef TURN
#undef LANES
#undef VECTOR
#undef VECTOR_TYPE
#undef BITS
