/* SPDX-License-Identifier: Apache-2.0
 *
 * VMAC-64 and VMAC-128 over AES-128 (draft-krovetz-vmac-01, sections 3 and 4) for
 * common/block_mac.h.
 *
 * The includer defines, above:
 *     // These four, unless it takes AES-NI.
 *     VMAC_SCHEDULE_BYTES, vmac_cipher     // of AES-128, and its jm_implementation
 *     void vmac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]);
 *     // Stores little-endian words; in one store if `vmac_encrypt` loads them at once.
 *     void vmac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high);
 *     // The rest, if it absorbs groups of blocks.
 *     VMAC_GROUP                           // blocks in a group
 *     VMAC_LEAST_GROUPS(words)             // the fewest groups for which to call
 *     // Absorbs `groups` groups, at least 1, as `vmac_absorb` absorbs blocks.
 *     void vmac_absorb_groups(vmac_residue *y, const vmac_word_key *keys, const uint64_t *nh,
 *                             size_t words, bool begun, const uint8_t *in, size_t groups);
 *
 * The pad is computed when a message begins: no operation of the hash waits for the pad, nor the
 * pad for the hash. */
#ifndef JM_VMAC_MAC_H
#define JM_VMAC_MAC_H

#include "common/block_mac.h"
#include "vmac/vmac_hash.h"

#if !defined(VMAC_SCHEDULE_BYTES)
#include "aes/aes_one_aesni.h"

#define VMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_aesni
#define vmac_cipher jm_aes128_aesni
#define vmac_encrypt aes128_one_block
#define vmac_store_counter aes_store_words

/* Stack bytes for JM_VMACS: Clang spills more registers beside the rounds of AES for the pad. */
#if defined(__clang__)
enum { VMAC_AESNI_STACK_BYTES = 1024 };
#else
enum { VMAC_AESNI_STACK_BYTES = 640 };
#endif
#endif

typedef struct {
    _Alignas(JM_STATE_ALIGN) uint8_t schedule[VMAC_SCHEDULE_BYTES];
    uint8_t counter[16]; /* the nonce as the cipher's block */
    uint64_t pad_word;   /* for a 64-bit tag: the number of its pad's word in the cipher's output */
    vmac_word_key word[VMAC_WORDS];
    uint64_t nh[VMAC_NH_WORDS + 2 * (VMAC_WORDS - 1)];
} vmac_key;

typedef struct {
    vmac_residue y[VMAC_WORDS];
    uint64_t begun; /* blocks were absorbed */
    uint64_t pad[VMAC_WORDS];
} vmac_chain;

/* Block `index` of the keys that the byte `what` names (section 3.2), as two numbers. */
JM_INLINE void vmac_derive(const vmac_key *key, uint8_t what, uint8_t index, uint64_t words[2]) {
    uint8_t block[16] = {what, [15] = index};
    vmac_encrypt(key->schedule, block, block);
    words[0] = load_be64(block);
    words[1] = load_be64(block + 8);
    jm_wipe(block, sizeof block);
}

/* Takes for each tag word the next pair of which both numbers are below p64. So that time does not
 * tell which pairs are passed over, one in 2^55, two more pairs than needed are always tried; the
 * probability that they do not suffice is 2^-160. */
JM_INLINE void vmac_derive_last(vmac_key *to, size_t words) {
    uint64_t pair[2], found = 0;
    for (size_t w = 0; w < words; w++) to->word[w].last[0] = to->word[w].last[1] = 0;
    for (uint8_t i = 0; i < words + 2; i++) {
        vmac_derive(to, 0xe0, i, pair);
        const uint64_t first_taken = pair[0] < VMAC_P64, second_taken = pair[1] < VMAC_P64;
        const uint64_t taken = first_taken & second_taken;
        for (uint64_t w = 0; w < words; w++) {
            const uint64_t is_its_turn = found == w;
            const uint64_t mask = jm_mask_if(taken & is_its_turn);
            to->word[w].last[0] |= pair[0] & mask;
            to->word[w].last[1] |= pair[1] & mask;
        }
        found += taken;
    }
    jm_wipe(pair, sizeof pair);
}

JM_INLINE void vmac_set(vmac_key *to, const uint8_t *key, size_t words) {
    static const uint64_t polynomial_mask = UINT64_C(0x1fffffff1fffffff);
    uint64_t pair[2];
    vmac_cipher.cipher->set_key(&vmac_cipher, to->schedule, key, JM_VMAC_KEY_BYTES);
    for (uint8_t i = 0; i < VMAC_NH_WORDS / 2 + words - 1; i++)
        vmac_derive(to, 0x80, i, to->nh + 2 * i);
    for (uint8_t w = 0; w < words; w++) {
        vmac_derive(to, 0xc0, w, pair);
        to->word[w].high = pair[0] & polynomial_mask;
        to->word[w].low = pair[1] & polynomial_mask;
    }
    vmac_derive_last(to, words);
    vmac_store_counter(to->counter, 0, 0);
    to->pad_word = 0;
    jm_wipe(pair, sizeof pair);
}

/* The nonce is a big-endian number at the end of a block of zeros. For a 64-bit tag its lowest bit
 * is not encrypted but chooses a half of the output (section 3.3). */
JM_INLINE void vmac_nonce(vmac_key *to, const uint8_t *nonce, size_t nonce_bytes, size_t words) {
    uint64_t low = 0, high;
    if (nonce_bytes == 8) {
        high = load_le64(nonce);
    } else {
        uint8_t block[16] = {0};
        for (size_t i = 0; i < nonce_bytes; i++) block[16 - nonce_bytes + i] = nonce[i];
        low = load_le64(block);
        high = load_le64(block + 8);
    }
    const uint64_t lowest = words == 1 ? UINT64_C(1) << 56 : 0;
    to->pad_word = (high & lowest) >> 56;
    vmac_store_counter(to->counter, low, high & ~lowest);
}

JM_INLINE void vmac_begin(vmac_chain *chain, const vmac_key *key, size_t words) {
    uint8_t pad[16];
    vmac_encrypt(key->schedule, key->counter, pad);
    for (size_t w = 0; w < words; w++) {
        chain->pad[w] = load_be64(pad + 8 * w);
        chain->y[w] = (vmac_residue){key->word[w].low, key->word[w].high};
    }
    if (words == 1) {
        const uint64_t other = load_be64(pad + 8);
        chain->pad[0] ^= (chain->pad[0] ^ other) & (0 - key->pad_word);
    }
    chain->begun = 0;
}

JM_INLINE void vmac_absorb(vmac_chain *chain, const vmac_key *key, size_t words,
                           const uint8_t *blocks, size_t count) {
    vmac_residue y[VMAC_WORDS];
    jm_wide sums[VMAC_WORDS];
    bool begun = chain->begun;
    for (size_t w = 0; w < words; w++) y[w] = chain->y[w];
#if defined(VMAC_GROUP)
    const size_t groups = count / VMAC_GROUP;
    if (groups >= VMAC_LEAST_GROUPS(words)) {
        vmac_absorb_groups(y, key->word, key->nh, words, begun, blocks, groups);
        begun = true;
        count %= VMAC_GROUP;
        blocks += groups * VMAC_GROUP * JM_VMAC_BLOCK_BYTES;
    }
#endif
    if (count && !begun) {
        vmac_nh_block(sums, key->nh, words, blocks);
        for (size_t w = 0; w < words; w++)
            y[w] = vmac_next(y[w], &key->word[w], false, vmac_nh_output(sums[w]));
        count--;
        blocks += JM_VMAC_BLOCK_BYTES;
    }
    for (; count; count--, blocks += JM_VMAC_BLOCK_BYTES) {
        vmac_nh_block(sums, key->nh, words, blocks);
        for (size_t w = 0; w < words; w++)
            y[w] = vmac_next(y[w], &key->word[w], true, vmac_nh_output(sums[w]));
    }
    for (size_t w = 0; w < words; w++) chain->y[w] = y[w];
    chain->begun = 1;
}

JM_INLINE void vmac_finish(vmac_chain *chain, const vmac_key *key, size_t words,
                           const uint8_t *rest, size_t rest_bytes, uint8_t *tag) {
    jm_wide sums[VMAC_WORDS];
    if (rest_bytes) vmac_nh(sums, key->nh, words, rest, rest_bytes);
    for (size_t w = 0; w < words; w++) {
        vmac_residue y = chain->y[w];
        if (rest_bytes) y = vmac_next(y, &key->word[w], chain->begun, vmac_nh_output(sums[w]));
        store_be64(tag + 8 * w,
                   chain->pad[w] + vmac_last(y, &key->word[w], 8 * (uint64_t)rest_bytes));
    }
}

/* jm_vmac_<bits_>_<variant_>, of `words_` tag words. */
#define JM_VMAC(bits_, words_, variant_, features_, constant_time_, stack_bytes_, note_)           \
    JM_INLINE void vmac_##bits_##_set(vmac_key *to, const uint8_t *key, size_t key_bytes) {        \
        (void)key_bytes;                                                                           \
        vmac_set(to, key, words_);                                                                 \
    }                                                                                              \
    JM_INLINE void vmac_##bits_##_nonce(vmac_key *to, const uint8_t *nonce, size_t nonce_bytes) {  \
        vmac_nonce(to, nonce, nonce_bytes, words_);                                                \
    }                                                                                              \
    JM_INLINE void vmac_##bits_##_begin(vmac_chain *chain, const vmac_key *key) {                  \
        vmac_begin(chain, key, words_);                                                            \
    }                                                                                              \
    JM_INLINE void vmac_##bits_##_absorb(vmac_chain *chain, const vmac_key *key,                   \
                                         const uint8_t *blocks, size_t count) {                    \
        vmac_absorb(chain, key, words_, blocks, count);                                            \
    }                                                                                              \
    JM_INLINE void vmac_##bits_##_finish(vmac_chain *chain, const vmac_key *key,                   \
                                         const uint8_t *rest, size_t rest_bytes,                   \
                                         uint64_t total_bytes, uint8_t *tag) {                     \
        (void)total_bytes;                                                                         \
        vmac_finish(chain, key, words_, rest, rest_bytes, tag);                                    \
    }                                                                                              \
    JM_BLOCK_MAC_DEFINE_WITH_KEPT_NONCE(                                                           \
        vmac_##bits_, "vmac-" #bits_ "-aes128", variant_, features_, constant_time_, note_,        \
        vmac_key, vmac_chain, JM_VMAC_BLOCK_BYTES, JM_VMAC_##bits_##_TAG_BYTES, JM_VMAC_KEY_BYTES, \
        JM_VMAC_KEY_BYTES, false, stack_bytes_, 1, JM_VMAC_NONCE_BYTES_MAX, JM_VMAC_NONCE_BYTES)

#define JM_VMACS(variant_, features_, constant_time_, stack_bytes_, note_)                         \
    JM_VMAC(64, 1, variant_, features_, constant_time_, stack_bytes_, note_)                       \
    JM_VMAC(128, 2, variant_, features_, constant_time_, stack_bytes_, note_)

#endif
