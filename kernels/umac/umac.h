/* SPDX-License-Identifier: Apache-2.0
 * UMAC-32, UMAC-64, UMAC-96 and UMAC-128 over AES-128 (RFC 4418). Each message needs another nonce
 * of 1 to 16 bytes under a key; eight are the usual length (that of the RFC's test vectors). */
#ifndef JM_UMAC_H
#define JM_UMAC_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

#define JM_UMAC_KEY_BYTES 16u
#define JM_UMAC_NONCE_BYTES 8u
#define JM_UMAC_NONCE_BYTES_MAX 16u
#define JM_UMAC_BLOCK_BYTES 1024u /* the block of NH */
#define JM_UMAC_WORD_BYTES 4u     /* bytes of the tag from each iteration */

/* Sizes of NH, the first layer (section 5.2). Iteration n takes the key from byte 16 n on. In a
 * chunk of 32 bytes words 0 to 3 are multiplied by words 4 to 7. */
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

/* Every variant exports jm_umac_32_<variant>, jm_umac_64_<variant> and so on. */
#define JM_UMAC_DECLARE(variant)                                                                   \
    extern const jm_implementation jm_umac_32_##variant, jm_umac_64_##variant,                     \
        jm_umac_96_##variant, jm_umac_128_##variant;
JM_UMAC_DECLARE(portable)
JM_UMAC_DECLARE(aesni)
JM_UMAC_DECLARE(aesni_avx2)
JM_UMAC_DECLARE(aesni_avx512)

#endif
