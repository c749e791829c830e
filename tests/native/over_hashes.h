/* SPDX-License-Identifier: Apache-2.0
 * All hashes without an HMAC kernel share the same HMAC code. Slow tests try it over two of these
 * hashes: a sponge, and a hash that pads to blocks. */
#ifndef JM_OVER_HASHES_H
#define JM_OVER_HASHES_H

#include <string.h>

#include "hmac/hmac_over_hash.h"

static inline bool is_left_out(const jm_implementation *self) {
    return jm_is_hmac_over_hash(self) && strcmp(self->algorithm, "hmac-keccak-256") &&
           strcmp(self->algorithm, "hmac-sha512-256");
}

#endif
