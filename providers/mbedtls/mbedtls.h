/* SPDX-License-Identifier: Apache-2.0
 * The tables that make up the Mbed TLS plugin. Versions 2 and 3 are called by their classic
 * interface, in the file of each table. Version 4 has PSA alone, which psa.c calls. */
#ifndef JM_MBEDTLS_H
#define JM_MBEDTLS_H

#include "common/table.h"
#include "provider.h"

/* Only version 4 has this header: its cryptography is a library of another name. */
#if __has_include(<tf-psa-crypto/version.h>)
#define JM_MBEDTLS_PSA 1
#else
#define JM_MBEDTLS_PSA 0
#endif

extern const jm_table jm_mbedtls_hmac, jm_mbedtls_cmac, jm_mbedtls_aes, jm_mbedtls_hash;

static inline jm_status status_of(int code) {
    return code == 0 ? JM_OK : JM_ERR_LIBRARY;
}

/* `bytes`, or a valid pointer in place of NULL, for calls that would pass NULL to memcpy. */
static inline const uint8_t *some_bytes(const uint8_t *bytes) {
    return bytes ? bytes : (const uint8_t *)"";
}

#if JM_MBEDTLS_PSA
#include <psa/crypto.h>

/* What PSA must know about a key when it is imported. An implementation's `over` points to it, or
 * to the psa_algorithm_t of a hash. */
typedef struct {
    psa_key_type_t type;
    psa_algorithm_t algorithm;
} jm_psa_key_use;

extern const jm_mac_functions jm_psa_mac, jm_psa_gmac;
extern const jm_cipher_functions jm_psa_aes;
extern const jm_hash_functions jm_psa_hash;
#endif

#endif
