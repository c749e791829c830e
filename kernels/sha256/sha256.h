/* SPDX-License-Identifier: Apache-2.0
 * SHA-256 (FIPS 180-4, sections 4.2.2, 5.3.3 and 6.2) and SHA-224: the part that all variants
 * share. */
#ifndef JM_SHA256_H
#define JM_SHA256_H

#include "common/merkle_damgard.h"
#include "common/words.h"
#include "joulemark/kernel.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
_Alignas(64) static const JM_FLASH uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The functions on one word (section 4.1.2), for common/sha2_rounds.h. */
#define BIG_SIGMA0(x) (rotr32(x, 2) ^ rotr32(x, 13) ^ rotr32(x, 22))
#define BIG_SIGMA1(x) (rotr32(x, 6) ^ rotr32(x, 11) ^ rotr32(x, 25))
#define SIGMA0(x) (rotr32(x, 7) ^ rotr32(x, 18) ^ ((x) >> 3))
#define SIGMA1(x) (rotr32(x, 17) ^ rotr32(x, 19) ^ ((x) >> 10))

/* Where each word lies in a chaining value. The order is that of the registers of SHA256RNDS2,
 * A B E F and C D G H with A and C in the top lane; every variant keeps this order, so that one
 * variant can use a key state that another has set up. */
enum {
    SHA256_A = 3,
    SHA256_B = 2,
    SHA256_C = 7,
    SHA256_D = 6,
    SHA256_E = 1,
    SHA256_F = 0,
    SHA256_G = 5,
    SHA256_H = 4,
};

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes, a to h, in
 * the order of a chaining value. */
static const uint32_t sha256_initial[8] = {
    [SHA256_A] = 0x6a09e667, [SHA256_B] = 0xbb67ae85, [SHA256_C] = 0x3c6ef372,
    [SHA256_D] = 0xa54ff53a, [SHA256_E] = 0x510e527f, [SHA256_F] = 0x9b05688c,
    [SHA256_G] = 0x1f83d9ab, [SHA256_H] = 0x5be0cd19,
};

/* SHA-224 (sections 5.3.2 and 6.3) is SHA-256 from another initial value, without the last word of
 * the digest. The initial value is the second 32 bits of the fractional parts of the square roots
 * of the ninth to sixteenth primes. */
static const uint32_t sha224_initial[8] = {
    [SHA256_A] = 0xc1059ed8, [SHA256_B] = 0x367cd507, [SHA256_C] = 0x3070dd17,
    [SHA256_D] = 0xf70e5939, [SHA256_E] = 0xffc00b31, [SHA256_F] = 0x68581511,
    [SHA256_G] = 0x64f98fa7, [SHA256_H] = 0xbefa4fa4,
};

enum { SHA224_DIGEST_BYTES = 28 };

static inline void sha224_init(void *chain) {
    memcpy(chain, sha224_initial, sizeof sha224_initial);
}
static inline void sha224_output(const void *chain, uint8_t *digest) {
    uint32_t state[8]; /* a copy, since a variant's chaining value may consist of vectors */
    memcpy(state, chain, sizeof state);
    static const uint8_t order[7] = {SHA256_A, SHA256_B, SHA256_C, SHA256_D,
                                     SHA256_E, SHA256_F, SHA256_G};
    for (size_t i = 0; i < 7; i++) store_be32(digest + 4 * i, state[order[i]]);
}

/* SHA-224 over a variant's `compress_`. */
#define JM_SHA224_VARIANT(variant_, features_, target_, chain_bytes_, note_, compress_)            \
    static const jm_compression sha224_compression = {                                             \
        .chain_bytes = (chain_bytes_),                                                             \
        .block_bytes = 64,                                                                         \
        .digest_bytes = SHA224_DIGEST_BYTES,                                                       \
        .length_bytes = 8,                                                                         \
        .length_big_endian = true,                                                                 \
        .init = sha224_init,                                                                       \
        .compress = compress_,                                                                     \
        .output = sha224_output,                                                                   \
    };                                                                                             \
    JM_MD_DEFINE(sha224, variant_, features_, target_, note_, 64, SHA224_DIGEST_BYTES,             \
                 sha224_compression)

#define JM_SHA256_VARIANT(variant_, features_, target_, chain_bytes_, note_)                       \
    JM_HASH_AND_HMAC(sha256, variant_, features_, target_, note_, chain_bytes_, 64, 32, 8, true)   \
    JM_SHA224_VARIANT(variant_, features_, target_, chain_bytes_, note_, compress)

/* In lanes: the parameters of common/sha2_lanes.h, which a variant for batches includes after this
 * file, and its last line. */
#define SHA2_AT(letter) SHA256_##letter
#define SHA2_ROUNDS 64
#define SHA2_K sha256_k
#define SHA2_BIG_SIGMA0(x) vec_xor3(vec_rotr(x, 2), vec_rotr(x, 13), vec_rotr(x, 22))
#define SHA2_BIG_SIGMA1(x) vec_xor3(vec_rotr(x, 6), vec_rotr(x, 11), vec_rotr(x, 25))
#define SHA2_SIGMA0(x) vec_xor3(vec_rotr(x, 7), vec_rotr(x, 18), vec_shr(x, 3))
#define SHA2_SIGMA1(x) vec_xor3(vec_rotr(x, 17), vec_rotr(x, 19), vec_shr(x, 10))
#define SHA2_EXTENDS_AT_USE 1
#define HASH_LENGTH_BYTES 8
#define HASH_CODE_BYTES 9216

#define JM_SHA256_LANES(variant_, features_, note_)                                                \
    JM_HMAC_LANES(sha256, variant_, features_, note_, 32, jm_hmac_sha256_portable)

extern const jm_implementation jm_sha224_mcu8, jm_sha256_mcu8, jm_hmac_sha256_mcu8;
extern const jm_implementation jm_sha224_mcu32, jm_sha256_mcu32, jm_hmac_sha256_mcu32;
extern const jm_implementation jm_sha224_portable, jm_sha224_shani;
extern const jm_implementation jm_sha256_portable, jm_hmac_sha256_portable;
extern const jm_implementation jm_sha256_shani, jm_hmac_sha256_shani;
extern const jm_implementation jm_hmac_sha256_shani_x4;
extern const jm_implementation jm_hmac_sha256_avx2_x8, jm_hmac_sha256_avx2_x16;
extern const jm_implementation jm_hmac_sha256_avx512_x16, jm_hmac_sha256_avx512_x32;

#endif
