/* SPDX-License-Identifier: Apache-2.0
 *
 * Serpent encryption ("Serpent: A Proposal for the Advanced Encryption Standard", 1998, section 2,
 * in the bit-slice description of its section 4) in plain C.
 * Technique: a word holds a bit of each of 32 nibbles, so that a circuit (serpent.h)
 *   substitutes all nibbles at once. To shorten the longest path through a round, the words that
 *   the linear transformation gives last take their key before its last rotation, beside other
 *   work, and the circuits' complements are part of the keys.
 * State layout: the 132 key words in order, changed as Technique says.
 * CPU features: none.
 * Constant time: no table look-up and no branch on data; checked by tests/native/constant_time.c.
 * Best for: single messages. */
#include "cmac/word_cipher.h"
#include "serpent/serpent.h"

/* The four words of a round key. */
#define KEY(i) (key + 4 * (i))

/* The linear transformation, with the next round's key; words 0 and 2 take their key words before
 * the last rotation. */
JM_INLINE void transform(uint32_t x[4], const uint32_t key[4]) {
    const uint32_t a = rotl32(x[0], 13), c = rotl32(x[2], 3);
    const uint32_t b = rotl32(x[1] ^ a ^ c, 1), d = rotl32(x[3] ^ (a << 3) ^ c, 7);
    x[0] = rotl32((a ^ key[0]) ^ b ^ d, 5);
    x[1] = b ^ key[1];
    x[2] = rotl32((c ^ key[2]) ^ (b << 7) ^ d, 22);
    x[3] = d ^ key[3];
}

JM_INLINE void serpent_encrypt(const jm_serpent_schedule *schedule, uint32_t x[4]) {
    const uint32_t *key = schedule->key;
    for (unsigned i = 0; i < 4; i++) x[i] ^= key[i];
    for (unsigned round = 0;; round += 8) {
        serpent_s0(x);
        transform(x, KEY(1));
        serpent_s1(x);
        transform(x, KEY(2));
        serpent_s2(x);
        transform(x, KEY(3));
        serpent_s3(x);
        transform(x, KEY(4));
        serpent_s4(x);
        transform(x, KEY(5));
        serpent_s5(x);
        transform(x, KEY(6));
        serpent_s6(x);
        transform(x, KEY(7));
        serpent_s7(x);
        key += 4 * 8;
        if (round + 8 == JM_SERPENT_ROUNDS) break;
        transform(x, key);
    }
    for (unsigned i = 0; i < 4; i++) x[i] ^= key[i];
}

static const uint8_t complement_in[8] = SERPENT_IN, complement_out[8] = SERPENT_OUT;

static inline void complement(uint32_t x[4], unsigned mask) {
    for (unsigned i = 0; i < 4; i++) x[i] ^= -(uint32_t)(mask >> i & 1);
}

static void substitute(uint32_t x[4], unsigned box) {
    complement(x, complement_in[box]);
    switch (box) {
    case 0:
        serpent_s0(x);
        break;
    case 1:
        serpent_s1(x);
        break;
    case 2:
        serpent_s2(x);
        break;
    case 3:
        serpent_s3(x);
        break;
    case 4:
        serpent_s4(x);
        break;
    case 5:
        serpent_s5(x);
        break;
    case 6:
        serpent_s6(x);
        break;
    default:
        serpent_s7(x);
    }
    complement(x, complement_out[box]);
}

/* Adds to round key `round` the input complements of the next S-box and the output complements of
 * the S-box before, moved through the linear transformation. If a transformation comes before the
 * key, rotates words 0 and 2 back by its last rotations. */
static void adapt(uint32_t key[4], unsigned round) {
    static const uint32_t zero[4];
    if (round) {
        uint32_t before[4] = {0};
        complement(before, complement_out[(round - 1) % 8]);
        if (round < JM_SERPENT_ROUNDS) transform(before, zero);
        for (unsigned i = 0; i < 4; i++) key[i] ^= before[i];
    }
    if (round == JM_SERPENT_ROUNDS) return;
    complement(key, complement_in[round % 8]);
    if (round == 0) return;
    key[0] = rotr32(key[0], 5);
    key[2] = rotr32(key[2], 22);
}

/* The fractional part of the golden ratio, phi of the specification. */
#define FRACTION UINT32_C(0x9e3779b9)

/* A shorter key is filled up by a 1 bit and zeros. A ring keeps the last eight words of the affine
 * recurrence. */
JM_INLINE void serpent_expand(jm_serpent_schedule *schedule, const uint8_t *key, size_t key_bytes) {
    uint32_t ring[8] = {0};
    for (unsigned i = 0; i < key_bytes / 4; i++) {
        ring[i] = load_le32(key + 4 * i);
        JM_SYNC_MEMORY(); /* else the loop becomes a call of memcpy: common/secret.h */
    }
    if (key_bytes < 32) ring[key_bytes / 4] = 1;
    for (unsigned i = 0; i < JM_SERPENT_KEY_WORDS; i++) {
        const uint32_t sum =
            ring[i % 8] ^ ring[(i + 3) % 8] ^ ring[(i + 5) % 8] ^ ring[(i + 7) % 8];
        schedule->key[i] = ring[i % 8] = rotl32(sum ^ FRACTION ^ i, 11);
    }
    for (unsigned round = 0; round <= JM_SERPENT_ROUNDS; round++) {
        substitute(schedule->key + 4 * round, (3 - round) % 8);
        adapt(schedule->key + 4 * round, round);
    }
    jm_wipe(ring, sizeof ring);
}

enum { EXPAND_STACK_BYTES = 384, STACK_BYTES = 256 };

#define DEFINE_SERPENT(bits)                                                                       \
    JM_WORD_CIPHER(serpent##bits, "serpent" #bits, JM_SERPENT##bits##_KEY_BYTES,                   \
                   jm_serpent_schedule, serpent_expand, serpent_encrypt, EXPAND_STACK_BYTES,       \
                   STACK_BYTES, true, "S-boxes as circuits over words, in plain C.")
DEFINE_SERPENT(128)
DEFINE_SERPENT(256)
JM_CMAC_OVER_WORDS(serpent128, "cmac-serpent128", JM_SERPENT128_KEY_BYTES, jm_serpent_schedule,
                   true)
