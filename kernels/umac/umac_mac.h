/* SPDX-License-Identifier: Apache-2.0
 *
 * UMAC over AES-128 (RFC 4418) for common/block_mac.h: keys, pads, and the hashes of the first
 * layer passed to the other layers (umac_layers.h).
 *
 * The includer defines, above:
 *     // These four, unless it takes AES-NI.
 *     UMAC_SCHEDULE_BYTES, umac_cipher     // of AES-128, and its jm_implementation
 *     void umac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]);
 *     // Stores little-endian words; in one store if `umac_encrypt` loads them at once.
 *     void umac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high);
 *     umac_nh_key, UMAC_NH_KEYS(iterations) // a piece of NH's key, and how many there are
 *     // Puts four words of NH's key, its block `index`, at their places.
 *     void umac_nh_place(umac_nh_key *to, size_t index, const uint32_t words[4],
 *                        size_t iterations);
 *     // NH of `bytes`, 1 to 1024, completed with zeros to chunks of 32, for each iteration.
 *     void umac_nh(uint64_t *sums, const umac_nh_key *key, const uint8_t *in, size_t bytes,
 *                  size_t iterations);
 *
 * The pad is computed when a message begins: no operation of the hash waits for the pad, nor the
 * pad for the hash. */
#ifndef JM_UMAC_MAC_H
#define JM_UMAC_MAC_H

#include "common/block_mac.h"
#include "umac/umac.h"
#include "umac/umac_layers.h"

#if !defined(UMAC_SCHEDULE_BYTES)
#include "aes/aes_one_aesni.h"

#define UMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define umac_cipher jm_aes128_aesni
#define umac_encrypt aes128_one_block
#define umac_store_counter aes_store_words
#endif

/* Blocks of a message that the polynomial modulo p64 takes: 2^24 bytes. Further blocks are taken
 * modulo p128. */
#define UMAC_SHORT_BLOCKS (UINT64_C(1) << 14)
#define UMAC_END UINT64_C(0x8000000000000000) /* follows the last hash modulo p128 */

typedef struct {
    _Alignas(16) uint8_t schedule[UMAC_SCHEDULE_BYTES];
    uint8_t counter[16]; /* the nonce as the cipher's block */
    uint64_t pad_at;     /* for tags of 32 and 64 bits: the pad's index in the cipher's block */
} umac_pad_key;

typedef struct {
    uint64_t blocks;
    uint64_t y[UMAC_ITERATIONS_MAX]; /* the hash of one block, the polynomial of several */
    jm_wide y128[UMAC_ITERATIONS_MAX];
    uint64_t held[UMAC_ITERATIONS_MAX]; /* a hash that waits for another one to make 128 bits */
    uint32_t pad[UMAC_ITERATIONS_MAX];
} umac_chain;

/* Block `number`, from 1 on, of the keys that `index` names (section 3.2.1). */
JM_INLINE void umac_derive(const void *schedule, uint64_t index, uint64_t number, uint8_t to[16]) {
    store_be64(to, index);
    store_be64(to + 8, number);
    umac_encrypt(schedule, to, to);
}

JM_INLINE void umac_layer_set(umac_layer_key *to, const void *schedule, size_t iterations) {
    static const uint64_t mask = UINT64_C(0x01ffffff01ffffff);
    uint8_t block[16], second[24 * UMAC_ITERATIONS_MAX];
    for (size_t i = 0; 16 * i < 24 * iterations; i++)
        umac_derive(schedule, 2, i + 1, second + 16 * i);
    for (size_t n = 0; n < iterations; n++) {
        to[n].k64 = load_be64(second + 24 * n) & mask;
        to[n].k128_high = load_be64(second + 24 * n + 8) & mask;
        to[n].k128_low = load_be64(second + 24 * n + 16) & mask;
        for (size_t i = 0; i < 4; i++) {
            umac_derive(schedule, 3, 4 * n + i + 1, block);
            to[n].k36[2 * i] = load_be64(block) % UMAC_P36;
            to[n].k36[2 * i + 1] = load_be64(block + 8) % UMAC_P36;
        }
    }
    umac_derive(schedule, 4, 1, block);
    for (size_t n = 0; n < iterations; n++) to[n].mask = load_be32(block + 4 * n);
    jm_wipe(block, sizeof block);
    jm_wipe(second, sizeof second);
}

/* The schedule of the user's key encrypts only to derive keys; one of the derived keys encrypts
 * pads. */
JM_INLINE void umac_set(umac_pad_key *pad, umac_layer_key *layers, umac_nh_key *nh,
                        const uint8_t *key, size_t iterations) {
    uint32_t words[4];
    uint8_t block[16];
    umac_cipher.cipher->set_key(&umac_cipher, pad->schedule, key, JM_UMAC_KEY_BYTES);
    for (size_t i = 0; i < UMAC_NH_BLOCKS(iterations); i++) {
        umac_derive(pad->schedule, 1, i + 1, block);
        for (size_t j = 0; j < 4; j++) words[j] = load_be32(block + 4 * j);
        umac_nh_place(nh, i, words, iterations);
    }
    umac_layer_set(layers, pad->schedule, iterations);
    umac_derive(pad->schedule, 0, 1, block);
    umac_cipher.cipher->set_key(&umac_cipher, pad->schedule, block, sizeof block);
    umac_store_counter(pad->counter, 0, 0);
    pad->pad_at = 0;
    jm_wipe(words, sizeof words);
    jm_wipe(block, sizeof block);
}

/* The nonce stands in front of zeros. If pads are shorter than a block, the nonce's lowest bits are
 * not encrypted but choose one of the pads in the block (section 3.3.1). */
JM_INLINE void umac_nonce(umac_pad_key *to, const uint8_t *nonce, size_t nonce_bytes,
                          size_t iterations) {
    const size_t tag_bytes = JM_UMAC_WORD_BYTES * iterations;
    const uint8_t chosen = tag_bytes <= 8 ? (uint8_t)(16 / tag_bytes - 1) : 0;
    uint8_t block[16] = {0};
    to->pad_at = nonce[nonce_bytes - 1] & chosen;
    if (nonce_bytes == 8) {
        umac_store_counter(to->counter, load_le64(nonce) & ~((uint64_t)chosen << 56), 0);
        return;
    }
    for (size_t i = 0; i < nonce_bytes; i++) block[i] = nonce[i];
    block[nonce_bytes - 1] &= (uint8_t)~chosen;
    umac_store_counter(to->counter, load_le64(block), load_le64(block + 8));
}

JM_INLINE void umac_begin(umac_chain *chain, const umac_pad_key *key, size_t iterations) {
    uint8_t pad[16];
    umac_encrypt(key->schedule, key->counter, pad);
    uint64_t words[2] = {load_be64(pad), load_be64(pad + 8)};
    if (iterations <= 2) {
        const uint64_t second = iterations == 1 ? key->pad_at >> 1 : key->pad_at;
        words[0] ^= (words[0] ^ words[1]) & (0 - second);
    }
    if (iterations == 1) words[0] <<= 32 * (key->pad_at & 1);
    for (size_t n = 0; n < iterations; n++)
        chain->pad[n] = (uint32_t)(words[n / 2] >> (n % 2 ? 0 : 32));
    chain->blocks = 0;
}

/* Adds a hash after the first 2^24 bytes of a message. */
JM_ONCE void umac_add_long(umac_chain *chain, const umac_layer_key *layers, const uint64_t *sums,
                           size_t iterations) {
    for (size_t n = 0; n < iterations; n++) {
        if (chain->blocks == UMAC_SHORT_BLOCKS)
            chain->y128[n] = umac_step128(jm_wide_of(1, 0), layers + n,
                                          jm_wide_of(umac_reduce64(chain->y[n]), 0));
        if (chain->blocks % 2)
            chain->y128[n] = umac_add128(chain->y128[n], layers + n, chain->held[n], sums[n]);
        else
            chain->held[n] = sums[n];
    }
    chain->blocks++;
}

JM_INLINE void umac_absorb(umac_chain *chain, const umac_layer_key *layers, const umac_nh_key *nh,
                           const uint8_t *blocks, size_t count, size_t iterations) {
    uint64_t y[UMAC_ITERATIONS_MAX], sums[UMAC_ITERATIONS_MAX];
    if (chain->blocks == 0) {
        umac_nh(sums, nh, blocks, JM_UMAC_BLOCK_BYTES, iterations);
        for (size_t n = 0; n < iterations; n++) chain->y[n] = sums[n] + 8 * JM_UMAC_BLOCK_BYTES;
        chain->blocks = 1;
        blocks += JM_UMAC_BLOCK_BYTES;
        if (--count == 0) return;
    }
    for (size_t n = 0; n < iterations; n++)
        y[n] = chain->blocks == 1 ? umac_add64(1, layers[n].k64, chain->y[n]) : chain->y[n];
    for (; count && chain->blocks < UMAC_SHORT_BLOCKS; count--, blocks += JM_UMAC_BLOCK_BYTES) {
        umac_nh(sums, nh, blocks, JM_UMAC_BLOCK_BYTES, iterations);
        for (size_t n = 0; n < iterations; n++)
            y[n] = umac_add64(y[n], layers[n].k64, sums[n] + 8 * JM_UMAC_BLOCK_BYTES);
        chain->blocks++;
    }
    for (size_t n = 0; n < iterations; n++) chain->y[n] = y[n];
    for (; count; count--, blocks += JM_UMAC_BLOCK_BYTES) {
        umac_nh(sums, nh, blocks, JM_UMAC_BLOCK_BYTES, iterations);
        for (size_t n = 0; n < iterations; n++) sums[n] += 8 * JM_UMAC_BLOCK_BYTES;
        umac_add_long(chain, layers, sums, iterations);
    }
}

/* Computes the words of the tag for a message of more than 2^24 bytes. */
JM_ONCE void umac_finish_long(const umac_chain *chain, const umac_layer_key *layers,
                              uint32_t *words, size_t iterations) {
    const bool waits = chain->blocks % 2;
    for (size_t n = 0; n < iterations; n++) {
        const jm_wide last = umac_reduce128(umac_add128(
            chain->y128[n], layers + n, waits ? chain->held[n] : UMAC_END, waits ? UMAC_END : 0));
        words[n] = umac_last(jm_wide_high(last), jm_wide_low(last), layers + n, true);
    }
}

/* Computes the words of the tag for a message of more than one block; `sums` is the hash of the
 * incomplete last block, if has_rest. */
JM_INLINE void umac_finish_polynomial(umac_chain *chain, const umac_layer_key *layers,
                                      bool has_rest, const uint64_t *sums, uint32_t *words,
                                      size_t iterations) {
    if (chain->blocks >= UMAC_SHORT_BLOCKS && has_rest)
        umac_add_long(chain, layers, sums, iterations);
    if (chain->blocks > UMAC_SHORT_BLOCKS) {
        umac_finish_long(chain, layers, words, iterations);
        return;
    }
    const bool adds = has_rest && chain->blocks < UMAC_SHORT_BLOCKS;
    for (size_t n = 0; n < iterations; n++) {
        uint64_t y = chain->y[n];
        if (adds) {
            if (chain->blocks == 1) y = umac_add64(1, layers[n].k64, y);
            y = umac_add64(y, layers[n].k64, sums[n]);
        }
        words[n] = umac_last(0, umac_reduce64(y), layers + n, false);
    }
}

JM_INLINE void umac_finish(umac_chain *chain, const umac_layer_key *layers, const umac_nh_key *nh,
                           const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                           uint8_t *tag, size_t iterations) {
    static const uint8_t empty[32] = {0};
    uint64_t sums[UMAC_ITERATIONS_MAX] = {0};
    uint32_t words[UMAC_ITERATIONS_MAX];
    if (total_bytes == 0)
        umac_nh(sums, nh, empty, sizeof empty, iterations);
    else if (rest_bytes)
        umac_nh(sums, nh, rest, rest_bytes, iterations);
    for (size_t n = 0; n < iterations; n++) sums[n] += 8 * (uint64_t)rest_bytes;
    if (total_bytes <= JM_UMAC_BLOCK_BYTES)
        for (size_t n = 0; n < iterations; n++)
            words[n] = umac_last(0, chain->blocks ? chain->y[n] : sums[n], layers + n, false);
    else
        umac_finish_polynomial(chain, layers, rest_bytes != 0, sums, words, iterations);
    for (size_t n = 0; n < iterations; n++) store_be32(tag + 4 * n, words[n] ^ chain->pad[n]);
}

/* jm_umac_<bits_>_<variant_>. */
#define JM_UMAC(bits_, iterations_, variant_, features_, constant_time_, stack_bytes_, note_)      \
    typedef struct {                                                                               \
        _Alignas(JM_STATE_ALIGN) umac_nh_key nh[UMAC_NH_KEYS(iterations_)];                        \
        umac_pad_key pad;                                                                          \
        umac_layer_key layers[iterations_];                                                        \
    } umac_##bits_##_key;                                                                          \
    JM_INLINE void umac_##bits_##_set(umac_##bits_##_key *to, const uint8_t *key,                  \
                                      size_t key_bytes) {                                          \
        (void)key_bytes;                                                                           \
        umac_set(&to->pad, to->layers, to->nh, key, iterations_);                                  \
    }                                                                                              \
    JM_INLINE void umac_##bits_##_nonce(umac_##bits_##_key *to, const uint8_t *nonce,              \
                                        size_t nonce_bytes) {                                      \
        umac_nonce(&to->pad, nonce, nonce_bytes, iterations_);                                     \
    }                                                                                              \
    JM_INLINE void umac_##bits_##_begin(umac_chain *chain, const umac_##bits_##_key *key) {        \
        umac_begin(chain, &key->pad, iterations_);                                                 \
    }                                                                                              \
    JM_INLINE void umac_##bits_##_absorb(umac_chain *chain, const umac_##bits_##_key *key,         \
                                         const uint8_t *blocks, size_t count) {                    \
        umac_absorb(chain, key->layers, key->nh, blocks, count, iterations_);                      \
    }                                                                                              \
    JM_INLINE void umac_##bits_##_finish(umac_chain *chain, const umac_##bits_##_key *key,         \
                                         const uint8_t *rest, size_t rest_bytes,                   \
                                         uint64_t total_bytes, uint8_t *tag) {                     \
        umac_finish(chain, key->layers, key->nh, rest, rest_bytes, total_bytes, tag, iterations_); \
    }                                                                                              \
    JM_BLOCK_MAC_DEFINE_WITH_KEPT_NONCE(                                                           \
        umac_##bits_, "umac-" #bits_ "-aes128", variant_, features_, constant_time_, note_,        \
        umac_##bits_##_key, umac_chain, JM_UMAC_BLOCK_BYTES, JM_UMAC_WORD_BYTES *iterations_,      \
        JM_UMAC_KEY_BYTES, JM_UMAC_KEY_BYTES, false, stack_bytes_, 1, JM_UMAC_NONCE_BYTES_MAX,     \
        JM_UMAC_NONCE_BYTES)

#define JM_UMACS(variant_, features_, constant_time_, stack_bytes_, note_)                         \
    JM_UMAC(32, 1, variant_, features_, constant_time_, stack_bytes_, note_)                       \
    JM_UMAC(64, 2, variant_, features_, constant_time_, stack_bytes_, note_)                       \
    JM_UMAC(96, 3, variant_, features_, constant_time_, stack_bytes_, note_)                       \
    JM_UMAC(128, 4, variant_, features_, constant_time_, stack_bytes_, note_)

#endif
