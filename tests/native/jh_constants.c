/* SPDX-License-Identifier: Apache-2.0
 * The constants of JH as its specification defines them, element by element, against the tables of
 * the kernels, which are in the order of bit slices. Sections are those of the final specification.
 */
#include <stdio.h>
#include <string.h>

#include "jh/jh.h"
#include "jh/jh_constants.h"

enum { ELEMENTS = 256, SMALL = 64, STATE_BITS = 1024 };

static const uint8_t sbox[2][16] = {{9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14},
                                    {3, 12, 6, 13, 5, 7, 1, 9, 15, 2, 0, 4, 11, 10, 14, 8}};

static uint8_t twice(uint8_t a) {
    return (uint8_t)(a & 8 ? (a << 1) ^ 0x13 : a << 1);
}

/* Section 4.1: where each of `count` elements comes from in the permutation P. */
static void permutation(unsigned from[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i;
        if (at >= count / 2) at ^= 1;                            /* phi */
        at = at < count / 2 ? 2 * at : 2 * (at - count / 2) + 1; /* P' */
        from[i] = at % 4 >= 2 ? at ^ 1 : at;                     /* pi */
    }
}

/* Section 4.1: a round, of S-boxes alone without `linear`. */
static void round_of(uint8_t a[], const uint8_t constant[], unsigned count, bool linear) {
    uint8_t b[ELEMENTS];
    unsigned from[ELEMENTS];
    permutation(from, count);
    for (unsigned i = 0; i < count; i++) b[i] = sbox[constant ? constant[i] : 0][a[i]];
    for (unsigned i = 0; linear && i < count; i += 2) {
        b[i + 1] ^= twice(b[i]);
        b[i] ^= twice(b[i + 1]);
    }
    for (unsigned i = 0; i < count; i++) a[i] = b[linear ? from[i] : i];
}

/* Section 4.2: the constants of all rounds, a bit an element. */
static void round_constants(uint8_t constants[JH_ROUNDS][ELEMENTS]) {
    static const char root_of_2[] = /* 256 bits of the fraction of the square root of 2 */
        "6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a";
    uint8_t c[SMALL];
    for (unsigned i = 0; i < SMALL; i++)
        c[i] = (uint8_t)(root_of_2[i] <= '9' ? root_of_2[i] - '0' : root_of_2[i] - 'a' + 10);
    for (unsigned r = 0; r < JH_ROUNDS; r++) {
        for (unsigned i = 0; i < ELEMENTS; i++) constants[r][i] = c[i / 4] >> (3 - i % 4) & 1;
        round_of(c, NULL, SMALL, true);
    }
}

static unsigned bit(const uint64_t *words, unsigned i) {
    return words[i / 64] >> (i % 64 / 8 * 8 + 7 - i % 8) & 1;
}

/* Follows the elements through the permutation and through the swaps of the slices. */
static unsigned wrong_round_constants(uint8_t constants[JH_ROUNDS][ELEMENTS]) {
    unsigned place[ELEMENTS], even[ELEMENTS / 2], odd[ELEMENTS / 2], from[ELEMENTS], wrong = 0;
    permutation(from, ELEMENTS);
    for (unsigned i = 0; i < ELEMENTS; i++) place[i] = i; /* of the element that began as i */
    for (unsigned i = 0; i < ELEMENTS / 2; i++) even[i] = 2 * i, odd[i] = 2 * i + 1;
    for (unsigned r = 0; r < JH_ROUNDS; r++) {
        for (unsigned i = 0; i < ELEMENTS / 2; i++) {
            if (bit(jh_round_constants[r], i) == constants[r][place[even[i]]] &&
                bit(jh_round_constants[r] + 2, i) == constants[r][place[odd[i]]] &&
                place[odd[i]] == place[even[i]] + 1)
                continue;
            printf("FAILED round %u, elements %u\n", r, i);
            wrong++;
        }
        unsigned moved[ELEMENTS];
        for (unsigned i = 0; i < ELEMENTS; i++)
            for (unsigned to = 0; to < ELEMENTS; to++)
                if (from[to] == place[i]) moved[i] = to;
        memcpy(place, moved, sizeof place);
        unsigned swapped[ELEMENTS / 2];
        for (unsigned i = 0; i < ELEMENTS / 2; i++) swapped[i] = odd[i ^ 1u << r % JH_SWAPS];
        memcpy(odd, swapped, sizeof odd);
    }
    return wrong;
}

/* Section 5.3: F8 of a block of zeros on the state that has the digest's bits in its first 16. */
static unsigned wrong_start(const char *name, const uint64_t start[16], unsigned digest_bytes,
                            bool second_round, uint8_t constants[JH_ROUNDS][ELEMENTS]) {
    uint8_t h[STATE_BITS] = {0}, q[ELEMENTS];
    for (unsigned i = 0; i < 16; i++) h[i] = 8 * digest_bytes >> (15 - i) & 1;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const unsigned at = i / 2 + i % 2 * 128;
        q[i] = (uint8_t)(h[at] << 3 | h[at + 256] << 2 | h[at + 512] << 1 | h[at + 768]);
    }
    const unsigned rounds = second_round ? JH_ROUNDS_R2 : JH_ROUNDS;
    for (unsigned r = 0; r < rounds; r++) round_of(q, constants[r], ELEMENTS, true);
    if (second_round) round_of(q, constants[rounds], ELEMENTS, false);
    unsigned wrong = 0;
    for (unsigned i = 0; i < STATE_BITS; i++) {
        const unsigned element = i % 128 * 2 + i / 128 % 2;
        wrong += bit(start, i) != (q[element] >> (3 - i / 256) & 1u);
    }
    if (wrong) printf("FAILED %s: %u bits of the initial value\n", name, wrong);
    return wrong;
}

int main(void) {
    static uint8_t constants[JH_ROUNDS][ELEMENTS];
    round_constants(constants);
    unsigned wrong = wrong_round_constants(constants);
#define START(name_, id_, digest_bytes_, r2_)                                                      \
    wrong += wrong_start(id_, name_##_start, digest_bytes_, r2_, constants);
    JH_HASHES(START)
    if (!wrong) puts("The constants of JH are those that its specification defines.");
    return wrong != 0;
}
