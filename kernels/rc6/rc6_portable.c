/* SPDX-License-Identifier: Apache-2.0
 *
 * RC6-32/20 encryption ("The RC6 block cipher", version 1.1, sections 2.2 and 2.3) in plain C.
 * Technique: four rounds per pass, so that no word is moved; `chain` keeps the chaining value in
 *   registers from block to block. A round waits for a multiplication and two rotations.
 * State layout: the 44 key words in order.
 * CPU features: none.
 * Constant time: no table look-up and no branch on data; checked by tests/native/constant_time.c.
 *   Rotations by data and multiplications take the same time whatever their operands are on x86-64
 *   and 64-bit Arm CPUs of servers; on small CPUs without a barrel shifter they do not.
 * Best for: single messages. */
#include "cmac/word_cipher.h"
#include "rc6/rc6.h"

/* Rotates left by the low five bits of `count`. */
JM_INLINE uint32_t rotl_by(uint32_t word, uint32_t count) {
    return word << (count & 31) | word >> (-count & 31);
}

JM_INLINE void rc6_round(uint32_t *a, uint32_t b, uint32_t *c, uint32_t d, const uint32_t key[2]) {
    const uint32_t t = rotl32(b * (2 * b + 1), 5), u = rotl32(d * (2 * d + 1), 5);
    *a = rotl_by(*a ^ t, u) + key[0];
    *c = rotl_by(*c ^ u, t) + key[1];
}

JM_INLINE void rc6_encrypt(const jm_rc6_schedule *schedule, uint32_t x[4]) {
    const uint32_t *key = schedule->key;
    uint32_t a = x[0], b = x[1] + key[0], c = x[2], d = x[3] + key[1];
    for (unsigned round = 0; round < JM_RC6_ROUNDS; round += 4) {
        key += 2;
        rc6_round(&a, b, &c, d, key);
        rc6_round(&b, c, &d, a, key + 2);
        rc6_round(&c, d, &a, b, key + 4);
        rc6_round(&d, a, &b, c, key + 6);
        key += 6;
    }
    x[0] = a + key[2];
    x[1] = b;
    x[2] = c + key[3];
    x[3] = d;
}

/* P32 and Q32, from the base of the natural logarithms and from the golden ratio. */
#define RC6_P UINT32_C(0xb7e15163)
#define RC6_Q UINT32_C(0x9e3779b9)

JM_INLINE void rc6_expand(jm_rc6_schedule *schedule, const uint8_t *key, size_t key_bytes) {
    uint32_t word[8];
    const unsigned words = (unsigned)(key_bytes / 4);
    for (unsigned i = 0; i < words; i++) {
        word[i] = load_le32(key + 4 * i);
        JM_SYNC_MEMORY(); /* else the loop becomes a call of memcpy: common/secret.h */
    }
    for (unsigned i = 0; i < JM_RC6_KEY_WORDS; i++) schedule->key[i] = RC6_P + i * RC6_Q;
    uint32_t a = 0, b = 0;
    for (unsigned step = 0, i = 0, j = 0; step < 3 * JM_RC6_KEY_WORDS; step++) {
        a = schedule->key[i] = rotl32(schedule->key[i] + a + b, 3);
        b = word[j] = rotl_by(word[j] + a + b, a + b);
        i = i + 1 == JM_RC6_KEY_WORDS ? 0 : i + 1;
        j = j + 1 == words ? 0 : j + 1;
    }
    jm_wipe(word, sizeof word);
}

enum { EXPAND_STACK_BYTES = 192, STACK_BYTES = 128 };

JM_WORD_CIPHER(rc6_128, "rc6-128", JM_RC6_128_KEY_BYTES, jm_rc6_schedule, rc6_expand, rc6_encrypt,
               EXPAND_STACK_BYTES, STACK_BYTES, true, "Four rounds a step, in plain C.")
JM_CMAC_OVER_WORDS(rc6_128, "cmac-rc6-128", JM_RC6_128_KEY_BYTES, jm_rc6_schedule, true)
