/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters of Ascon-Mac and Ascon-Prf, and their implementations over any `ascon_words`, the
 * state of a variant.
 *
 * The includer defines:
 *     ascon_words
 *     ASCON_PRF_STACK_BYTES   // common/secret.h
 *     void ascon_keyed_set(ascon_words *to, const uint8_t *key, uint64_t parameters);
 *     void ascon_keyed_absorb(ascon_words *chain, const uint8_t *blocks, size_t count);
 *     void ascon_keyed_finish(ascon_words *chain, const uint8_t *rest, size_t rest_bytes,
 *                             uint8_t *tag);
 * and ends with JM_ASCON_PRF. */
#ifndef JM_ASCON_PRF_FAMILY_H
#define JM_ASCON_PRF_FAMILY_H

#include "ascon/ascon.h"
#include "common/block_mac.h"

enum { ASCON_PRF_RATE_BYTES = 32, ASCON_PRF_KEY_BYTES = 16, ASCON_PRF_TAG_BYTES = 16 };

/* From the highest byte: bits of the key, bits of a block of output, 128 + the number of rounds,
 * and at the end the length of the output in bits: 128 for Ascon-Mac, 0 for Ascon-Prf, where it is
 * not fixed. */
#define ASCON_MAC_PARAMETERS UINT64_C(0x80808c0000000080)
#define ASCON_PRF_PARAMETERS UINT64_C(0x80808c0000000000)

/* A function of the family: they differ in their parameters alone. */
#define ASCON_KEYED(name_, id_, parameters_, variant_, features_, note_)                           \
    JM_INLINE void name_##_set(ascon_words *to, const uint8_t *key, size_t key_bytes) {            \
        (void)key_bytes;                                                                           \
        ascon_keyed_set(to, key, parameters_);                                                     \
    }                                                                                              \
    JM_INLINE void name_##_begin(ascon_words *chain, const ascon_words *key) {                     \
        *chain = *key;                                                                             \
    }                                                                                              \
    JM_INLINE void name_##_absorb(ascon_words *chain, const ascon_words *key,                      \
                                  const uint8_t *blocks, size_t count) {                           \
        (void)key;                                                                                 \
        ascon_keyed_absorb(chain, blocks, count);                                                  \
    }                                                                                              \
    JM_INLINE void name_##_finish(ascon_words *chain, const ascon_words *key, const uint8_t *rest, \
                                  size_t rest_bytes, uint64_t total_bytes, uint8_t *tag) {         \
        (void)key, (void)total_bytes;                                                              \
        ascon_keyed_finish(chain, rest, rest_bytes, tag);                                          \
    }                                                                                              \
    JM_BLOCK_MAC_DEFINE(name_, id_, variant_, features_, true, note_, ascon_words, ascon_words,    \
                        ASCON_PRF_RATE_BYTES, ASCON_PRF_TAG_BYTES, ASCON_PRF_KEY_BYTES,            \
                        ASCON_PRF_KEY_BYTES, false, ASCON_PRF_STACK_BYTES)

#define JM_ASCON_PRF(variant_, features_, note_)                                                   \
    ASCON_KEYED(ascon_mac, "ascon-mac", ASCON_MAC_PARAMETERS, variant_, features_, note_)          \
    ASCON_KEYED(ascon_prf, "ascon-prf", ASCON_PRF_PARAMETERS, variant_, features_, note_)

#endif
