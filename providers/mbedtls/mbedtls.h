/* SPDX-License-Identifier: Apache-2.0
 * The tables that make up the Mbed TLS plugin. */
#ifndef JM_MBEDTLS_H
#define JM_MBEDTLS_H

#include "common/table.h"
#include "provider.h"

extern const jm_table jm_mbedtls_hmac, jm_mbedtls_cmac, jm_mbedtls_aes, jm_mbedtls_hash;

static inline jm_status status_of(int code) {
    return code == 0 ? JM_OK : JM_ERR_LIBRARY;
}

/* `bytes`, or a valid pointer in place of NULL, for calls that would pass NULL to memcpy. */
static inline const uint8_t *some_bytes(const uint8_t *bytes) {
    return bytes ? bytes : (const uint8_t *)"";
}

#endif
