/* SPDX-License-Identifier: Apache-2.0
 * SHA-512 (FIPS 180-4, sections 4.2.3, 5.3.5 and 6.4) and SHA-384 (sections 5.3.4 and 6.5), which
 * is SHA-512 from another initial value, without the last two words of the digest: the part that
 * all variants share. */
#ifndef JM_SHA512_H
#define JM_SHA512_H

#include "common/merkle_damgard.h"
#include "joulemark/kernel.h"

/* The first 64 bits of the fractional parts of the cube roots of the first 80 primes. */
_Alignas(64) static const uint64_t sha512_k[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/* The functions on one word (section 4.1.3), for common/sha2_rounds.h. */
#define BIG_SIGMA0(x) (rotr64(x, 28) ^ rotr64(x, 34) ^ rotr64(x, 39))
#define BIG_SIGMA1(x) (rotr64(x, 14) ^ rotr64(x, 18) ^ rotr64(x, 41))
#define SIGMA0(x) (rotr64(x, 1) ^ rotr64(x, 8) ^ ((x) >> 7))
#define SIGMA1(x) (rotr64(x, 19) ^ rotr64(x, 61) ^ ((x) >> 6))

/* Where each word lies in a chaining value; every variant keeps this order. */
enum { SHA512_A, SHA512_B, SHA512_C, SHA512_D, SHA512_E, SHA512_F, SHA512_G, SHA512_H };

/* The first 64 bits of the fractional parts of the square roots of the first 8 primes: a to h. */
static const uint64_t sha512_initial[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/* The first 64 bits of the fractional parts of the square roots of the ninth to sixteenth primes
 * (section 5.3.4). */
static const uint64_t sha384_initial[8] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

/* The initial value of SHA-512/256 (sections 5.3.6.2 and 6.7), which is SHA-512 from this value,
 * cut to four words. The value is the digest of the function's name by SHA-512 with 0xa5 XORed to
 * all bytes of its initial value. tests/native/sha2_constants.c computes it. */
static const uint64_t sha512_256_initial[8] = {
    0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
    0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
};

enum { SHA512_BLOCK_BYTES = 128, SHA512_DIGEST_BYTES = 64, SHA384_DIGEST_BYTES = 48 };
enum { SHA512_256_DIGEST_BYTES = 32 };

static inline void sha512_256_init(void *chain) {
    memcpy(chain, sha512_256_initial, sizeof sha512_256_initial);
}
static inline void sha512_256_output(const void *chain, uint8_t *digest) {
    const uint64_t *state = chain;
    for (size_t i = 0; i < 4; i++) store_be64(digest + 8 * i, state[i]);
}

static inline void sha384_init(void *chain) {
    memcpy(chain, sha384_initial, sizeof sha384_initial);
}
static inline void sha384_output(const void *chain, uint8_t *digest) {
    const uint64_t *state = chain;
    for (size_t i = 0; i < 6; i++) store_be64(digest + 8 * i, state[i]);
}

/* The last line of a variant's file: it makes SHA-512, SHA-384, HMAC over each, and SHA-512/256 of
 * the variant's static init, compress and output. */
#define JM_SHA512_VARIANT(variant_, features_, target_, chain_bytes_, note_)                       \
    JM_HASH_AND_HMAC(sha512, variant_, features_, target_, note_, chain_bytes_,                    \
                     SHA512_BLOCK_BYTES, SHA512_DIGEST_BYTES, 16, true)                            \
    static const jm_compression sha384_compression = {                                             \
        .chain_bytes = (chain_bytes_),                                                             \
        .block_bytes = SHA512_BLOCK_BYTES,                                                         \
        .digest_bytes = SHA384_DIGEST_BYTES,                                                       \
        .length_bytes = 16,                                                                        \
        .length_big_endian = true,                                                                 \
        .init = sha384_init,                                                                       \
        .compress = compress,                                                                      \
        .output = sha384_output,                                                                   \
    };                                                                                             \
    JM_MD_DEFINE(sha384, variant_, features_, target_, note_, SHA512_BLOCK_BYTES,                  \
                 SHA384_DIGEST_BYTES, sha384_compression)                                          \
    JM_HMAC_DEFINE(sha384, variant_, features_, target_, note_, SHA512_BLOCK_BYTES,                \
                   SHA384_DIGEST_BYTES, sha384_compression,                                        \
                   JM_HMAC_TAG_STACK_BYTES(SHA512_BLOCK_BYTES))                                    \
    static const jm_compression sha512_256_compression = {                                         \
        .chain_bytes = (chain_bytes_),                                                             \
        .block_bytes = SHA512_BLOCK_BYTES,                                                         \
        .digest_bytes = SHA512_256_DIGEST_BYTES,                                                   \
        .length_bytes = 16,                                                                        \
        .length_big_endian = true,                                                                 \
        .init = sha512_256_init,                                                                   \
        .compress = compress,                                                                      \
        .output = sha512_256_output,                                                               \
    };                                                                                             \
    JM_MD_DEFINE_AS(sha512_256, "sha512-256", variant_, features_, target_, note_,                 \
                    SHA512_BLOCK_BYTES, SHA512_256_DIGEST_BYTES, sha512_256_compression)

/* In lanes: the parameters of common/sha2_lanes.h, which a variant for batches includes after this
 * file, and its last line. */
#define SHA2_AT(letter) SHA512_##letter
#define SHA2_ROUNDS 80
#define SHA2_K sha512_k
#define SHA2_BIG_SIGMA0(x) vec_xor3(vec_rotr(x, 28), vec_rotr(x, 34), vec_rotr(x, 39))
#define SHA2_BIG_SIGMA1(x) vec_xor3(vec_rotr(x, 14), vec_rotr(x, 18), vec_rotr(x, 41))
#define SHA2_SIGMA0(x) vec_xor3(vec_rotr(x, 1), vec_rotr(x, 8), vec_shr(x, 7))
#define SHA2_SIGMA1(x) vec_xor3(vec_rotr(x, 19), vec_rotr(x, 61), vec_shr(x, 6))
#define SHA2_EXTENDS_AT_USE 0
#define HASH_LENGTH_BYTES 16
#define HASH_CODE_BYTES 9216

/* `single_` is the variant that does all but batches. */
#define JM_SHA512_LANES(variant_, features_, note_, single_)                                       \
    JM_HMAC_LANES(sha512, variant_, features_, note_, SHA512_DIGEST_BYTES,                         \
                  jm_hmac_sha512_##single_)                                                        \
    JM_HMAC_LANES(sha384, variant_, features_, note_, SHA384_DIGEST_BYTES, jm_hmac_sha384_##single_)

#define JM_SHA512_DECLARE(variant_)                                                                \
    extern const jm_implementation jm_sha512_##variant_, jm_hmac_sha512_##variant_;                \
    extern const jm_implementation jm_sha384_##variant_, jm_hmac_sha384_##variant_;                \
    extern const jm_implementation jm_sha512_256_##variant_

#define JM_SHA512_DECLARE_LANES(variant_)                                                          \
    extern const jm_implementation jm_hmac_sha512_##variant_, jm_hmac_sha384_##variant_

JM_SHA512_DECLARE(portable);
JM_SHA512_DECLARE(avx512);
JM_SHA512_DECLARE_LANES(avx2_x4);
JM_SHA512_DECLARE_LANES(avx512_x8);
JM_SHA512_DECLARE_LANES(avx512_x16);

#endif
