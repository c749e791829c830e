/* SPDX-License-Identifier: Apache-2.0
 *
 * AES (FIPS 197) for CPUs whose registers hold 8 bits, without the rounds of a block.
 *
 * The includer defines, above:
 *     STACK_BYTES   common/secret.h
 *     // `out` may be `in`.
 *     static void encrypt_block(const uint8_t *schedule, uint8_t rounds, const uint8_t *in,
 *                               uint8_t *out)
 *
 * A schedule is the round keys as they are in the standard, 16 bytes each, so that one function
 * serves all lengths of a key. */
#ifndef JM_AES_MCU8_VARIANT_H
#define JM_AES_MCU8_VARIANT_H

#include "aes/aes.h"
#include "aes/aes_sbox_bytes.h"
#include "common/secret.h"

/* Key expansion (section 5.2): `key_bytes` are 16, 24 or 32. */
JM_ONCE void expand(uint8_t *schedule, const uint8_t *key, uint8_t key_bytes,
                    uint8_t schedule_bytes) {
    uint8_t rcon = 1, in_period = 0;
    jm_copy_secret(schedule, key, key_bytes);
    for (uint8_t at = key_bytes; at < schedule_bytes; at += 4) {
        uint8_t *const word = schedule + at;
        uint8_t w0 = word[-4], w1 = word[-3], w2 = word[-2], w3 = word[-1];
        if (in_period == 0 || (key_bytes == 32 && in_period == 16)) {
            w0 = aes_sbox_byte(w0), w1 = aes_sbox_byte(w1);
            w2 = aes_sbox_byte(w2), w3 = aes_sbox_byte(w3);
        }
        if (in_period == 0) {
            const uint8_t first = w0;
            w0 = w1 ^ rcon, w1 = w2, w2 = w3, w3 = first;
            rcon = aes_double(rcon);
        }
        const uint8_t *const before = word - key_bytes;
        word[0] = before[0] ^ w0;
        word[1] = before[1] ^ w1;
        word[2] = before[2] ^ w2;
        word[3] = before[3] ^ w3;
        in_period += 4;
        if (in_period == key_bytes) in_period = 0;
    }
}

JM_APART void encrypt_inner(const uint8_t *schedule, uint8_t rounds, const uint8_t *in,
                            uint8_t *out, size_t blocks) {
    for (; blocks; blocks--, in += JM_AES_BLOCK_BYTES, out += JM_AES_BLOCK_BYTES)
        encrypt_block(schedule, rounds, in, out);
}

JM_APART void chain_inner(const uint8_t *schedule, uint8_t rounds, uint8_t *chain,
                          const uint8_t *in, size_t blocks) {
    for (; blocks; blocks--, in += JM_AES_BLOCK_BYTES) {
        for (uint8_t i = 0; i < JM_AES_BLOCK_BYTES; i++) chain[i] ^= in[i];
        encrypt_block(schedule, rounds, chain, chain);
    }
}

JM_APART jm_status set_key_inner(void *schedule, const uint8_t *key, size_t key_bytes,
                                 uint8_t wanted_bytes, uint8_t schedule_bytes) {
    if (key_bytes != wanted_bytes) return JM_ERR_KEY_BYTES;
    expand(schedule, key, wanted_bytes, schedule_bytes);
    return JM_OK;
}

#define JM_AES_MCU8(bits, variant_, note_)                                                         \
    static jm_status set_key_##bits(const jm_implementation *self, void *schedule,                 \
                                    const uint8_t *key, size_t key_bytes) {                        \
        (void)self;                                                                                \
        const jm_status status = set_key_inner(schedule, key, key_bytes, JM_AES##bits##_KEY_BYTES, \
                                               JM_AES##bits##_SCHEDULE_BYTES_##variant_);          \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    static void wipe_key_##bits(const jm_implementation *self, void *schedule) {                   \
        (void)self;                                                                                \
        jm_wipe(schedule, JM_AES##bits##_SCHEDULE_BYTES_##variant_);                               \
    }                                                                                              \
    static void encrypt_##bits(const jm_implementation *self, const void *schedule,                \
                               const uint8_t *in, uint8_t *out, size_t blocks) {                   \
        (void)self;                                                                                \
        encrypt_inner(schedule, JM_AES##bits##_ROUNDS, in, out, blocks);                           \
        (void)JM_FORGET(JM_OK, STACK_BYTES);                                                       \
    }                                                                                              \
    static void chain_##bits(const jm_implementation *self, const void *schedule, uint8_t *chain,  \
                             const uint8_t *in, size_t blocks) {                                   \
        (void)self;                                                                                \
        chain_inner(schedule, JM_AES##bits##_ROUNDS, chain, in, blocks);                           \
        (void)JM_FORGET(JM_OK, STACK_BYTES);                                                       \
    }                                                                                              \
    static const jm_cipher_functions functions_##bits = {                                          \
        .schedule_bytes = JM_AES##bits##_SCHEDULE_BYTES_##variant_,                                \
        .set_key = set_key_##bits,                                                                 \
        .wipe_key = wipe_key_##bits,                                                               \
        .encrypt = encrypt_##bits,                                                                 \
        .chain = chain_##bits,                                                                     \
    };                                                                                             \
    const jm_implementation jm_aes##bits##_##variant_ =                                            \
        JM_AES_CIPHER_CLAIMING(JM_TIMING_VARIABLE, bits, #variant_, 0, note_, functions_##bits);

#define JM_AES_MCU8_VARIANT(variant_, note_)                                                       \
    JM_AES_MCU8(128, variant_, note_)                                                              \
    JM_AES_MCU8(192, variant_, note_)                                                              \
    JM_AES_MCU8(256, variant_, note_)

#endif
