/* SPDX-License-Identifier: Apache-2.0
 * The tables that make up the wolfSSL plugin. wolfssl/options.h says which algorithms a build of
 * the library leaves out, and the tables leave out the same. */
#ifndef JM_WOLFSSL_H
#define JM_WOLFSSL_H

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/types.h>

#include "common/table.h"
#include "provider.h"

extern const jm_table jm_wolfssl_hmac, jm_wolfssl_aes, jm_wolfssl_oneshot, jm_wolfssl_hash;

/* The library counts in 32 bits: longer inputs are cut into pieces of this length, a power of two,
 * so that block ciphers get whole blocks. */
enum { PIECE_BYTES = 1 << 30 };

static inline jm_status status_of(int code) {
    return code == 0 ? JM_OK : JM_ERR_LIBRARY;
}

/* Evaluates `update`, an expression over `bytes` and `count` that is 0 on success, for each piece
 * of a message. */
#define IN_PIECES(message, message_bytes, update)                                                  \
    do {                                                                                           \
        const uint8_t *bytes = (message);                                                          \
        for (size_t left = (message_bytes); left > 0;) {                                           \
            const word32 count = left < PIECE_BYTES ? (word32)left : PIECE_BYTES;                  \
            if (update) return JM_ERR_LIBRARY;                                                     \
            bytes += count;                                                                        \
            left -= count;                                                                         \
        }                                                                                          \
    } while (0)

#endif
