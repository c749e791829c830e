/* SPDX-License-Identifier: Apache-2.0
 *
 * Groestl (P. Gauravaram et al., "Groestl - a SHA-3 candidate", 2011), as in the final round of the
 * SHA-3 competition, and as in its second round (2008), which has other round constants, and in Q
 * the ShiftBytes of P: the part that all variants share.
 *
 * Two permutations P and Q of a matrix of 8 rows and 8 or 16 columns of bytes make the compression
 * P(h + m) + Q(m) + h. Byte i of a block is row i % 8 of column i / 8. Here a matrix is stored in
 * rows: a row is 16 bytes in which column j is byte j; with 8 columns the last 8 bytes are not
 * used. */
#ifndef JM_GROESTL_H
#define JM_GROESTL_H

#include "aes/aes_planes.h"
#include "common/block_hash.h"

enum { GROESTL_ROWS = 8, GROESTL_ROUNDS_MAX = 14, GROESTL_BLOCK_BYTES_MAX = 128 };

/* One function of the family. Its digest is half a block. */
typedef struct {
    uint8_t columns, rounds;
    bool round2; /* of the competition */
} groestl_kind;

static const groestl_kind groestl_kind_256 = {8, 10, false}, groestl_kind_512 = {16, 14, false};
static const groestl_kind groestl_kind_r2_256 = {8, 10, true}, groestl_kind_r2_512 = {16, 14, true};

/* The number of bytes by which ShiftBytes rotates each row to the left. */
static const uint8_t groestl_shifts_p[2][GROESTL_ROWS] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                          {0, 1, 2, 3, 4, 5, 6, 11}};
static const uint8_t groestl_shifts_q[2][GROESTL_ROWS] = {{1, 3, 5, 7, 0, 2, 4, 6},
                                                          {1, 3, 5, 11, 0, 2, 4, 6}};

typedef struct {
    _Alignas(JM_STATE_ALIGN) uint64_t row[GROESTL_ROWS][2];
} groestl_rows;

typedef struct {
    groestl_rows value;
    uint64_t blocks; /* compressed blocks */
} groestl_chain;

/* The functions of a variant: compression of `count` >= 1 blocks, and the last step, P(h) + h. */
typedef void groestl_compress(const groestl_kind *kind, groestl_rows *value, const uint8_t *blocks,
                              size_t count);
typedef void groestl_output(const groestl_kind *kind, groestl_rows *value);

/* Turns eight columns of eight bytes into eight rows, and back. */
JM_INLINE void groestl_transpose(uint64_t x[8]) {
    for (unsigned i = 0; i < 4; i++) exchange(&x[i], &x[i + 4], 32, UINT64_C(0xffffffff));
    for (unsigned i = 0; i < 4; i++) {
        uint64_t *pair = &x[i + (i & 2)];
        exchange(&pair[0], &pair[2], 16, UINT64_C(0x0000ffff0000ffff));
    }
    for (unsigned i = 0; i < 8; i += 2) exchange(&x[i], &x[i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
}

/* The first chaining value is the digest's length in bits, big-endian, in the last column. */
JM_INLINE void groestl_init(const groestl_kind *kind, groestl_chain *chain) {
    memset(chain, 0, sizeof *chain);
    chain->value.row[6][kind->columns / 16] = (uint64_t)(kind->columns / 8) << 56;
}

JM_INLINE void groestl_absorb(const groestl_kind *kind, groestl_compress *compress,
                              groestl_chain *chain, const uint8_t *blocks, size_t count) {
    compress(kind, &chain->value, blocks, count);
    chain->blocks += count;
}

/* The padding: a bit 1, zeros, the number of blocks. The digest: the last half of the state. */
JM_INLINE void groestl_finish(const groestl_kind *kind, groestl_compress *compress,
                              groestl_output *output, groestl_chain *chain, const uint8_t *rest,
                              size_t rest_bytes, uint8_t *digest) {
    const size_t block_bytes = 8u * kind->columns;
    uint8_t blocks[2 * GROESTL_BLOCK_BYTES_MAX];
    memset(blocks, 0, 2 * block_bytes);
    memcpy(blocks, rest, rest_bytes);
    blocks[rest_bytes] = 0x80;
    const size_t count = rest_bytes + 1 + 8 > block_bytes ? 2 : 1;
    store_be64(blocks + count * block_bytes - 8, chain->blocks + count);
    compress(kind, &chain->value, blocks, count);
    output(kind, &chain->value);

    uint64_t columns[8];
    for (unsigned r = 0; r < GROESTL_ROWS; r++)
        columns[r] = chain->value.row[r][kind->columns / 16];
    groestl_transpose(columns);
    const size_t first = kind->columns == 8 ? 4 : 0;
    for (size_t j = first; j < 8; j++) store_le64(digest + 8 * (j - first), columns[j]);
    jm_wipe(blocks, sizeof blocks);
    jm_wipe(columns, sizeof columns);
}

/* The last lines of a variant's file, which has defined `compress_<kind>` and `output_<kind>`: the
 * implementation jm_groestl_<kind>_<variant>. */
#define GROESTL_HASH(kind_, id_, digest_bytes_, variant_, features_, constant_time_, note_)        \
    static void init_##kind_(void *chain) {                                                        \
        groestl_init(&groestl_kind_##kind_, chain);                                                \
    }                                                                                              \
    static void absorb_##kind_(void *chain, const uint8_t *blocks, size_t count) {                 \
        groestl_absorb(&groestl_kind_##kind_, compress_##kind_, chain, blocks, count);             \
    }                                                                                              \
    static void finish_##kind_(void *chain, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        (void)total_bytes;                                                                         \
        groestl_finish(&groestl_kind_##kind_, compress_##kind_, output_##kind_, chain, rest,       \
                       rest_bytes, digest);                                                        \
    }                                                                                              \
    static const jm_block_hash hash_##kind_ = {                                                    \
        .chain_bytes = sizeof(groestl_chain),                                                      \
        .block_bytes = 2 * (digest_bytes_),                                                        \
        .init = init_##kind_,                                                                      \
        .absorb = absorb_##kind_,                                                                  \
        .finish = finish_##kind_,                                                                  \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(groestl_##kind_, id_, variant_, features_, JM_TARGET_ANY, constant_time_, \
                         note_, 2 * (digest_bytes_), digest_bytes_, hash_##kind_)

/* Makes the functions of a variant for one kind from its `compress_narrow` and `output_narrow` (64
 * bytes of state) or its `compress_wide` and `output_wide` (128 bytes), whose last argument is the
 * round of the competition. */
#define GROESTL_OF_SHAPE(kind_, shape_, round2_)                                                   \
    static void compress_##kind_(const groestl_kind *kind, groestl_rows *value,                    \
                                 const uint8_t *blocks, size_t count) {                            \
        (void)kind;                                                                                \
        compress_##shape_(value, blocks, count, round2_);                                          \
    }                                                                                              \
    static void output_##kind_(const groestl_kind *kind, groestl_rows *value) {                    \
        (void)kind;                                                                                \
        output_##shape_(value, round2_);                                                           \
    }
#define JM_GROESTL_BY_SHAPE                                                                        \
    GROESTL_OF_SHAPE(256, narrow, false)                                                           \
    GROESTL_OF_SHAPE(512, wide, false)                                                             \
    GROESTL_OF_SHAPE(r2_256, narrow, true)                                                         \
    GROESTL_OF_SHAPE(r2_512, wide, true)

#define JM_GROESTL_VARIANT(variant_, features_, constant_time_, note_)                             \
    GROESTL_HASH(256, "groestl-256", 32, variant_, features_, constant_time_, note_)               \
    GROESTL_HASH(512, "groestl-512", 64, variant_, features_, constant_time_, note_)               \
    GROESTL_HASH(r2_256, "groestl-r2-256", 32, variant_, features_, constant_time_, note_)         \
    GROESTL_HASH(r2_512, "groestl-r2-512", 64, variant_, features_, constant_time_, note_)

#define JM_GROESTL_DECLARE(variant_)                                                               \
    extern const jm_implementation jm_groestl_256_##variant_, jm_groestl_512_##variant_,           \
        jm_groestl_r2_256_##variant_, jm_groestl_r2_512_##variant_;
JM_GROESTL_DECLARE(portable)
JM_GROESTL_DECLARE(aesni)
JM_GROESTL_DECLARE(gfni)

#endif
