/* SPDX-License-Identifier: Apache-2.0
 *
 * The Keccak family: the permutation Keccak-f[1600] (FIPS 202, section 3), the sponge (section 4)
 * and the functions made of both: SHA-3 and SHAKE (section 6), Keccak as submitted to the
 * competition's final round (The Keccak SHA-3 submission, version 3, 2011), and as submitted to its
 * second round (version 2, 2009), with another padding. All variants share this header.
 *
 * A state is 25 words of 64 bits; word x + 5y is the lane of column x and row y, which the standard
 * calls A[x, y]. A block is the first rate_bytes of a state, its words in little-endian order.
 * tests/native/keccak_constants.c derives both tables of constants by the standard's algorithms. */
#ifndef JM_KECCAK_H
#define JM_KECCAK_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum { KECCAK_WORDS = 25, KECCAK_ROUNDS = 24 };

/* FIPS 202, section 3.2.5, algorithm 5: a linear feedback shift register sets bits 2^j - 1 of each.
 */
static const uint64_t keccak_round_constants[KECCAK_ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

/* FIPS 202, section 3.2.2, algorithm 2: (t + 1)(t + 2) / 2 modulo 64 along a walk through the
 * words. */
static const uint8_t keccak_offsets[KECCAK_WORDS] = {
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
};

/* The function of a variant: `count` >= 1 times, adds the next rate_words words at `blocks` to the
 * state and permutes the state. rate_words is 0 (`blocks` is not read), 9, 13, 17, 18 or 21.
 * Constant time: no branch and no address depends on state or blocks. */
typedef void keccak_absorb(uint64_t state[KECCAK_WORDS], const uint8_t *blocks, size_t rate_words,
                           size_t count);

enum { KECCAK_PADDING_MAX = 4 };

/* One function of the family in one variant: `over` of its jm_implementation points to this
 * struct. */
typedef struct {
    keccak_absorb *absorb;
    uint8_t rate_bytes;
    uint8_t digest_bytes; /* at most rate_bytes (one squeezing), and a multiple of 4 */
    uint8_t padding_bytes;
    bool ends_block;                     /* the padding's last bit is that of a block */
    uint8_t padding[KECCAK_PADDING_MAX]; /* follows the message */
} keccak_sponge;

/* Bits after a message: 01 for a hash or 1111 for an extendable output, then 10*1 (FIPS 202,
 * section 6 and appendix B.2); 10*1 alone in the final round; in the second round a bit 1 and zeros
 * to the byte's end, the length of the digest and the rate in bytes, a bit 1 and zeros to the
 * block's end (version 2, section 1.3). */
#define KECCAK_SHA3(rate_, digest_) .ends_block = true, .padding_bytes = 1, .padding = {0x06}
#define KECCAK_SHAKE(rate_, digest_) .ends_block = true, .padding_bytes = 1, .padding = {0x1f}
#define KECCAK_FINAL(rate_, digest_) .ends_block = true, .padding_bytes = 1, .padding = {0x01}
/* KMAC: the length of the tag in bits, which are a multiple of 256, as right_encode gives it, then
 * the padding of an extendable output with the bits 00 in place of 1111 (SP 800-185, sections 2.3.1
 * and 4.3). */
#define KECCAK_KMAC(rate_, digest_)                                                                \
    .ends_block = true, .padding_bytes = 4, .padding = {(digest_) / 32, 0x00, 0x02, 0x04}
#define KECCAK_ROUND2(rate_, digest_)                                                              \
    .padding_bytes = 4, .padding = {0x01, (digest_), (rate_), 0x01}

/* Every function: name in C, catalogue id, rate and digest in bytes, padding. */
#define KECCAK_HASHES(HASH)                                                                        \
    HASH(sha3_224, "sha3-224", 144, 28, KECCAK_SHA3)                                               \
    HASH(sha3_256, "sha3-256", 136, 32, KECCAK_SHA3)                                               \
    HASH(sha3_384, "sha3-384", 104, 48, KECCAK_SHA3)                                               \
    HASH(sha3_512, "sha3-512", 72, 64, KECCAK_SHA3)                                                \
    HASH(shake128_256, "shake128-256", 168, 32, KECCAK_SHAKE)                                      \
    HASH(shake256_512, "shake256-512", 136, 64, KECCAK_SHAKE)                                      \
    HASH(keccak_256, "keccak-256", 136, 32, KECCAK_FINAL)                                          \
    HASH(keccak_512, "keccak-512", 72, 64, KECCAK_FINAL)                                           \
    HASH(keccak_r2_256, "keccak-r2-256", 136, 32, KECCAK_ROUND2)                                   \
    HASH(keccak_r2_512, "keccak-r2-512", 72, 64, KECCAK_ROUND2)

#define KECCAK_MACS(MAC)                                                                           \
    MAC(sha3_256, "hmac-sha3-256", 136, 32)                                                        \
    MAC(sha3_512, "hmac-sha3-512", 72, 64)

/* KMAC without customization: name in C, catalogue id, rate, tag and usual key in bytes, padding.
 */
#define KECCAK_KMACS(KMAC)                                                                         \
    KMAC(kmac128, "kmac128", 168, 32, 16)                                                          \
    KMAC(kmac256, "kmac256", 136, 64, 32)

/* Writes zeros that compilers do not remove. The pin hides the zero: for a constant that they know
 * they use `rep stos`, which takes as long as a round of Keccak to begin. */
JM_INLINE void keccak_clear(uint64_t state[KECCAK_WORDS]) {
    uint64_t zero = 0;
    JM_PIN("r", zero);
    for (size_t i = 0; i < KECCAK_WORDS; i++) state[i] = zero;
    JM_KEEP_STORES(state);
}

/* Adds the `bytes` at `from`, which may be NULL if `bytes` is 0, to the state from its byte `at`
 * on. */
JM_INLINE void keccak_add(uint64_t state[KECCAK_WORDS], size_t at, const uint8_t *from,
                          size_t bytes) {
    if (at % 8) {
        const size_t room = 8 - at % 8, taken = bytes < room ? bytes : room;
        state[at / 8] ^= load_le64_partial(from, taken) << 8 * (at % 8);
        if (taken == bytes) return;
        at += taken, from += taken, bytes -= taken;
    }
    for (; bytes >= 8; at += 8, from += 8, bytes -= 8) state[at / 8] ^= load_le64(from);
    if (bytes) state[at / 8] ^= load_le64_partial(from, bytes);
}

/* Pads a message whose last block has at < rate_bytes bytes, already added to the state, and
 * permutes: the digest is then the beginning of the state. */
JM_INLINE void keccak_pad(const keccak_sponge *sponge, uint64_t state[KECCAK_WORDS], size_t at) {
    for (size_t i = 0; i < sponge->padding_bytes; i++) {
        if (at == sponge->rate_bytes) {
            sponge->absorb(state, NULL, 0, 1);
            at = 0;
        }
        state[at / 8] ^= (uint64_t)sponge->padding[i] << 8 * (at % 8);
        at++;
    }
    if (sponge->ends_block) state[sponge->rate_bytes / 8 - 1] ^= UINT64_C(0x80) << 56;
    sponge->absorb(state, NULL, 0, 1);
}

/* Absorbs a message from a block's beginning to its padded end. */
JM_INLINE void keccak_finish(const keccak_sponge *sponge, uint64_t state[KECCAK_WORDS],
                             const uint8_t *message, size_t message_bytes) {
    if (message_bytes >= sponge->rate_bytes) {
        const size_t blocks = message_bytes / sponge->rate_bytes;
        sponge->absorb(state, message, sponge->rate_bytes / 8, blocks);
        message += blocks * sponge->rate_bytes;
        message_bytes -= blocks * sponge->rate_bytes;
    }
    keccak_add(state, 0, message, message_bytes);
    keccak_pad(sponge, state, message_bytes);
}

JM_INLINE void keccak_output(const keccak_sponge *sponge, const uint64_t state[KECCAK_WORDS],
                             uint8_t *digest) {
    const size_t words = sponge->digest_bytes / 8;
    for (size_t i = 0; i < words; i++) store_le64(digest + 8 * i, state[i]);
    if (sponge->digest_bytes % 8) store_le32(digest + 8 * words, (uint32_t)state[words]);
}

/* Copies a word at a time; otherwise compilers turn the loop into a call of memcpy. */
JM_INLINE void keccak_copy(uint64_t to[KECCAK_WORDS], const uint64_t from[KECCAK_WORDS]) {
    for (size_t i = 0; i < KECCAK_WORDS; i++) {
        uint64_t word = from[i];
        JM_PIN("r", word);
        to[i] = word;
    }
}

/* A partly absorbed message. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint64_t state[KECCAK_WORDS];
    uint64_t at; /* bytes of the next block already added to the state, below rate_bytes */
} keccak_state;

void jm_keccak_state_update(const keccak_sponge *sponge, keccak_state *state,
                            const uint8_t *message, size_t message_bytes);

extern const jm_hash_functions jm_keccak_hash;
extern const jm_mac_functions jm_keccak_hmac, jm_keccak_kmac;

/* The implementations of one variant, made of its static `absorb`: the array
 * jm_keccak_<variant>. */
#define KECCAK_SPONGE(name_, id_, rate_, digest_, padding_)                                        \
    static const keccak_sponge sponge_##name_ = {.absorb = absorb,                                 \
                                                 .rate_bytes = (rate_),                            \
                                                 .digest_bytes = (digest_),                        \
                                                 padding_(rate_, digest_)};
#define KECCAK_HASH(name_, id_, rate_, digest_, padding_)                                          \
    {.algorithm = (id_),                                                                           \
     .variant = VARIANT,                                                                           \
     .note = NOTE,                                                                                 \
     .kind = JM_KIND_HASH,                                                                         \
     .cpu_features = FEATURES,                                                                     \
     .lanes = 1,                                                                                   \
     .constant_time = true,                                                                        \
     .block_bytes = (rate_),                                                                       \
     .output_bytes = (digest_),                                                                    \
     .hash = &jm_keccak_hash,                                                                      \
     .over = &sponge_##name_},
#define KECCAK_MAC(name_, id_, rate_, digest_)                                                     \
    {.algorithm = (id_),                                                                           \
     .variant = VARIANT,                                                                           \
     .note = NOTE,                                                                                 \
     .kind = JM_KIND_MAC,                                                                          \
     .cpu_features = FEATURES,                                                                     \
     .lanes = 1,                                                                                   \
     .constant_time = true,                                                                        \
     .block_bytes = (rate_),                                                                       \
     .output_bytes = (digest_),                                                                    \
     .key_bytes_min = 0,                                                                           \
     .key_bytes_max = SIZE_MAX,                                                                    \
     .key_bytes = (digest_),                                                                       \
     .mac = &jm_keccak_hmac,                                                                       \
     .over = &sponge_##name_,                                                                      \
     .live = JM_LIVE(id_, "")},
#define KECCAK_KMAC_SPONGE(name_, id_, rate_, digest_, key_)                                       \
    KECCAK_SPONGE(name_, id_, rate_, digest_, KECCAK_KMAC)
#define KECCAK_KMAC_MAC(name_, id_, rate_, digest_, key_)                                          \
    {.algorithm = (id_),                                                                           \
     .variant = VARIANT,                                                                           \
     .note = NOTE,                                                                                 \
     .kind = JM_KIND_MAC,                                                                          \
     .cpu_features = FEATURES,                                                                     \
     .lanes = 1,                                                                                   \
     .constant_time = true,                                                                        \
     .block_bytes = (rate_),                                                                       \
     .output_bytes = (digest_),                                                                    \
     .key_bytes_min = 0,                                                                           \
     .key_bytes_max = SIZE_MAX,                                                                    \
     .key_bytes = (key_),                                                                          \
     .mac = &jm_keccak_kmac,                                                                       \
     .over = &sponge_##name_,                                                                      \
     .live = JM_LIVE(id_, "")},
#define KECCAK_ENTRY(...) +1
enum {
    KECCAK_HASH_COUNT = KECCAK_HASHES(KECCAK_ENTRY),
    KECCAK_MAC_COUNT = KECCAK_MACS(KECCAK_ENTRY),
    KECCAK_KMAC_COUNT = KECCAK_KMACS(KECCAK_ENTRY),
};
enum { KECCAK_COUNT = KECCAK_HASH_COUNT + KECCAK_MAC_COUNT + KECCAK_KMAC_COUNT };

/* The last line of a single-message variant's file, which has defined `absorb`, VARIANT, FEATURES
 * and NOTE. */
#define JM_KECCAK_VARIANT(variant_)                                                                \
    KECCAK_HASHES(KECCAK_SPONGE)                                                                   \
    KECCAK_KMACS(KECCAK_KMAC_SPONGE)                                                               \
    const jm_implementation jm_keccak_##variant_[KECCAK_COUNT] = {                                 \
        KECCAK_HASHES(KECCAK_HASH) KECCAK_MACS(KECCAK_MAC) KECCAK_KMACS(KECCAK_KMAC_MAC)};

extern const jm_implementation jm_keccak_portable[KECCAK_COUNT], jm_keccak_bmi2[KECCAK_COUNT];
extern const jm_implementation jm_keccak_avx2_x4[KECCAK_MAC_COUNT];
extern const jm_implementation jm_keccak_avx512_x8[KECCAK_MAC_COUNT];

/* ---- HMAC (RFC 2104, section 2; FIPS 198-1, section 4), as its variants share it ----
 *
 * The key state is the sponge's two states after the padded key's block, so that a tag costs the
 * message's own blocks and one more. common/merkle_damgard.h has HMAC over hashes whose chaining
 * values are shorter and whose padding contains the length. */

typedef struct {
    uint64_t live; /* JM_LIVE */
    _Alignas(JM_STATE_ALIGN) uint64_t inner[KECCAK_WORDS];
    uint64_t outer[KECCAK_WORDS];
} keccak_hmac_key;

typedef struct {
    uint64_t live; /* JM_LIVE */
    keccak_state inner;
    uint64_t outer[KECCAK_WORDS];
} keccak_hmac_stream;

#endif
