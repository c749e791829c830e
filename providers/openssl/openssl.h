/* SPDX-License-Identifier: Apache-2.0
 * The tables that make up the OpenSSL plugin, one per call style. */
#ifndef JM_OPENSSL_H
#define JM_OPENSSL_H

#include <limits.h>

#include "common/table.h"
#include "provider.h"

extern const jm_table jm_openssl_evp_mac, jm_openssl_hmac, jm_openssl_oneshot, jm_openssl_lowlevel,
    jm_openssl_digest, jm_openssl_cipher;

/* HMAC_Init_ex and HMAC take the key's length as int, and EVP_MAC's HMAC calls HMAC_Init_ex. */
#define HMAC_KEY_BYTES_MAX ((size_t)INT_MAX)

/* Facts common to MACs; `...` adds `.over` where a call style needs one. */
#define OPENSSL_MAC(id, style, sentence, functions, block, tag, key_min, key_max, key_default,     \
                    ...)                                                                           \
    &(const jm_implementation){.algorithm = id,                                                    \
                               .variant = style,                                                   \
                               .note = sentence,                                                   \
                               .kind = JM_KIND_MAC,                                                \
                               .lanes = 1,                                                         \
                               .block_bytes = block,                                               \
                               .output_bytes = tag,                                                \
                               .key_bytes_min = key_min,                                           \
                               .key_bytes_max = key_max,                                           \
                               .key_bytes = key_default,                                           \
                               .mac = &functions,                                                  \
                               __VA_ARGS__}

#define OPENSSL_HMAC(hash, style, sentence, functions, block, tag, ...)                            \
    OPENSSL_MAC("hmac-" hash, style, sentence, functions, block, tag, 0, HMAC_KEY_BYTES_MAX, tag,  \
                __VA_ARGS__)

/* `key`, or a valid pointer in place of NULL: for OpenSSL a NULL key means the key set before. */
static inline const uint8_t *some_key(const uint8_t *key) {
    return key ? key : (const uint8_t *)"";
}

#endif
