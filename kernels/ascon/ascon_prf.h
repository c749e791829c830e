/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon-Mac and Ascon-Prf (Dobraunig, Eichlseder, Mendel, Schlaeffer: Ascon PRF, MAC, and
 * Short-Input MAC, 2021, section 2), the latter with the first 16 bytes of its output, over the
 * permutation of ascon_rounds.h: 32 bytes of the message for each permutation.
 *
 * The key state is the state after the key's permutation, so that a tag starts with the message. A
 * file that includes this ends with JM_ASCON_PRF. */
#ifndef JM_ASCON_PRF_H
#define JM_ASCON_PRF_H

#include "ascon/ascon_rounds.h"
#include "common/block_mac.h"

enum { ASCON_PRF_RATE_BYTES = 32, ASCON_PRF_KEY_BYTES = 16, ASCON_PRF_TAG_BYTES = 16 };

/* Bits of the key, bits of a block of output, 128 and the rounds, and the length of the output in
 * bits: of Ascon-Mac 128, of Ascon-Prf 0, because it is not fixed. */
#define ASCON_MAC_PARAMETERS UINT64_C(0x80808c0000000080)
#define ASCON_PRF_PARAMETERS UINT64_C(0x80808c0000000000)

/* A chaining value, words of the permutation, and registers that are saved or spilled. */
enum { ASCON_PRF_STACK_BYTES = 448 };

/* As permute() has them: word 2 is inverted, in key states and chaining values too, since whatever
 * is added to it is added to its inverse as well. */
typedef struct {
    uint64_t x[ASCON_WORDS];
} ascon_words;

JM_INLINE void ascon_keyed_set(ascon_words *to, const uint8_t *key, uint64_t parameters) {
    uint64_t x[ASCON_WORDS] = {parameters, load_be64(key), ~load_be64(key + 8), 0, 0};
    permute(x);
    for (size_t i = 0; i < ASCON_WORDS; i++) to->x[i] = x[i];
}

JM_INLINE void ascon_keyed_absorb(ascon_words *chain, const uint8_t *blocks, size_t count) {
    uint64_t x[ASCON_WORDS];
    for (size_t i = 0; i < ASCON_WORDS; i++) x[i] = chain->x[i];
    for (; count; count--, blocks += ASCON_PRF_RATE_BYTES) {
        for (size_t i = 0; i < 4; i++) x[i] ^= load_be64(blocks + 8 * i);
        permute(x);
    }
    for (size_t i = 0; i < ASCON_WORDS; i++) chain->x[i] = x[i];
}

/* The padding is the highest bit of the next byte; the lowest bit of the last word tells the last
 * block from the others. */
JM_INLINE void ascon_keyed_finish(ascon_words *chain, const uint8_t *rest, size_t rest_bytes,
                                  uint8_t *tag) {
    uint64_t x[ASCON_WORDS];
    for (size_t i = 0; i < ASCON_WORDS; i++) x[i] = chain->x[i];
    for (size_t i = 0; i < 4; i++) {
        if (rest_bytes < 8 * i) break;
        if (rest_bytes >= 8 * i + 8) {
            x[i] ^= load_be64(rest + 8 * i);
            continue;
        }
        const size_t bytes = rest_bytes - 8 * i;
        const uint64_t part = load_le64_partial(rest + 8 * i, bytes);
        x[i] ^= __builtin_bswap64(part | UINT64_C(0x80) << 8 * bytes);
    }
    x[4] ^= 1;
    permute(x);
    store_be64(tag, x[0]);
    store_be64(tag + 8, x[1]);
}

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
