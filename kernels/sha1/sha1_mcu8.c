/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1.2) in C for CPUs whose registers hold 8 bits.
 *
 * Technique: a loop over the rounds of each function, and rotations made of bytes
 *   (sha1_mcu8_rounds.h, common/byte_words.h). One message.
 * State: words a to e in the order of sha1.h.
 * CPU: any; for AVR and the like, with an instruction that multiplies bytes.
 * Constant time: additions, products, rotations and logic only; checked by
 *   tests/native/constant_time.c.
 * Best for: ATmega; README.md has its core cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "sha1/sha1.h"
#include "sha1/sha1_mcu8_rounds.h"

static const uint8_t order[5] = {SHA1_A, SHA1_B, SHA1_C, SHA1_D, SHA1_E};

static void init(void *chain) {
    memcpy(chain, sha1_initial, sizeof sha1_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *state = chain;
    uint32_t w[16], x[5];
    for (; count; count--) {
        for (uint8_t t = 0; t < 16; t++, blocks += 4) w[t] = byte_load_be32(blocks);
        for (uint8_t i = 0; i < 5; i++) x[i] = state[order[i]];
        sha1_eighty_rounds(x, w);
        for (uint8_t i = 0; i < 5; i++) state[order[i]] += x[i];
    }
    jm_wipe(w, sizeof w);
    jm_wipe(x, sizeof x);
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *state = chain;
    for (uint8_t i = 0; i < 5; i++) byte_store_be32(digest + 4 * i, state[order[i]]);
}

JM_SHA1_VARIANT(mcu8, 0, JM_TARGET_ANY, sizeof sha1_initial,
                "C for CPUs whose registers hold 8 bits")
