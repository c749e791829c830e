/* SPDX-License-Identifier: Apache-2.0
 *
 * CubeHash16/32 ("CubeHash specification (2.B.1)", 2009) in portable C.
 *
 * Technique: the ten steps of a round as the specification has them; words are not swapped but read
 *   at the places before the swap. One message.
 * State: the specification's 32 words; an index of four bits names a word of each half.
 * CPU: any.
 * Constant time: sums, rotations and XOR; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "cubehash/cubehash.h"

/* Five steps of a round: `low` holds the words x[0jklm], `high` the words x[1jklm]. */
JM_INLINE void half_round(uint32_t low[16], uint32_t high[16], unsigned turn, unsigned swap_low,
                          unsigned swap_high) {
    uint32_t turned[16], summed[16];
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++) {
        summed[i] = high[i] + low[i];
        turned[i] = rotl32(low[i], turn);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++) low[i] = turned[i ^ swap_low] ^ summed[i];
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++) high[i] = summed[i ^ swap_high];
}

static void rounds(uint32_t x[CUBEHASH_WORDS], size_t count) {
    for (; count; count--) {
        half_round(x, x + 16, 7, 8, 2);
        half_round(x, x + 16, 11, 4, 1);
    }
}

static void absorb(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *x = chain;
    for (; count; count--) {
        for (size_t i = 0; i < CUBEHASH_BLOCK_BYTES / 4; i++) x[i] ^= load_le32(blocks + 4 * i);
        rounds(x, CUBEHASH_ROUNDS);
        blocks += CUBEHASH_BLOCK_BYTES;
    }
}

static void last_rounds(void *chain, size_t count) {
    rounds(chain, count);
}

JM_CUBEHASH_VARIANT(portable, 0, true, "portable C")
