/* SPDX-License-Identifier: Apache-2.0
 * The tables that make up the libgcrypt plugin. `over` of each implementation points to the
 * library's number of the algorithm (`gcrypt_number`). */
#ifndef JM_LIBGCRYPT_H
#define JM_LIBGCRYPT_H

#include <gcrypt.h>

#include "common/table.h"
#include "provider.h"

typedef struct {
    int number; /* GCRY_MAC_, GCRY_MD_ or GCRY_CIPHER_ */
} gcrypt_number;

extern const jm_table jm_gcrypt_mac, jm_gcrypt_keyed_hash, jm_gcrypt_hash, jm_gcrypt_cipher;

static inline jm_status status_of(gcry_error_t error) {
    return error ? JM_ERR_LIBRARY : JM_OK;
}

/* `bytes`, or a valid pointer in place of NULL, for calls that would pass NULL to memcpy. */
static inline const uint8_t *some_bytes(const uint8_t *bytes) {
    return bytes ? bytes : (const uint8_t *)"";
}

#endif
