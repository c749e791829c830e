/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 and SHA-224 (FIPS 180-4, section 6.2.2) in C for 32-bit microcontrollers.
 *
 * Technique: as sha256_portable.c, but with code for the first sixteen rounds apart, so that no
 * round tests whether the message schedule has begun; the words of the schedule are replaced beside
 * the rounds that use them. One message. State: words a to h in the order of sha256.h. CPU: any;
 * for Cortex-M3 and M4, which rotate an operand at no cost. Constant time: additions, rotations and
 * logic only; checked by tests/native/constant_time.c. Best for: Cortex-M; README.md has its core
 * cycles.
 */
#define JM_NARROW /* common/secret.h */
#include "sha256/sha256.h"

typedef uint32_t word;
#define PLUS_WORD_AND_K(sum, j) ((sum) + (extends ? next_word(w, j) : w[j]) + k[j])
#include "common/sha2_rounds.h"

/* The working variables a to h. */
typedef struct {
    word a, b, c, d, e, f, g, h;
} working;

JM_INLINE void sixteen_rounds(working *x, word w[16], const JM_FLASH word *k, bool extends) {
    word a = x->a, b = x->b, c = x->c, d = x->d, e = x->e, f = x->f, g = x->g, h = x->h;
    EIGHT_ROUNDS(0);
    EIGHT_ROUNDS(8);
    *x = (working){a, b, c, d, e, f, g, h};
}

static void init(void *chain) {
    memcpy(chain, sha256_initial, sizeof sha256_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    word *state = chain;
    word w[16];
    for (; count; count--, blocks += 64) {
        for (unsigned t = 0; t < 16; t++) w[t] = load_be32(blocks + 4 * t);
        working x = {state[SHA256_A], state[SHA256_B], state[SHA256_C], state[SHA256_D],
                     state[SHA256_E], state[SHA256_F], state[SHA256_G], state[SHA256_H]};
        const JM_FLASH word *k = sha256_k;
        sixteen_rounds(&x, w, k, false);
        for (unsigned t = 16; t < 64; t += 16) {
            k += 16;
            sixteen_rounds(&x, w, k, true);
        }
        state[SHA256_A] += x.a, state[SHA256_B] += x.b, state[SHA256_C] += x.c;
        state[SHA256_D] += x.d, state[SHA256_E] += x.e, state[SHA256_F] += x.f;
        state[SHA256_G] += x.g, state[SHA256_H] += x.h;
    }
    jm_wipe(w, sizeof w);
}

static void output(const void *chain, uint8_t *digest) {
    const word *state = chain;
    static const uint8_t order[8] = {SHA256_A, SHA256_B, SHA256_C, SHA256_D,
                                     SHA256_E, SHA256_F, SHA256_G, SHA256_H};
    for (size_t i = 0; i < 8; i++) store_be32(digest + 4 * i, state[order[i]]);
}

JM_SHA256_VARIANT(mcu32, 0, JM_TARGET_ANY, sizeof sha256_initial, "C for 32-bit microcontrollers")
