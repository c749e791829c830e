/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascon-Mac and Ascon-Prf (Dobraunig, Eichlseder, Mendel, Schlaeffer: Ascon PRF, MAC, and
 * Short-Input MAC, 2021, section 2), the latter with the first 16 bytes of its output, over the
 * permutation of ascon_rounds.h: 32 bytes of the message for each permutation.
 *
 * The key state is the state after the key's permutation, so that a tag starts with the message.
 *
 * The includer defines nothing, and ends with JM_ASCON_PRF. */
#ifndef JM_ASCON_PRF_H
#define JM_ASCON_PRF_H

#include "ascon/ascon_prf_family.h"
#include "ascon/ascon_rounds.h"
#include "common/block_mac.h"

/* A chaining value, words of the permutation, and registers that are saved or spilled. */
#if defined(__AVR__)
enum { ASCON_PRF_STACK_BYTES = 704 };
#elif defined(JM_FREESTANDING)
enum { ASCON_PRF_STACK_BYTES = 1408 };
#elif defined(__arm__)
enum { ASCON_PRF_STACK_BYTES = 960 }; /* GCC keeps all words of twelve unrolled rounds */
#else
enum { ASCON_PRF_STACK_BYTES = 448 };
#endif

/* Words as permute() takes them: word 2 is inverted, in key states and chaining values too. Adding
 * to the inverted word has the same effect as adding to the word. */
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

/* The padding sets the highest bit of the next byte; the lowest bit of the state's last word marks
 * the last block. */
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

#endif
