/* SPDX-License-Identifier: Apache-2.0
 *
 * Absorbs whole blocks of a message into a chaining value of bytes, by our own kernels: the
 * function crypto_hashblocks of eBACS, which outside code calls. A plugin that is made of such code
 * is linked with libjoulemark.a and declares these two functions itself. */
#ifndef JM_HASH_BLOCKS_H
#define JM_HASH_BLOCKS_H

#include "joulemark/kernel.h"

/* The preferred variant of one of our hashes that this CPU can run; NULL if there is no such hash.
 */
const jm_implementation *jm_hash_chosen(const char *algorithm);

/* Absorbs the whole blocks of `message` into `state`, whose words are in the byte order of the
 * digest; returns the number of bytes left over. `hash` comes from jm_hash_chosen and is of the
 * kind of MD5, SHA-1 and SHA-2 (common/merkle_damgard.h). */
size_t jm_hash_blocks(const jm_implementation *hash, uint8_t *state, const uint8_t *message,
                      size_t message_bytes);

#endif
