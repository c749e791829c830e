/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of AEGISMAC-128L and AEGISMAC-256 (draft-irtf-cfrg-aegis-aead-18, sections 3, 4 and
 * 8), written once over a block of AES.
 *
 * The includer defines, above:
 *     aegis_block                                      // 16 bytes
 *     aegis_block aegis_load(const uint8_t *from);
 *     void aegis_store(uint8_t *to, aegis_block block);
 *     aegis_block aegis_xor(aegis_block a, aegis_block b);
 *     aegis_block aegis_words(uint64_t low, uint64_t high); // little-endian
 *     // to[i] = AESRound(from[i], key[i]); `count` is 8 or 6, a constant.
 *     void aegis_rounds(aegis_block *to, const aegis_block *from, const aegis_block *key,
 *                       size_t count);
 *
 * A key state holds the state after Init with the nonce, so that messages with one nonce, which the
 * draft allows, share it. */
#ifndef JM_AEGIS_MAC_H
#define JM_AEGIS_MAC_H

#include "aegis/aegis.h"
#include "common/block_mac.h"
#include "common/words.h"

enum { AEGIS_128L_BLOCKS = 8, AEGIS_256_BLOCKS = 6, AEGIS_FINAL_UPDATES = 7 };

/* Section 2: C0 and C1. */
static const uint8_t aegis_constants[2][16] = {
    {0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79,
     0x62},
    {0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28,
     0xdd},
};

typedef struct {
    aegis_block s[AEGIS_128L_BLOCKS];
} aegis_128l_state;

typedef struct {
    aegis_block s[AEGIS_256_BLOCKS];
} aegis_256_state;

/* Replaces every block by an AES round of the block before it, with the block itself as the key. */
JM_INLINE void aegis_next(aegis_block *s, const aegis_block *key, size_t count) {
    aegis_block before[AEGIS_128L_BLOCKS];
    before[0] = s[count - 1];
    JM_UNROLL(8)
    for (size_t i = 1; i < count; i++) before[i] = s[i - 1];
    aegis_rounds(s, before, key, count);
}

/* The exclusive or of blocks `first` to `last` of a state. */
JM_INLINE aegis_block aegis_sum(const aegis_block *s, size_t first, size_t last) {
    aegis_block sum = s[first];
    JM_UNROLL(8)
    for (size_t i = first + 1; i <= last; i++) sum = aegis_xor(sum, s[i]);
    return sum;
}

/* ---- AEGIS-128L, section 3 ---- */

JM_INLINE void aegis_128l_update(aegis_128l_state *state, aegis_block m0, aegis_block m1) {
    aegis_128l_state key = *state;
    key.s[0] = aegis_xor(key.s[0], m0);
    key.s[4] = aegis_xor(key.s[4], m1);
    aegis_next(state->s, key.s, AEGIS_128L_BLOCKS);
}

typedef struct {
    aegis_128l_state state;
    aegis_block key;
} aegismac_128l_key;

JM_INLINE void aegismac_128l_init(aegismac_128l_key *to, aegis_block nonce) {
    const aegis_block key = to->key, both = aegis_xor(key, nonce);
    const aegis_block c0 = aegis_load(aegis_constants[0]), c1 = aegis_load(aegis_constants[1]);
    const aegis_block key_c0 = aegis_xor(key, c0), key_c1 = aegis_xor(key, c1);
    aegis_128l_state state = {{both, c1, c0, c1, both, key_c0, key_c1, key_c0}};
    for (size_t i = 0; i < 10; i++) aegis_128l_update(&state, nonce, key);
    to->state = state;
}

JM_INLINE void aegismac_128l_nonce(aegismac_128l_key *to, const uint8_t *nonce) {
    aegismac_128l_init(to, aegis_load(nonce));
}

JM_INLINE void aegismac_128l_set(aegismac_128l_key *to, const uint8_t *key, size_t key_bytes) {
    (void)key_bytes;
    to->key = aegis_load(key);
    aegismac_128l_init(to, aegis_words(0, 0));
}

JM_INLINE void aegismac_128l_begin(aegis_128l_state *chain, const aegismac_128l_key *key) {
    *chain = key->state;
}

JM_INLINE void aegismac_128l_absorb(aegis_128l_state *chain, const aegismac_128l_key *key,
                                    const uint8_t *blocks, size_t count) {
    (void)key;
    aegis_128l_state state = *chain;
    for (; count; count--, blocks += JM_AEGIS_128L_BLOCK_BYTES)
        aegis_128l_update(&state, aegis_load(blocks), aegis_load(blocks + 16));
    *chain = state;
}

JM_INLINE void aegismac_128l_finish(aegis_128l_state *chain, const aegismac_128l_key *key,
                                    const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                                    uint8_t *tag) {
    if (rest_bytes) {
        _Alignas(16) uint8_t padded[JM_AEGIS_128L_BLOCK_BYTES];
        jm_pad_block(padded, sizeof padded, rest, rest_bytes, 0);
        aegismac_128l_absorb(chain, key, padded, 1);
    }
    aegis_128l_state state = *chain;
    const aegis_block lengths = aegis_words(8 * total_bytes, 8 * JM_AEGIS_128L_TAG_BYTES);
    const aegis_block t = aegis_xor(state.s[2], lengths);
    for (size_t i = 0; i < AEGIS_FINAL_UPDATES; i++) aegis_128l_update(&state, t, t);
    aegis_store(tag, aegis_sum(state.s, 0, 6));
}

/* ---- AEGIS-256, section 4 ---- */

JM_INLINE void aegis_256_update(aegis_256_state *state, aegis_block m) {
    aegis_256_state key = *state;
    key.s[0] = aegis_xor(key.s[0], m);
    aegis_next(state->s, key.s, AEGIS_256_BLOCKS);
}

typedef struct {
    aegis_256_state state;
    aegis_block key[2];
} aegismac_256_key;

JM_INLINE void aegismac_256_init(aegismac_256_key *to, aegis_block n0, aegis_block n1) {
    const aegis_block k0 = to->key[0], k1 = to->key[1];
    const aegis_block both0 = aegis_xor(k0, n0), both1 = aegis_xor(k1, n1);
    const aegis_block c0 = aegis_load(aegis_constants[0]), c1 = aegis_load(aegis_constants[1]);
    aegis_256_state state = {{both0, both1, c1, c0, aegis_xor(k0, c0), aegis_xor(k1, c1)}};
    for (size_t i = 0; i < 4; i++) {
        aegis_256_update(&state, k0);
        aegis_256_update(&state, k1);
        aegis_256_update(&state, both0);
        aegis_256_update(&state, both1);
    }
    to->state = state;
}

JM_INLINE void aegismac_256_nonce(aegismac_256_key *to, const uint8_t *nonce) {
    aegismac_256_init(to, aegis_load(nonce), aegis_load(nonce + 16));
}

JM_INLINE void aegismac_256_set(aegismac_256_key *to, const uint8_t *key, size_t key_bytes) {
    (void)key_bytes;
    to->key[0] = aegis_load(key);
    to->key[1] = aegis_load(key + 16);
    aegismac_256_init(to, aegis_words(0, 0), aegis_words(0, 0));
}

JM_INLINE void aegismac_256_begin(aegis_256_state *chain, const aegismac_256_key *key) {
    *chain = key->state;
}

JM_INLINE void aegismac_256_absorb(aegis_256_state *chain, const aegismac_256_key *key,
                                   const uint8_t *blocks, size_t count) {
    (void)key;
    aegis_256_state state = *chain;
    for (; count; count--, blocks += JM_AEGIS_256_BLOCK_BYTES)
        aegis_256_update(&state, aegis_load(blocks));
    *chain = state;
}

JM_INLINE void aegismac_256_finish(aegis_256_state *chain, const aegismac_256_key *key,
                                   const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                                   uint8_t *tag) {
    if (rest_bytes) {
        _Alignas(16) uint8_t padded[JM_AEGIS_256_BLOCK_BYTES];
        jm_pad_block(padded, sizeof padded, rest, rest_bytes, 0);
        aegismac_256_absorb(chain, key, padded, 1);
    }
    aegis_256_state state = *chain;
    const aegis_block lengths = aegis_words(8 * total_bytes, 8 * JM_AEGIS_256_TAG_BYTES);
    const aegis_block t = aegis_xor(state.s[3], lengths);
    for (size_t i = 0; i < AEGIS_FINAL_UPDATES; i++) aegis_256_update(&state, t);
    aegis_store(tag, aegis_sum(state.s, 0, 2));
    aegis_store(tag + 16, aegis_sum(state.s, 3, 5));
}

/* jm_aegismac_128l_<variant_> and jm_aegismac_256_<variant_>. */
#define JM_AEGIS_MACS(variant_, features_, stack_bytes_, note_)                                    \
    JM_BLOCK_MAC_DEFINE_WITH_NONCE(aegismac_128l, "aegismac-128l", variant_, features_, true,      \
                                   note_, aegismac_128l_key, aegis_128l_state,                     \
                                   JM_AEGIS_128L_BLOCK_BYTES, JM_AEGIS_128L_TAG_BYTES,             \
                                   JM_AEGIS_128L_KEY_BYTES, JM_AEGIS_128L_KEY_BYTES, false,        \
                                   stack_bytes_, JM_AEGIS_128L_KEY_BYTES)                          \
    JM_BLOCK_MAC_DEFINE_WITH_NONCE(                                                                \
        aegismac_256, "aegismac-256", variant_, features_, true, note_, aegismac_256_key,          \
        aegis_256_state, JM_AEGIS_256_BLOCK_BYTES, JM_AEGIS_256_TAG_BYTES, JM_AEGIS_256_KEY_BYTES, \
        JM_AEGIS_256_KEY_BYTES, false, stack_bytes_, JM_AEGIS_256_KEY_BYTES)

#endif
