/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3's hash mode and its keyed mode with 32 bytes of output (O'Connor, Aumasson, Neves,
 * Wilcox-O'Hearn: BLAKE3, one function, fast everywhere, 2020, section 2): the part that all
 * variants share.
 */
#ifndef JM_BLAKE3_H
#define JM_BLAKE3_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

enum {
    BLAKE3_BLOCK_BYTES = 64,
    BLAKE3_CHUNK_BYTES = 1024,
    BLAKE3_CHUNK_BLOCKS = BLAKE3_CHUNK_BYTES / BLAKE3_BLOCK_BYTES,
    BLAKE3_DIGEST_BYTES = 32,
    BLAKE3_ROUNDS = 7,
    BLAKE3_LEVELS_MAX = 54, /* levels of the tree of 2^64 bytes */
    BLAKE3_LANES_MAX = 16,
    BLAKE3_PASSES = 4, /* passes of all lanes whose chunks are joined together */
};

/* Section 2.3, table 3. */
enum {
    BLAKE3_CHUNK_START = 1,
    BLAKE3_CHUNK_END = 2,
    BLAKE3_PARENT = 4,
    BLAKE3_ROOT = 8,
    BLAKE3_KEYED_HASH = 16,
};

/* The initial value of SHA-256. */
static const uint32_t blake3_initial[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* The indices of message words in the order of each round: table 2 applied again for each. */
static const uint8_t blake3_order[BLAKE3_ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1},
    {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4},
    {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13},
};

/* The first chaining value of every chunk and parent, and a flag of all their blocks: the initial
 * value and no flag, or a key and BLAKE3_KEYED_HASH (section 2.3). */
typedef struct {
    uint32_t start[8];
    uint32_t flags;
} blake3_mode;

/* Section 2.2: the chaining value after one block, in place. */
typedef void blake3_compress(uint32_t chain[8], const uint8_t *block, uint64_t counter,
                             uint32_t bytes, uint32_t flags);

/* The functions of a variant. `chunks` computes the chaining values of `count` whole chunks, the
 * first of which has the number `first`; `parents`, which may be NULL, computes the values of
 * `count` parents of two values each. The array `parents` may begin where `values` does, or before.
 * Neither function computes the root. */
typedef struct {
    blake3_compress *compress;
    void (*chunks)(const blake3_mode *mode, uint32_t (*chains)[8], const uint8_t *message,
                   size_t count, uint64_t first);
    void (*parents)(const blake3_mode *mode, uint32_t (*parents)[8], uint32_t (*values)[8],
                    size_t count);
    size_t lanes; /* most chunks, or parents, of one call: a power of two */
} blake3_code;

/* A partly absorbed message. The stack stands for all complete chunks: a value for each 1 bit of
 * their number, the highest first, each the value of a complete subtree (section 5.1.2). */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint32_t stack[BLAKE3_LEVELS_MAX][8];
    uint32_t chain[8]; /* of the incomplete chunk */
    uint8_t pending[BLAKE3_BLOCK_BYTES];
    uint64_t chunks;        /* complete chunks */
    uint32_t levels;        /* values in the stack */
    uint32_t blocks;        /* absorbed blocks of the chunk */
    uint32_t pending_bytes; /* up to a block: a full one waits, since it may be the last */
} blake3_state;

extern const jm_hash_functions jm_blake3_hash;

/* `chunks` of the AVX2 variant, which the AVX-512 variant calls for few chunks. */
void jm_blake3_chunks_avx2(const blake3_mode *mode, uint32_t (*chains)[8], const uint8_t *message,
                           size_t count, uint64_t first);

#define JM_BLAKE3_VARIANT(variant_, features_, chunks_, parents_, lanes_, constant_time_, note_)   \
    static const blake3_code code = {compress, (chunks_), (parents_), (lanes_)};                   \
    const jm_implementation jm_blake3_##variant_ = {                                               \
        .algorithm = "blake3",                                                                     \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_HASH,                                                                      \
        .cpu_features = (features_),                                                               \
        .lanes = 1,                                                                                \
        .constant_time = (constant_time_),                                                         \
        .block_bytes = BLAKE3_BLOCK_BYTES,                                                         \
        .output_bytes = BLAKE3_DIGEST_BYTES,                                                       \
        .hash = &jm_blake3_hash,                                                                   \
        .over = &code,                                                                             \
    };

extern const jm_implementation jm_blake3_portable, jm_blake3_avx2, jm_blake3_avx512;
extern const jm_implementation jm_blake3_keyed_portable, jm_blake3_keyed_avx2;
extern const jm_implementation jm_blake3_keyed_avx512;

#endif
