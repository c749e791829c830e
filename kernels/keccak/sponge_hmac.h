/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC (RFC 2104, section 2; FIPS 198-1, section 4) over a hash of the Keccak family: the part
 * shared by its variants. The key state is the sponge's two states after the padded key's block, so
 * that a tag costs the message's own blocks and one more. hmac/hmac.h is HMAC over hashes of the
 * Merkle-Damgard kind, whose chaining values are shorter and whose padding contains the length. */
#ifndef JM_SPONGE_HMAC_H
#define JM_SPONGE_HMAC_H

#include "common/secret.h"
#include "keccak/keccak.h"

typedef struct {
    uint64_t live; /* JM_LIVE */
    _Alignas(JM_STATE_ALIGN) uint64_t inner[KECCAK_WORDS];
    uint64_t outer[KECCAK_WORDS];
} keccak_hmac_key;

typedef struct {
    uint64_t live; /* JM_LIVE */
    keccak_state inner;
    uint64_t outer[KECCAK_WORDS];
} keccak_hmac_stream;

#endif
