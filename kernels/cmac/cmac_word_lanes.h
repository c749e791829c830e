/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B) for a batch of messages in LANES lanes, over a cipher of four 32-bit words
 * (cmac/word_cipher.h) whose schedule is an array of words.
 *
 * The file that includes this one has defined LANES and included a lanes/v32_*.h, whose vectors
 * hold one word of VEC_LANES lanes. With the types below it writes word_lanes_encrypt(x, key, own),
 * inlined, which encrypts x with round keys of word_lanes_key. Then it defines KEY_WORDS, the
 * number of words of a schedule, and includes cmac/cmac_word_lanes_batch.h.
 *
 * With more than one vector the cipher takes each step in all vectors before the next step, so that
 * the latency of one vector hides behind the others. */
#ifndef JM_CMAC_WORD_LANES_H
#define JM_CMAC_WORD_LANES_H

#if !defined(LANES) || !defined(VEC_LANES)
#error "a parameter of cmac/cmac_word_lanes.h is missing"
#endif
_Static_assert(LANES % VEC_LANES == 0, "whole vectors");

#include "cmac/cmac.h"
#include "common/batch.h"
#include "common/secret.h"
#include "common/words.h"
#include "lanes/scheduler.h"

enum {
    VECTORS = LANES / VEC_LANES,
    CHUNK_BLOCKS = JM_CHUNK_BYTES / JM_CMAC_BLOCK_BYTES,
    BLOCK_WORDS = JM_CMAC_BLOCK_BYTES / 4,
};

/* The four words of a block in all lanes. */
typedef struct {
    vec v[VECTORS][BLOCK_WORDS];
} word_lanes_block;

/* Word i of the round keys in vector v. `key` is one schedule for all lanes or, if lanes have their
 * `own` keys, the words of all lanes: word i of vector 0, of vector 1, and so on. */
JM_INLINE vec word_lanes_key(const vec_word *key, bool own, unsigned i, unsigned v) {
    if (own) return vec_load(key + (i * VECTORS + v) * VEC_LANES);
    return vec_set1(key[i]);
}

#endif
