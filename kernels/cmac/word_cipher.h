/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of a block cipher of four 32-bit words in little-endian order, which Serpent, RC6
 * and Twofish are, and of the CMAC over it.
 *
 * The includer defines, for each key length:
 *     expand(schedule, key, key_bytes)   fills the schedule and wipes its arrays
 *     encrypt(schedule, x)               inlined, encrypts the four words
 * A schedule is a struct that holds no pointers. */
#ifndef JM_WORD_CIPHER_H
#define JM_WORD_CIPHER_H

#include "cmac/cmac.h"
#include "common/secret.h"
#include "common/words.h"

#define JM_WORD_CIPHER_BLOCK_BYTES 16u

JM_INLINE void word_cipher_load(uint32_t x[4], const uint8_t *from) {
    for (unsigned i = 0; i < 4; i++) x[i] = load_le32(from + 4 * i);
}
JM_INLINE void word_cipher_store(uint8_t *to, const uint32_t x[4]) {
    for (unsigned i = 0; i < 4; i++) store_le32(to + 4 * i, x[i]);
}

/* The implementation jm_<name>_portable. `expand_stack_` and `stack_` are the bytes below the outer
 * halves (common/secret.h) that setting a key and encrypting take. */
#define JM_WORD_CIPHER(name, algorithm_, key_bytes_, schedule_, expand_, encrypt_, expand_stack_,  \
                       stack_, constant_time_, note_)                                              \
    JM_APART jm_status name##_set_key_inner(schedule_ *schedule, const uint8_t *key,               \
                                            size_t key_bytes) {                                    \
        if (key_bytes != (key_bytes_)) return JM_ERR_KEY_BYTES;                                    \
        expand_(schedule, key, (key_bytes_));                                                      \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_set_key(const jm_implementation *self, void *schedule,                 \
                                    const uint8_t *key, size_t key_bytes) {                        \
        (void)self;                                                                                \
        const jm_status status = name##_set_key_inner(schedule, key, key_bytes);                   \
        return JM_FORGET(status, expand_stack_);                                                   \
    }                                                                                              \
    static void name##_wipe_key(const jm_implementation *self, void *schedule) {                   \
        (void)self;                                                                                \
        jm_wipe(schedule, sizeof(schedule_));                                                      \
    }                                                                                              \
    JM_APART void name##_encrypt_inner(const schedule_ *schedule, const uint8_t *in, uint8_t *out, \
                                       size_t blocks) {                                            \
        for (; blocks; blocks--, in += 16, out += 16) {                                            \
            uint32_t x[4];                                                                         \
            word_cipher_load(x, in);                                                               \
            encrypt_(schedule, x);                                                                 \
            word_cipher_store(out, x);                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_encrypt(const jm_implementation *self, const void *schedule,                \
                               const uint8_t *in, uint8_t *out, size_t blocks) {                   \
        (void)self;                                                                                \
        name##_encrypt_inner(schedule, in, out, blocks);                                           \
        (void)JM_FORGET(JM_OK, stack_);                                                            \
    }                                                                                              \
    JM_APART void name##_chain_inner(const schedule_ *schedule, uint8_t *chain, const uint8_t *in, \
                                     size_t blocks) {                                              \
        uint32_t x[4], block[4];                                                                   \
        word_cipher_load(x, chain);                                                                \
        for (; blocks; blocks--, in += 16) {                                                       \
            word_cipher_load(block, in);                                                           \
            for (unsigned i = 0; i < 4; i++) x[i] ^= block[i];                                     \
            encrypt_(schedule, x);                                                                 \
        }                                                                                          \
        word_cipher_store(chain, x);                                                               \
    }                                                                                              \
    static void name##_chain(const jm_implementation *self, const void *schedule, uint8_t *chain,  \
                             const uint8_t *in, size_t blocks) {                                   \
        (void)self;                                                                                \
        name##_chain_inner(schedule, chain, in, blocks);                                           \
        (void)JM_FORGET(JM_OK, stack_);                                                            \
    }                                                                                              \
    static const jm_cipher_functions name##_functions = {                                          \
        .schedule_bytes = sizeof(schedule_),                                                       \
        .set_key = name##_set_key,                                                                 \
        .wipe_key = name##_wipe_key,                                                               \
        .encrypt = name##_encrypt,                                                                 \
        .chain = name##_chain,                                                                     \
    };                                                                                             \
    const jm_implementation jm_##name##_portable = {.algorithm = (algorithm_),                     \
                                                    .variant = "portable",                         \
                                                    .note = (note_),                               \
                                                    .kind = JM_KIND_CIPHER,                        \
                                                    .lanes = 1,                                    \
                                                    .constant_time = (constant_time_),             \
                                                    .block_bytes = JM_WORD_CIPHER_BLOCK_BYTES,     \
                                                    .output_bytes = JM_WORD_CIPHER_BLOCK_BYTES,    \
                                                    .key_bytes_min = (key_bytes_),                 \
                                                    .key_bytes_max = (key_bytes_),                 \
                                                    .key_bytes = (key_bytes_),                     \
                                                    .cipher = &name##_functions};

/* The implementation jm_cmac_<name>_portable, after JM_WORD_CIPHER. */
#define JM_CMAC_OVER_WORDS(name, algorithm_, key_bytes_, schedule_, constant_time_)                \
    static const jm_mac_functions cmac_##name##_functions =                                        \
        JM_CMAC_FUNCTIONS(sizeof(schedule_), jm_cmac_set_key);                                     \
    const jm_implementation jm_cmac_##name##_portable =                                            \
        JM_CMAC_CLAIMING(constant_time_, algorithm_, "portable", 0, key_bytes_,                    \
                         cmac_##name##_functions, jm_##name##_portable);

#endif
