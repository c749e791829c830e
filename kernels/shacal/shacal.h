/* SPDX-License-Identifier: Apache-2.0
 *
 * SHACAL-1 and SHACAL-2 (Handschuh and Naccache, submissions to NESSIE, 2001), encryption direction
 * only, and CMAC over them: the compression functions of SHA-1 and SHA-256 (FIPS 180-4,
 * sections 6.1.2 and 6.2.2) without the addition of the chaining value at their end. The block is
 * the chaining value, big-endian, and the key is the message block: 16 to 64 bytes, filled up with
 * zeros. So a key and the same key followed by zeros are equivalent. */
#ifndef JM_SHACAL_H
#define JM_SHACAL_H

#include "common/block_mac.h"
#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

#define JM_SHACAL_KEY_BYTES_MIN 16u
#define JM_SHACAL_KEY_BYTES_MAX 64u
#define JM_SHACAL1_BLOCK_BYTES 20u
#define JM_SHACAL2_BLOCK_BYTES 32u

/* ---- a variant's functions, and CMAC over it (NIST SP 800-38B, section 6, for blocks longer than
 * those of AES) ----
 *
 * The includer defines, below, for a cipher called `name`, two types that hold no pointers and
 * functions that the compiler can inline:
 *     name_schedule, name_block
 *     void name_expand(name_schedule *to, const uint8_t key[JM_SHACAL_KEY_BYTES_MAX])
 *     name_block name_load(const uint8_t *from)
 *     void name_store(uint8_t *to, const name_block *block)
 *     void name_add(name_block *to, const name_block *block)
 *     void name_encrypt(const name_schedule *schedule, name_block *block) */

/* R of SP 800-38B, section 5.3, which prints R for 64 and 128 bits: the lexicographically first of
 * the irreducible polynomials of this degree that have the fewest terms, without its highest term.
 * x^160 + x^5 + x^3 + x^2 + 1 and x^256 + x^10 + x^5 + x^2 + 1; tests/kernels/test_shacal.py
 * searches for them. */
#define JM_SHACAL1_POLYNOMIAL 0x2du
#define JM_SHACAL2_POLYNOMIAL 0x425u

/* Whole quads that hold a padded block. */
enum { SHACAL_PADDED_BYTES = 32 };

/* jm_<name>_<variant_>. `set_stack_` and `stack_` are the bytes below the outer halves
 * (common/secret.h) that setting a key takes, and that encrypting takes. */
#define JM_SHACAL_CIPHER(name, algorithm_, variant_, features_, block_bytes_, set_stack_, stack_,  \
                         note_)                                                                    \
    JM_INLINE void name##_set_padded(name##_schedule *to, const uint8_t *key, size_t key_bytes) {  \
        _Alignas(16) uint8_t whole[JM_SHACAL_KEY_BYTES_MAX] = {0};                                 \
        jm_copy_secret(whole, key, key_bytes);                                                     \
        name##_expand(to, whole);                                                                  \
        jm_wipe(whole, sizeof whole);                                                              \
    }                                                                                              \
    JM_APART jm_status name##_set_inner(name##_schedule *to, const uint8_t *key,                   \
                                        size_t key_bytes) {                                        \
        if (key_bytes < JM_SHACAL_KEY_BYTES_MIN || key_bytes > JM_SHACAL_KEY_BYTES_MAX)            \
            return JM_ERR_KEY_BYTES;                                                               \
        name##_set_padded(to, key, key_bytes);                                                     \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_set_key(const jm_implementation *self, void *schedule,                 \
                                    const uint8_t *key, size_t key_bytes) {                        \
        (void)self;                                                                                \
        const jm_status status = name##_set_inner(schedule, key, key_bytes);                       \
        return JM_FORGET(status, set_stack_);                                                      \
    }                                                                                              \
    static void name##_wipe_key(const jm_implementation *self, void *schedule) {                   \
        (void)self;                                                                                \
        jm_wipe(schedule, sizeof(name##_schedule));                                                \
    }                                                                                              \
    JM_APART void name##_blocks_inner(const name##_schedule *schedule, const uint8_t *in,          \
                                      uint8_t *out, size_t blocks) {                               \
        for (; blocks; blocks--, in += (block_bytes_), out += (block_bytes_)) {                    \
            name##_block block = name##_load(in);                                                  \
            name##_encrypt(schedule, &block);                                                      \
            name##_store(out, &block);                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_blocks(const jm_implementation *self, const void *schedule,                 \
                              const uint8_t *in, uint8_t *out, size_t blocks) {                    \
        (void)self;                                                                                \
        name##_blocks_inner(schedule, in, out, blocks);                                            \
        (void)JM_FORGET(JM_OK, stack_);                                                            \
    }                                                                                              \
    JM_INLINE void name##_chain_blocks(const name##_schedule *schedule, name##_block *chain,       \
                                       const uint8_t *in, size_t blocks) {                         \
        name##_block x = *chain;                                                                   \
        for (; blocks; blocks--, in += (block_bytes_)) {                                           \
            const name##_block block = name##_load(in);                                            \
            name##_add(&x, &block);                                                                \
            name##_encrypt(schedule, &x);                                                          \
        }                                                                                          \
        *chain = x;                                                                                \
    }                                                                                              \
    JM_APART void name##_chain_inner(const name##_schedule *schedule, uint8_t *chain,              \
                                     const uint8_t *in, size_t blocks) {                           \
        name##_block x = name##_load(chain);                                                       \
        name##_chain_blocks(schedule, &x, in, blocks);                                             \
        name##_store(chain, &x);                                                                   \
    }                                                                                              \
    static void name##_chain(const jm_implementation *self, const void *schedule, uint8_t *chain,  \
                             const uint8_t *in, size_t blocks) {                                   \
        (void)self;                                                                                \
        name##_chain_inner(schedule, chain, in, blocks);                                           \
        (void)JM_FORGET(JM_OK, stack_);                                                            \
    }                                                                                              \
    static const jm_cipher_functions name##_functions = {                                          \
        .schedule_bytes = sizeof(name##_schedule),                                                 \
        .set_key = name##_set_key,                                                                 \
        .wipe_key = name##_wipe_key,                                                               \
        .encrypt = name##_blocks,                                                                  \
        .chain = name##_chain,                                                                     \
    };                                                                                             \
    const jm_implementation jm_##name##_##variant_ = {                                             \
        .algorithm = (algorithm_),                                                                 \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_CIPHER,                                                                    \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = true,                                                                     \
        .block_bytes = (block_bytes_),                                                             \
        .output_bytes = (block_bytes_),                                                            \
        .key_bytes_min = JM_SHACAL_KEY_BYTES_MIN,                                                  \
        .key_bytes_max = JM_SHACAL_KEY_BYTES_MAX,                                                  \
        .key_bytes = JM_SHACAL_KEY_BYTES_MAX,                                                      \
        .cipher = &name##_functions,                                                               \
    };

/* jm_cmac_<name>_<variant_>, after JM_SHACAL_CIPHER. */
#define JM_SHACAL_CMAC(name, algorithm_, variant_, features_, block_bytes_, polynomial_, stack_,   \
                       note_)                                                                      \
    typedef struct {                                                                               \
        name##_schedule schedule;                                                                  \
        name##_block whole, padded; /* K1 and K2 */                                                \
    } cmac_##name##_key;                                                                           \
    JM_INLINE void cmac_##name##_begin(name##_block *chain, const cmac_##name##_key *key) {        \
        (void)key;                                                                                 \
        memset(chain, 0, sizeof *chain);                                                           \
    }                                                                                              \
    JM_INLINE void cmac_##name##_set(cmac_##name##_key *to, const uint8_t *key,                    \
                                     size_t key_bytes) {                                           \
        uint8_t bytes[block_bytes_];                                                               \
        name##_block block;                                                                        \
        name##_set_padded(&to->schedule, key, key_bytes);                                          \
        cmac_##name##_begin(&block, to);                                                           \
        name##_encrypt(&to->schedule, &block);                                                     \
        name##_store(bytes, &block);                                                               \
        double_bytes(bytes, sizeof bytes, polynomial_);                                            \
        to->whole = name##_load(bytes);                                                            \
        double_bytes(bytes, sizeof bytes, polynomial_);                                            \
        to->padded = name##_load(bytes);                                                           \
        jm_wipe(bytes, sizeof bytes);                                                              \
    }                                                                                              \
    JM_INLINE void cmac_##name##_absorb(name##_block *chain, const cmac_##name##_key *key,         \
                                        const uint8_t *blocks, size_t count) {                     \
        name##_chain_blocks(&key->schedule, chain, blocks, count);                                 \
    }                                                                                              \
    JM_INLINE void cmac_##name##_finish(name##_block *chain, const cmac_##name##_key *key,         \
                                        const uint8_t *rest, size_t rest_bytes,                    \
                                        uint64_t total_bytes, uint8_t *tag) {                      \
        (void)total_bytes;                                                                         \
        name##_block last;                                                                         \
        if (rest_bytes == (block_bytes_)) {                                                        \
            last = name##_load(rest);                                                              \
            name##_add(&last, &key->whole);                                                        \
        } else {                                                                                   \
            _Alignas(16) uint8_t padded[SHACAL_PADDED_BYTES];                                      \
            jm_pad_block(padded, sizeof padded, rest, rest_bytes, 0x80);                           \
            last = name##_load(padded);                                                            \
            name##_add(&last, &key->padded);                                                       \
        }                                                                                          \
        name##_add(&last, chain);                                                                  \
        name##_encrypt(&key->schedule, &last);                                                     \
        name##_store(tag, &last);                                                                  \
    }                                                                                              \
    JM_BLOCK_MAC_DEFINE(cmac_##name, algorithm_, variant_, features_, true, note_,                 \
                        cmac_##name##_key, name##_block, block_bytes_, block_bytes_,               \
                        JM_SHACAL_KEY_BYTES_MIN, JM_SHACAL_KEY_BYTES_MAX, true, stack_)

/* ---- the variants ---- */

extern const jm_implementation jm_shacal1_mcu8, jm_cmac_shacal1_mcu8;
extern const jm_implementation jm_shacal1_portable, jm_cmac_shacal1_portable;
extern const jm_implementation jm_shacal2_portable, jm_cmac_shacal2_portable;
extern const jm_implementation jm_shacal1_shani, jm_cmac_shacal1_shani;
extern const jm_implementation jm_shacal2_shani, jm_cmac_shacal2_shani;

#endif
