/* SPDX-License-Identifier: Apache-2.0
 *
 * Whirlpool (Barreto and Rijmen, final version of 2003; ISO/IEC 10118-3): the part that all
 * variants share. A state is eight rows of eight bytes; a row is a word whose highest byte is
 * column 0.
 *
 * Not constant time: bytes of the state are indices of a table, so that the time depends on which
 * parts of the table are in the cache, and reveals facts about messages to those who share that
 * cache. */
#ifndef JM_WHIRLPOOL_H
#define JM_WHIRLPOOL_H

#include "common/block_hash.h"
#include "joulemark/kernel.h"

enum { WHIRLPOOL_ROWS = 8, WHIRLPOOL_ROUNDS = 10, WHIRLPOOL_BYTES = 64 };
enum { WHIRLPOOL_LENGTH_BYTES = 32 }; /* of the field for the message's length in bits */

/* The last line of a variant's file, which has included whirlpool_rounds.h. */
#define JM_WHIRLPOOL_VARIANT(variant_, note_)                                                      \
    static const jm_block_hash hash = {                                                            \
        .chain_bytes = WHIRLPOOL_BYTES,                                                            \
        .block_bytes = WHIRLPOOL_BYTES,                                                            \
        .init = init,                                                                              \
        .absorb = absorb,                                                                          \
        .finish = finish,                                                                          \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(whirlpool, "whirlpool", variant_, 0, , JM_TIMING_VARIABLE, note_,         \
                         WHIRLPOOL_BYTES, WHIRLPOOL_BYTES, hash)

extern const jm_implementation jm_whirlpool_portable, jm_whirlpool_unaligned;

#endif
