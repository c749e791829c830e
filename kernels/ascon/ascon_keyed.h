/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of Ascon-Mac and Ascon-Prf (ascon_prf_family.h) for states that are not five words
 * of 64 bits.
 *
 * The includer defines, above:
 *     ASCON_PRF_STACK_BYTES   // common/secret.h
 *     ascon_words             // the state
 *     // Adds the eight bytes at `from` to word i.
 *     void add_word(ascon_words *x, size_t i, const uint8_t *from);
 *     // Stores the eight bytes of word i.
 *     void put_word(uint8_t *to, const ascon_words *x, size_t i);
 *     // Ascon-p[12].
 *     void permute(ascon_words *x); */
#ifndef JM_ASCON_KEYED_H
#define JM_ASCON_KEYED_H

#include "ascon/ascon_prf_family.h"

static void ascon_keyed_set(ascon_words *to, const uint8_t *key, uint64_t parameters) {
    uint8_t first[8];
    store_be64(first, parameters);
    memset(to, 0, sizeof *to);
    add_word(to, 0, first);
    add_word(to, 1, key);
    add_word(to, 2, key + 8);
    permute(to);
}

JM_ONCE void add_block(ascon_words *chain, const uint8_t *block) {
    for (size_t i = 0; i < 4; i++, block += 8) add_word(chain, i, block);
}

static void ascon_keyed_absorb(ascon_words *chain, const uint8_t *blocks, size_t count) {
    for (; count; count--, blocks += ASCON_PRF_RATE_BYTES) {
        add_block(chain, blocks);
        permute(chain);
    }
}

/* The padding sets the highest bit of the next byte; the lowest bit of the state's last word marks
 * the last block. */
static void ascon_keyed_finish(ascon_words *chain, const uint8_t *rest, size_t rest_bytes,
                               uint8_t *tag) {
    static const uint8_t last_block[8] = {[7] = 1};
    uint8_t block[ASCON_PRF_RATE_BYTES] = {0};
    for (size_t i = 0; i < rest_bytes; i++) block[i] = rest[i];
    block[rest_bytes] = 0x80;
    add_block(chain, block);
    add_word(chain, 4, last_block);
    permute(chain);
    put_word(tag, chain, 0);
    put_word(tag + 8, chain, 1);
}

#endif
