/* SPDX-License-Identifier: Apache-2.0
 * The tables that make up the wolfSSL plugin. What a build of the library leaves out, its
 * wolfssl/options.h says, and so do the tables. */
#ifndef JM_WOLFSSL_H
#define JM_WOLFSSL_H

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/types.h>

#include "common/table.h"
#include "provider.h"

extern const jm_table jm_wolfssl_hmac, jm_wolfssl_aes, jm_wolfssl_oneshot, jm_wolfssl_hash;

/* The library counts in 32 bits: longer inputs go in pieces, whole blocks of every algorithm. */
enum { PIECE_BYTES = 1 << 30 };

static inline jm_status status_of(int code) {
    return code == 0 ? JM_OK : JM_ERR_LIBRARY;
}

/* Calls `update(bytes, count)`, an expression that gives 0, for each piece of a message. */
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
