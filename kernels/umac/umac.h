/* SPDX-License-Identifier: Apache-2.0
 * UMAC-32, UMAC-64, UMAC-96 and UMAC-128 over AES-128 (RFC 4418). Each message needs another nonce
 * of 1 to 16 bytes under a key; eight are the usual length (that of the RFC's test vectors). */
#ifndef JM_UMAC_H
#define JM_UMAC_H

#include "joulemark/kernel.h"

#define JM_UMAC_KEY_BYTES 16u
#define JM_UMAC_NONCE_BYTES 8u
#define JM_UMAC_NONCE_BYTES_MAX 16u
#define JM_UMAC_BLOCK_BYTES 1024u /* the block of NH */
#define JM_UMAC_WORD_BYTES 4u     /* bytes of the tag from each iteration */

/* Every variant exports jm_umac_32_<variant>, jm_umac_64_<variant> and so on. */
#define JM_UMAC_DECLARE(variant)                                                                   \
    extern const jm_implementation jm_umac_32_##variant, jm_umac_64_##variant,                     \
        jm_umac_96_##variant, jm_umac_128_##variant;
JM_UMAC_DECLARE(portable)
JM_UMAC_DECLARE(aesni)
JM_UMAC_DECLARE(aesni_avx2)
JM_UMAC_DECLARE(aesni_avx512)

#endif
