/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3 in portable C.
 *
 * Technique: one block after the other; sixteen words in as many registers as the CPU has.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "blake3/blake3_compress.h"
#include "blake3/blake3_keyed.h"

static void chunks(const blake3_mode *mode, uint32_t (*chains)[8], const uint8_t *message,
                   size_t count, uint64_t first) {
    for (size_t i = 0; i < count; i++) {
        memcpy(chains[i], mode->start, sizeof mode->start);
        for (size_t block = 0; block < BLAKE3_CHUNK_BLOCKS; block++) {
            const uint32_t start = block == 0 ? BLAKE3_CHUNK_START : 0;
            const uint32_t end = block == BLAKE3_CHUNK_BLOCKS - 1 ? BLAKE3_CHUNK_END : 0;
            compress(chains[i], message, first + i, BLAKE3_BLOCK_BYTES, mode->flags | start | end);
            message += BLAKE3_BLOCK_BYTES;
        }
    }
}

JM_BLAKE3_VARIANT(portable, 0, chunks, NULL, 1, true, "portable C")
JM_BLAKE3_KEYED(portable, 0, true, "portable C")
