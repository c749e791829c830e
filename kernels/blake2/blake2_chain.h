/* SPDX-License-Identifier: Apache-2.0
 * The chaining value of BLAKE2 in general registers, of the `word` that the including file has
 * defined. */
#ifndef JM_BLAKE2_CHAIN_H
#define JM_BLAKE2_CHAIN_H

#include "blake2/blake2.h"

enum { BLOCK_BYTES = 16 * sizeof(word) };

/* `absorbed` counts the bytes of the message. The counter's second word in BLAKE2b, which RFC 7693
 * has for messages longer than any size_t, is always 0. */
typedef struct {
    word h[8];
    uint64_t absorbed;
} blake2_chain;

#endif
