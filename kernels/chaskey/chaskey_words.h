/* SPDX-License-Identifier: Apache-2.0
 *
 * Chaskey, Chaskey-12 and Chaskey-LTS (Mouha et al., 2014, section 3), written once for the
 * variants that differ in instructions.
 *
 * The includer defines, above:
 *     STACK_BYTES        common/secret.h
 *     ROTATE             rotation to the left by a constant
 *     PERMUTE_INLINE     how `permute` is declared, JM_INLINE or JM_ONCE
 *     PERMUTE_UNROLLED   the pragma that unrolls rounds, or nothing
 * It ends with CHASKEY_VARIANT. State layout: a key is K, K1, K2 and JM_LIVE; a chaining value is
 * four words. The last block is loaded without passing through memory, unless JM_NARROW is defined.
 */
#ifndef JM_CHASKEY_WORDS_H
#define JM_CHASKEY_WORDS_H

#include "chaskey/chaskey.h"
#include "common/block_mac.h"
#include "common/words.h"

/* Four names instead of an array: a compiler keeps them in registers, even if it does not unroll
 * loops. */
typedef struct {
    uint32_t v0, v1, v2, v3;
} chaskey_words;

/* Section 3.1: K, K1 = 2 K for a whole last block, K2 = 4 K for a padded one. */
typedef struct {
    chaskey_words k, whole, padded;
} chaskey_key;

JM_INLINE void add(chaskey_words *to, const chaskey_words *words) {
    to->v0 ^= words->v0;
    to->v1 ^= words->v1;
    to->v2 ^= words->v2;
    to->v3 ^= words->v3;
}

JM_INLINE chaskey_words load_words(const uint8_t *from) {
    return (chaskey_words){load_le32(from), load_le32(from + 4), load_le32(from + 8),
                           load_le32(from + 12)};
}

/* The permutation pi of figure 1, with any number of rounds. */
PERMUTE_INLINE void permute(chaskey_words *words, unsigned rounds) {
    uint32_t v0 = words->v0, v1 = words->v1, v2 = words->v2, v3 = words->v3;
    PERMUTE_UNROLLED
    for (unsigned i = 0; i < rounds; i++) {
        v0 += v1;
        v2 += v3;
        v1 = ROTATE(v1, 5) ^ v0;
        v3 = ROTATE(v3, 8) ^ v2;
        v0 = ROTATE(v0, 16);
        v2 += v1;
        v0 += v3;
        v1 = ROTATE(v1, 7) ^ v2;
        v3 = ROTATE(v3, 13) ^ v0;
        v2 = ROTATE(v2, 16);
    }
    *words = (chaskey_words){v0, v1, v2, v3};
}

/* Multiplies by x in GF(2^128): word 3 has the highest bits. The mask instead of a branch keeps the
 * time independent of the key. */
JM_INLINE chaskey_words twice(const chaskey_words *k) {
    unsigned fell_out = (unsigned)(k->v3 >> 31);
    JM_PIN("r", fell_out); /* else Clang branches on it, for MSP430 */
    return (chaskey_words){k->v0 << 1 ^ ((0u - fell_out) & 0x87u), k->v1 << 1 | k->v0 >> 31,
                           k->v2 << 1 | k->v1 >> 31, k->v3 << 1 | k->v2 >> 31};
}

JM_INLINE void chaskey_set(chaskey_key *to, const uint8_t *key, size_t key_bytes) {
    (void)key_bytes;
    to->k = load_words(key);
    to->whole = twice(&to->k);
    to->padded = twice(&to->whole);
}

JM_INLINE void chaskey_begin(chaskey_words *chain, const chaskey_key *key) {
    *chain = key->k;
}

JM_INLINE void chaskey_absorb(chaskey_words *chain, const uint8_t *blocks, size_t count,
                              unsigned rounds) {
    chaskey_words words = *chain;
    for (; count; count--, blocks += CHASKEY_BLOCK_BYTES) {
        const chaskey_words block = load_words(blocks);
        add(&words, &block);
        permute(&words, rounds);
    }
    *chain = words;
}

/* Absorbs the last block, padded with a byte 1 and zeros if it is not whole, and stores the tag. */
JM_INLINE void chaskey_finish(const chaskey_words *chain, const chaskey_key *key,
                              const uint8_t *rest, size_t rest_bytes, uint8_t *tag,
                              unsigned rounds) {
    const bool whole = rest_bytes == CHASKEY_BLOCK_BYTES;
    const chaskey_words *const last = whole ? &key->whole : &key->padded;
    chaskey_words words = *chain, block;
    if (whole) {
        block = load_words(rest);
    } else {
        uint64_t part[2];
        load_le128_partial(rest, rest_bytes, 1, part);
        block = (chaskey_words){(uint32_t)part[0], (uint32_t)(part[0] >> 32), (uint32_t)part[1],
                                (uint32_t)(part[1] >> 32)};
    }
    add(&words, &block);
    add(&words, last);
    permute(&words, rounds);
    add(&words, last);
    store_le32(tag, words.v0);
    store_le32(tag + 4, words.v1);
    store_le32(tag + 8, words.v2);
    store_le32(tag + 12, words.v3);
}

/* One function of the family. */
#define CHASKEY(name_, id_, rounds_, variant_, note_)                                              \
    JM_INLINE void name_##_set(chaskey_key *to, const uint8_t *key, size_t key_bytes) {            \
        chaskey_set(to, key, key_bytes);                                                           \
    }                                                                                              \
    JM_INLINE void name_##_begin(chaskey_words *chain, const chaskey_key *key) {                   \
        chaskey_begin(chain, key);                                                                 \
    }                                                                                              \
    JM_INLINE void name_##_absorb(chaskey_words *chain, const chaskey_key *key,                    \
                                  const uint8_t *blocks, size_t count) {                           \
        (void)key;                                                                                 \
        chaskey_absorb(chain, blocks, count, rounds_);                                             \
    }                                                                                              \
    JM_INLINE void name_##_finish(chaskey_words *chain, const chaskey_key *key,                    \
                                  const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,    \
                                  uint8_t *tag) {                                                  \
        (void)total_bytes;                                                                         \
        chaskey_finish(chain, key, rest, rest_bytes, tag, rounds_);                                \
    }                                                                                              \
    JM_BLOCK_MAC_DEFINE(name_, id_, variant_, 0, true, note_, chaskey_key, chaskey_words,          \
                        CHASKEY_BLOCK_BYTES, CHASKEY_TAG_BYTES, CHASKEY_KEY_BYTES,                 \
                        CHASKEY_KEY_BYTES, true, STACK_BYTES)

#define CHASKEY_VARIANT(variant_, note_)                                                           \
    CHASKEY(chaskey_8, "chaskey-8", 8, variant_, note_)                                            \
    CHASKEY(chaskey_12, "chaskey-12", 12, variant_, note_)                                         \
    CHASKEY(chaskey_lts, "chaskey-lts", 16, variant_, note_)

#endif
