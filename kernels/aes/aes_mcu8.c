/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 encryption (FIPS 197, sections 5.1 and 5.2) in C for CPUs whose
 * registers hold 8 bits.
 * Technique: a state of bytes, looked up in the S-box (aes_sbox_bytes.h) as they move to their
 *   columns, and mixed there; two states alternate, so that no byte waits for another to move.
 * State layout: a schedule is the standard's round keys.
 * CPU features: none.
 * Constant time: no, because of the table. A CPU without a cache, as an ATmega, takes the
 *   same time for any key and block; the bench of firmware/ shows equal core cycles.
 * Best for: AVR; README.md has its core cycles. */
#include "aes/aes.h"
#include "aes/aes_sbox_bytes.h"
#include "common/words.h"

/* Saved registers and two states. */
#if defined(__AVR__) || defined(__MSP430__)
enum { STACK_BYTES = 96 };
#elif defined(JM_FREESTANDING)
enum { STACK_BYTES = 320 };
#else
enum { STACK_BYTES = 640 };
#endif

/* X, one of an AVR's pointers, loads and steps in one instruction: here GCC keeps the schedule's
 * pointer in X, which it would otherwise add to and subtract from (4 086 core cycles a block
 * instead of 4 375, GCC 5.4 -O2). */
#if defined(__AVR__)
#define KEEP_IN_X(pointer) JM_PIN("x", pointer)
#else
#define KEEP_IN_X(pointer) (void)(pointer)
#endif

/* Column `c` of the next state, with its round key: row r comes from r columns to the right. */
#define COLUMN(to, from, c)                                                                        \
    do {                                                                                           \
        const uint8_t s0 = aes_sbox_byte(from[4 * (c)]);                                           \
        const uint8_t s1 = aes_sbox_byte(from[(4 * (c) + 5) & 15]);                                \
        const uint8_t s2 = aes_sbox_byte(from[(4 * (c) + 10) & 15]);                               \
        const uint8_t s3 = aes_sbox_byte(from[(4 * (c) + 15) & 15]);                               \
        const uint32_t k = load_le32(key);                                                         \
        key += 4;                                                                                  \
        KEEP_IN_X(key);                                                                            \
        const uint8_t sum = s0 ^ s1 ^ s2 ^ s3;                                                     \
        to[4 * (c)] = aes_double(s0 ^ s1) ^ sum ^ s0 ^ (uint8_t)k;                                 \
        to[4 * (c) + 1] = aes_double(s1 ^ s2) ^ sum ^ s1 ^ (uint8_t)(k >> 8);                      \
        to[4 * (c) + 2] = aes_double(s2 ^ s3) ^ sum ^ s2 ^ (uint8_t)(k >> 16);                     \
        to[4 * (c) + 3] = aes_double(s3 ^ s0) ^ sum ^ s3 ^ (uint8_t)(k >> 24);                     \
    } while (0)
#define ROUND(to, from)                                                                            \
    do {                                                                                           \
        COLUMN(to, from, 0);                                                                       \
        COLUMN(to, from, 1);                                                                       \
        COLUMN(to, from, 2);                                                                       \
        COLUMN(to, from, 3);                                                                       \
    } while (0)

JM_ONCE void encrypt_block(const uint8_t *key, uint8_t rounds, const uint8_t *in, uint8_t *out) {
    uint8_t x[JM_AES_BLOCK_BYTES], y[JM_AES_BLOCK_BYTES];
    for (uint8_t i = 0; i < JM_AES_BLOCK_BYTES; i++) x[i] = in[i] ^ *key++;
    for (;;) {
        ROUND(y, x);
        rounds -= 2;
        if (rounds == 0) break;
        ROUND(x, y);
    }
    for (uint8_t i = 0; i < JM_AES_BLOCK_BYTES; i++)
        out[i] = aes_sbox_byte(y[(i * 5) & 15]) ^ *key++;
}

#include "aes/aes_mcu8_variant.h"

JM_AES_MCU8_VARIANT(mcu8, "Bytes and a table in C, for CPUs whose registers hold 8 bits.")
