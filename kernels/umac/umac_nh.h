/* SPDX-License-Identifier: Apache-2.0
 * Sizes of NH, UMAC's first layer (RFC 4418, section 5.2). Iteration n takes the key from byte 16 n
 * on. In a chunk of 32 bytes words 0 to 3 are multiplied by words 4 to 7. */
#ifndef JM_UMAC_NH_H
#define JM_UMAC_NH_H

#include "common/secret.h"
#include "common/words.h"
#include "umac/umac.h"

enum { UMAC_ITERATIONS_MAX = 4, UMAC_CHUNK_BYTES = 32 };
/* The number of blocks of 16 bytes in the key. */
#define UMAC_NH_BLOCKS(iterations) (JM_UMAC_BLOCK_BYTES / 16 + (iterations) - 1)

/* Puts the key's block `index` at all its places in the key of a variant with wide registers. For
 * each stride of `chunks` chunks that key has iterations + 1 registers of `chunks` lanes: lane l of
 * register n in stride s holds block 2 (chunks s + l) + n. */
JM_INLINE void umac_nh_place_wide(uint8_t *to, size_t index, const uint32_t words[4], size_t chunks,
                                  size_t iterations) {
    for (size_t lane = 0; lane < chunks && 2 * lane <= index; lane++) {
        const size_t first = index - 2 * lane;
        for (size_t n = first % (2 * chunks); n <= iterations && n <= first; n += 2 * chunks) {
            const size_t stride = (first - n) / (2 * chunks);
            if (stride >= JM_UMAC_BLOCK_BYTES / (chunks * UMAC_CHUNK_BYTES)) continue;
            memcpy(to + 16 * (chunks * ((iterations + 1) * stride + n) + lane), words, 16);
        }
    }
}

#endif
