/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1.2) in portable C.
 *
 * Technique: 80 rounds unrolled (sha1_rounds.h); the message schedule is a ring of sixteen words.
 *   One message.
 * State: words a to e in the order of sha1.h.
 * CPU: any; for 32- and 64-bit machines.
 * Constant time: additions, rotations and logic only; checked by
 *   tests/native/constant_time.c.
 * Best for: CPUs without SHA instructions, and as the reference for the other variants.
 */
#include "sha1/sha1.h"

#define WORD(t) ((t) < 16 ? w[(t) & 15] : next_word(w, t))
#include "sha1/sha1_rounds.h"

static void init(void *chain) {
    memcpy(chain, sha1_initial, sizeof sha1_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t *state = chain;
    uint32_t w[16];
    for (; count; count--, blocks += 64) {
        for (size_t t = 0; t < 16; t++) w[t] = load_be32(blocks + 4 * t);
        uint32_t a = state[SHA1_A], b = state[SHA1_B], c = state[SHA1_C], d = state[SHA1_D];
        uint32_t e = state[SHA1_E];
        EIGHTY_ROUNDS;
        state[SHA1_A] += a, state[SHA1_B] += b, state[SHA1_C] += c, state[SHA1_D] += d;
        state[SHA1_E] += e;
    }
    jm_wipe(w, sizeof w);
}

static void output(const void *chain, uint8_t *digest) {
    const uint32_t *state = chain;
    static const uint8_t order[5] = {SHA1_A, SHA1_B, SHA1_C, SHA1_D, SHA1_E};
    for (size_t i = 0; i < 5; i++) store_be32(digest + 4 * i, state[order[i]]);
}

JM_SHA1_VARIANT(portable, 0, JM_TARGET_ANY, sizeof sha1_initial, "portable C")
