/* SPDX-License-Identifier: Apache-2.0
 * The checksums of SUPERCOP (Bernstein and Lange, eBACS; try-anything.c of 2019-07-29 and the try.c
 * of each operation), which say whether an implementation computes a primitive: one digest of its
 * outputs on inputs from a generator. Hashes are tried as crypto_hash, MACs as crypto_auth and
 * crypto_onetimeauth, which differ in nothing that the checksum sees. */
#ifndef JM_SUPERCOP_CHECKSUM_H
#define JM_SUPERCOP_CHECKSUM_H

#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JM_SUPERCOP_CHECKSUM_BYTES 32u

typedef struct jm_supercop_request {
    size_t key_bytes;    /* of a MAC's keys */
    size_t output_bytes; /* taken of each output; at most the implementation's */
    bool big;            /* checksumbig: messages to 4096 bytes, eight times as many */
} jm_supercop_request;

/* Errors: those of the implementation, JM_ERR_MEMORY, and JM_ERR_LIBRARY for a cipher, for which
 * there is no such operation. */
jm_status jm_supercop_checksum(const jm_implementation *self, const jm_supercop_request *request,
                               uint8_t checksum[JM_SUPERCOP_CHECKSUM_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
