/* SPDX-License-Identifier: Apache-2.0
 *
 * Skein-512 ("The Skein Hash Function Family", versions 1.2 and 1.3) in portable C.
 *
 * Technique: words of 64 bits. Words are not moved between rounds: each round reads them at the
 *   places before the moves, and after four rounds all words are back. Many blocks run through code
 *   of all 72 rounds; a single block (every message has two) through a loop over eight rounds,
 *   because the long code starts slowly. Key and tweak are extended in memory as they are used, so
 *   that a subkey of the loop is consecutive. One message.
 * State: the specification's eight words.
 * CPU: any; for 64-bit machines.
 * Constant time: sums, rotations and XOR; checked by tests/native/constant_time.c.
 * Best for: one message at a time.
 */
#include "skein/skein.h"

JM_INLINE void mix(uint64_t *a, uint64_t *b, unsigned distance) {
    *a += *b;
    *b = rotl64(*b, distance) ^ *a;
}

JM_INLINE void four_rounds(uint64_t v[SKEIN_WORDS], const uint8_t distance[4][4]) {
    static const uint8_t place[4][SKEIN_WORDS] = {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {2, 1, 4, 7, 6, 5, 0, 3},
        {4, 1, 6, 3, 0, 5, 2, 7},
        {6, 1, 0, 7, 2, 5, 4, 3},
    };
#pragma GCC unroll 4
    for (size_t round = 0; round < 4; round++) {
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++)
            mix(v + place[round][2 * i], v + place[round][2 * i + 1], distance[round][i]);
    }
}

/* The nine words of the key and the three of the tweak, repeated as often as a block needs them. */
typedef struct {
    uint64_t k[SKEIN_SUBKEYS + SKEIN_WORDS + 1];
    uint64_t t[SKEIN_SUBKEYS + 3];
} key_schedule;

JM_INLINE void add_subkey(uint64_t v[SKEIN_WORDS], key_schedule *key, size_t s) {
    JM_SYNC_MEMORY(); /* else GCC keeps half a subkey in registers, and spills words */
#pragma GCC unroll 8
    for (size_t i = 0; i < SKEIN_WORDS; i++) v[i] += key->k[s + i];
    v[5] += key->t[s];
    v[6] += key->t[s + 1];
    v[7] += s;
    key->k[s + SKEIN_WORDS + 1] = key->k[s];
    key->t[s + 3] = key->t[s];
}

/* Keeps a word apart from its neighbours: a vector load would wait for words that were stored just
 * before. */
JM_INLINE uint64_t apart(uint64_t word) {
    JM_PIN("r", word);
    return word;
}

/* Clang 14 compiles all 72 rounds to slower code than the loop: 11.9 ticks per byte against 5.2 on
 * AMD Zen 4. */
#if defined(__clang__)
enum { LONG_CODE = false };
#else
enum { LONG_CODE = true };
#endif

JM_INLINE void eight_rounds(uint64_t v[SKEIN_WORDS], key_schedule *key, size_t s) {
    add_subkey(v, key, s);
    four_rounds(v, skein_rotations);
    add_subkey(v, key, s + 1);
    four_rounds(v, skein_rotations + 4);
}

JM_INLINE void absorb_blocks(uint64_t h[SKEIN_WORDS], const uint8_t *blocks, size_t count,
                             uint64_t position, uint64_t flags, uint64_t parity, bool unrolled) {
    key_schedule key;
    uint64_t v[SKEIN_WORDS];
#pragma GCC unroll 8
    for (size_t i = 0; i < SKEIN_WORDS; i++) key.k[i] = apart(h[i]);
    for (; count; count--) {
        uint64_t last = parity;
#pragma GCC unroll 8
        for (size_t i = 0; i < SKEIN_WORDS; i++) last ^= key.k[i];
        key.k[SKEIN_WORDS] = last;
        key.t[0] = position;
        key.t[1] = flags;
        key.t[2] = position ^ flags;
#pragma GCC unroll 8
        for (size_t i = 0; i < SKEIN_WORDS; i++) v[i] = apart(load_le64(blocks + 8 * i));
        if (unrolled) {
#pragma GCC unroll 9
            for (size_t s = 0; s < SKEIN_SUBKEYS - 1; s += 2) eight_rounds(v, &key, s);
        } else {
#pragma GCC unroll 1
            for (size_t s = 0; s < SKEIN_SUBKEYS - 1; s += 2) eight_rounds(v, &key, s);
        }
        add_subkey(v, &key, SKEIN_SUBKEYS - 1);
#pragma GCC unroll 8
        for (size_t i = 0; i < SKEIN_WORDS; i++) key.k[i] = apart(v[i] ^ load_le64(blocks + 8 * i));
        blocks += SKEIN_BLOCK_BYTES;
        position += SKEIN_BLOCK_BYTES;
        flags &= ~SKEIN_FIRST;
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < SKEIN_WORDS; i++) h[i] = apart(key.k[i]);
}

JM_ONCE void absorb_one(uint64_t h[SKEIN_WORDS], const uint8_t *block, uint64_t position,
                        uint64_t flags, uint64_t parity) {
    absorb_blocks(h, block, 1, position, flags, parity, false);
}

JM_ONCE void absorb_many(uint64_t h[SKEIN_WORDS], const uint8_t *blocks, size_t count,
                         uint64_t position, uint64_t flags, uint64_t parity) {
    absorb_blocks(h, blocks, count, position, flags, parity, LONG_CODE);
}

static void compress(uint64_t h[SKEIN_WORDS], const uint8_t *blocks, size_t count,
                     uint64_t position, uint64_t flags, uint64_t parity) {
    if (count == 1)
        absorb_one(h, blocks, position, flags, parity);
    else
        absorb_many(h, blocks, count, position, flags, parity);
}

JM_SKEIN_VARIANT(portable, 0, true, "portable C")
