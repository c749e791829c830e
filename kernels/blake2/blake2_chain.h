/* SPDX-License-Identifier: Apache-2.0
 * The chaining value of BLAKE2 in general registers, of the `word` that the including file has
 * defined. */
#ifndef JM_BLAKE2_CHAIN_H
#define JM_BLAKE2_CHAIN_H

#include "blake2/blake2.h"

enum { BLOCK_BYTES = 16 * sizeof(word) };

/* `absorbed` counts the bytes of the message. Its second word, which RFC 7693 has for longer
 * messages than a size_t can say, is always 0 in BLAKE2b. */
typedef struct {
    word h[8];
    uint64_t absorbed;
} blake2_chain;

#endif
