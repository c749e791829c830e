/* SPDX-License-Identifier: Apache-2.0
 *
 * SHAvite-3-256 and SHAvite-3-512 (second round of the SHA-3 competition) in plain C, written to be
 * read.
 * Technique: all subkeys are made first, as words, then the Feistel network uses them four at a
 *   time; the round of AES is that of aes/aes_round.h. State: the specification's words. CPU
 *   features: none. Constant time: no table and no branch on data; checked by
 *   tests/native/constant_time.c. Best for: CPUs without AES instructions. */
#include "aes/aes_round.h"
#include "shavite3/shavite3.h"

enum { KEY_WORDS_256 = 12 * 3 * 4, KEY_WORDS_512 = 14 * 2 * 4 * 4 };

/* A round of AES without a key on four words. */
static void round_of_words(uint32_t x[4]) {
    uint64_t block[AES_BLOCK_WORDS] = {x[0] | (uint64_t)x[1] << 32, x[2] | (uint64_t)x[3] << 32};
    aes_round(block);
    x[0] = (uint32_t)block[0], x[1] = (uint32_t)(block[0] >> 32);
    x[2] = (uint32_t)block[1], x[3] = (uint32_t)(block[1] >> 32);
}

/* The round function: `rounds` times, a subkey is added and a round of AES computed. Its result is
 * added to `left`. */
static void feistel(uint32_t left[4], const uint32_t right[4], const uint32_t *key,
                    unsigned rounds) {
    uint32_t x[4] = {right[0], right[1], right[2], right[3]};
    for (unsigned round = 0; round < rounds; round++, key += 4) {
        for (unsigned i = 0; i < 4; i++) x[i] ^= key[i];
        round_of_words(x);
    }
    for (unsigned i = 0; i < 4; i++) left[i] ^= x[i];
}

/* Makes four subkey words: a round of AES on the four words `back` words before, rotated by one
 * word, plus the last four words. */
static void nonlinear_step(uint32_t *key, unsigned back) {
    const uint32_t *from = key - back;
    uint32_t x[4] = {from[1], from[2], from[3], from[0]};
    round_of_words(x);
    for (unsigned i = 0; i < 4; i++) key[i] = x[i] ^ *(key - 4 + i);
}

static void expand_256(uint32_t key[KEY_WORDS_256], const uint8_t *block, uint64_t counter) {
    const uint32_t low = (uint32_t)counter, high = (uint32_t)(counter >> 32);
    for (unsigned i = 0; i < 16; i++) key[i] = load_le32(block + 4 * i);
    for (unsigned at = 16; at < KEY_WORDS_256; at += 32) {
        for (unsigned i = at; i < at + 16; i += 4) {
            nonlinear_step(key + i, 16);
            if (i == 16) key[16] ^= low, key[17] ^= ~high;
            if (i == 56) key[57] ^= high, key[58] ^= ~low;
            if (i == 84) key[86] ^= high, key[87] ^= ~low;
            if (i == 124) key[124] ^= low, key[127] ^= ~high;
        }
        for (unsigned i = at + 16; i < at + 32; i++) key[i] = key[i - 16] ^ key[i - 3];
    }
}

static void expand_512(uint32_t key[KEY_WORDS_512], const uint8_t *block,
                       const uint64_t counter[2]) {
    const uint32_t a = (uint32_t)counter[0], b = (uint32_t)(counter[0] >> 32);
    const uint32_t c = (uint32_t)counter[1], d = (uint32_t)(counter[1] >> 32);
    for (unsigned i = 0; i < 32; i++) key[i] = load_le32(block + 4 * i);
    for (unsigned at = 32; at < KEY_WORDS_512; at += 64) {
        for (unsigned i = at; i < at + 32; i += 4) {
            nonlinear_step(key + i, 32);
            if (i == 32) key[32] ^= a, key[33] ^= b, key[34] ^= c, key[35] ^= ~d;
            if (i == 164) key[164] ^= d, key[165] ^= c, key[166] ^= b, key[167] ^= ~a;
            if (i == 316) key[316] ^= c, key[317] ^= d, key[318] ^= a, key[319] ^= ~b;
            if (i == 440) key[440] ^= b, key[441] ^= a, key[442] ^= d, key[443] ^= ~c;
        }
        if (at + 32 == KEY_WORDS_512) break;
        for (unsigned i = at + 32; i < at + 64; i++) key[i] = key[i - 32] ^ key[i - 7];
    }
}

static void compress_256(uint32_t *value, const uint8_t *block, const uint64_t counter[2]) {
    uint32_t key[KEY_WORDS_256], half[2][4];
    expand_256(key, block, counter[0]);
    memcpy(half, value, sizeof half);
    for (unsigned round = 0; round < 12; round++)
        feistel(half[round % 2], half[1 - round % 2], key + 12 * round, 3);
    for (unsigned i = 0; i < 8; i++) value[i] ^= half[i / 4][i % 4];
    jm_wipe(key, sizeof key);
    jm_wipe(half, sizeof half);
}

/* In each round the second quarter changes the first and the fourth changes the third; then all
 * quarters move on. */
static void compress_512(uint32_t *value, const uint8_t *block, const uint64_t counter[2]) {
    uint32_t key[KEY_WORDS_512], quarter[4][4], last[4];
    expand_512(key, block, counter);
    memcpy(quarter, value, sizeof quarter);
    for (unsigned round = 0; round < 14; round++) {
        feistel(quarter[0], quarter[1], key + 32 * round, 4);
        feistel(quarter[2], quarter[3], key + 32 * round + 16, 4);
        memcpy(last, quarter[3], sizeof last);
        memmove(quarter[1], quarter[0], 3 * sizeof last);
        memcpy(quarter[0], last, sizeof last);
    }
    for (unsigned i = 0; i < 16; i++) value[i] ^= quarter[i / 4][i % 4];
    jm_wipe(key, sizeof key);
    jm_wipe(quarter, sizeof quarter);
}

JM_SHAVITE3_VARIANT(portable, 0, true, "plain C, bit planes")
