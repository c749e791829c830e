/* SPDX-License-Identifier: Apache-2.0
 *
 * Shabal ("Shabal, a Submission to NIST's Cryptographic Hash Algorithm Competition", 2008, with the
 * second round's choice of parameters: p = 3, r = 12) in portable C.
 *
 * Technique: words of 32 bits, the 48 steps unrolled, so that indices are constants. All but two
 *   operations of a step wait for the step before, so that vectors would not help.
 * State: the specification's A, B, C and the counter W.
 * CPU: any.
 * Constant time: sums, products by 3 and 5, rotations and logic; checked by
 *   tests/native/constant_time.c.
 * Best for: one message at a time.
 */
#include "shabal/shabal.h"

/* The state after two blocks that name the digest's length (section 2.3.1), which the reference in
 * Python computes. */
static const shabal_chain initial_256 = {
    {0x52f84552, 0xe54b7999, 0x2d8ee3ec, 0xb9645191, 0xe0078b86, 0xbb7c44c9, 0xd2b5c1ca, 0xb0d2eb8c,
     0x14ce5a45, 0x22af50dc, 0xeffdbc6b, 0xeb21b74a},
    {0xb555c6ee, 0x3e710596, 0xa72a652f, 0x9301515f, 0xda28c1fa, 0x696fd868, 0x9cb6bf72, 0x0afe4002,
     0xa6e03615, 0x5138c1d4, 0xbe216306, 0xb38b8890, 0x3ea8b96b, 0x3299ace4, 0x30924dd4,
     0x55cb34a5},
    {0xb405f031, 0xc4233eba, 0xb3733979, 0xc0dd9d55, 0xc51c28ae, 0xa327b8e1, 0x56c56167, 0xed614433,
     0x88b59d60, 0x60e2ceba, 0x758b4b8b, 0x83e82a7f, 0xbc968828, 0xe6e00bf7, 0xba839e55,
     0x9b491c60},
    1};
static const shabal_chain initial_512 = {
    {0x20728dfd, 0x46c0bd53, 0xe782b699, 0x55304632, 0x71b4ef90, 0x0ea9e82c, 0xdbb930f1, 0xfad06b8b,
     0xbe0cae40, 0x8bd14410, 0x76d2adac, 0x28acab7f},
    {0xc1099cb7, 0x07b385f3, 0xe7442c26, 0xcc8ad640, 0xeb6f56c7, 0x1ea81aa9, 0x73b9d314, 0x1de85d08,
     0x48910a5a, 0x893b22db, 0xc5a0df44, 0xbbc4324e, 0x72d2f240, 0x75941d99, 0x6d8bde82,
     0xa1a7502b},
    {0xd9bf68d1, 0x58bad750, 0x56028cb2, 0x8134f359, 0xb5d469d8, 0x941a8cc2, 0x418b2a6e, 0x04052780,
     0x7f07d787, 0x5194358f, 0x3c60d665, 0xbe97d79a, 0x950c3434, 0xaed9a06d, 0x2537dc8d,
     0x7cdb5969},
    1};

/* The counter, then the permutation P (section 2.2). In each expression the terms with the last
 * step's word of A, for which the step waits, come last. */
JM_INLINE void permute(uint32_t a[SHABAL_A_WORDS], uint32_t b[SHABAL_WORDS],
                       const uint32_t c[SHABAL_WORDS], const uint32_t m[SHABAL_WORDS],
                       uint64_t counter) {
    a[0] ^= (uint32_t)counter;
    a[1] ^= (uint32_t)(counter >> 32);
#pragma GCC unroll 16
    for (size_t i = 0; i < SHABAL_WORDS; i++) b[i] = rotl32(b[i], 17);
    uint32_t last = a[SHABAL_A_WORDS - 1];
#pragma GCC unroll 48
    for (size_t step = 0; step < 3 * SHABAL_WORDS; step++) {
        const size_t i = step % SHABAL_WORDS;
        const uint32_t beside = b[(i + 13) % 16] ^ (b[(i + 9) % 16] & ~b[(i + 6) % 16]) ^ m[i];
        const uint32_t before = a[step % SHABAL_A_WORDS] ^ c[(24 - i) % 16];
        last = ((rotl32(last, 15) * 5) ^ before) * 3 ^ beside;
        a[step % SHABAL_A_WORDS] = last;
        b[i] = rotl32(b[i], 1) ^ ~last;
    }
#pragma GCC unroll 36
    for (size_t j = 0; j < 3 * SHABAL_A_WORDS; j++)
        a[j % SHABAL_A_WORDS] += c[(j + 3) % SHABAL_WORDS];
}

/* Absorbs one block. Afterwards b and c change places: callers exchange the arguments from call to
 * call. */
JM_ONCE void absorb_block(uint32_t a[SHABAL_A_WORDS], uint32_t b[SHABAL_WORDS],
                          uint32_t c[SHABAL_WORDS], const uint8_t *block, uint64_t counter) {
    uint32_t m[SHABAL_WORDS];
    for (size_t i = 0; i < SHABAL_WORDS; i++) m[i] = load_le32(block + 4 * i);
    for (size_t i = 0; i < SHABAL_WORDS; i++) b[i] += m[i];
    permute(a, b, c, m, counter);
    for (size_t i = 0; i < SHABAL_WORDS; i++) c[i] -= m[i];
}

static void swap(uint32_t b[SHABAL_WORDS], uint32_t c[SHABAL_WORDS]) {
    for (size_t i = 0; i < SHABAL_WORDS; i++) {
        const uint32_t word = b[i];
        b[i] = c[i];
        c[i] = word;
    }
}

static void absorb(void *chain, const uint8_t *blocks, size_t count) {
    shabal_chain *state = chain;
    uint32_t *b = state->b, *c = state->c;
    for (size_t i = 0; i < count; i++) {
        absorb_block(state->a, b, c, blocks + i * SHABAL_BLOCK_BYTES, state->counter++);
        uint32_t *const other = b;
        b = c;
        c = other;
    }
    if (count % 2) swap(state->b, state->c);
}

/* The last block, and P three times more with the same block and counter (section 2.3.3). */
static void finish(void *chain, const uint8_t *rest, size_t rest_bytes, uint8_t *digest,
                   size_t digest_bytes) {
    shabal_chain *state = chain;
    uint8_t block[SHABAL_BLOCK_BYTES];
    uint32_t m[SHABAL_WORDS], *b = state->b, *c = state->c;
    jm_pad_block(block, sizeof block, rest, rest_bytes, 0x80);
    for (size_t i = 0; i < SHABAL_WORDS; i++) m[i] = load_le32(block + 4 * i);
    for (size_t i = 0; i < SHABAL_WORDS; i++) b[i] += m[i];
    for (size_t i = 0; i < 4; i++) {
        permute(state->a, b, c, m, state->counter);
        uint32_t *const other = b;
        b = c;
        c = other;
    }
    const size_t first = SHABAL_WORDS - digest_bytes / 4;
    for (size_t i = 0; i < digest_bytes / 4; i++) store_le32(digest + 4 * i, c[first + i]);
    jm_wipe(block, sizeof block);
    jm_wipe(m, sizeof m);
}

static void init_256(void *chain) {
    memcpy(chain, &initial_256, sizeof initial_256);
}
static void init_512(void *chain) {
    memcpy(chain, &initial_512, sizeof initial_512);
}
static void finish_256(void *chain, const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                       uint8_t *digest) {
    (void)total_bytes;
    finish(chain, rest, rest_bytes, digest, 32);
}
static void finish_512(void *chain, const uint8_t *rest, size_t rest_bytes, uint64_t total_bytes,
                       uint8_t *digest) {
    (void)total_bytes;
    finish(chain, rest, rest_bytes, digest, 64);
}

static const jm_block_hash hash_256 = {
    .chain_bytes = sizeof(shabal_chain),
    .block_bytes = SHABAL_BLOCK_BYTES,
    .init = init_256,
    .absorb = absorb,
    .finish = finish_256,
};
static const jm_block_hash hash_512 = {
    .chain_bytes = sizeof(shabal_chain),
    .block_bytes = SHABAL_BLOCK_BYTES,
    .init = init_512,
    .absorb = absorb,
    .finish = finish_512,
};

JM_BLOCK_HASH_DEFINE(shabal_256, "shabal-256", portable, 0, JM_TARGET_ANY, true, "portable C",
                     SHABAL_BLOCK_BYTES, 32, hash_256)
JM_BLOCK_HASH_DEFINE(shabal_512, "shabal-512", portable, 0, JM_TARGET_ANY, true, "portable C",
                     SHABAL_BLOCK_BYTES, 64, hash_512)
