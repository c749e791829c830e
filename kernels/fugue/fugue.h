/* SPDX-License-Identifier: Apache-2.0
 *
 * Fugue-256 and Fugue-512 (S. Halevi, W. E. Hall and C. S. Jutla, "The Hash Function Fugue", second
 * round of the SHA-3 competition, 2009): the part that all variants share.
 *
 * The state is 30 or 36 columns of four bytes. Each word of four message bytes enters it by the
 * step TIX, and then the state is rotated by three columns, CMIX adds columns, and SMIX changes the
 * first four: the S-box of AES, and a matrix on all 16 bytes, the Super-Mix. Here a column is a
 * little-endian word, so that row r is byte r, and message bytes and digest are in order. */
#ifndef JM_FUGUE_H
#define JM_FUGUE_H

#include "common/block_hash.h"

enum { FUGUE_WORD_BYTES = 4, FUGUE_COLUMNS_MAX = 36, FUGUE_LENGTH_BYTES = 8 };

/* One function of the family. */
typedef struct {
    uint8_t columns, digest_columns;
    uint8_t rounds;      /* of rotation, CMIX and SMIX for each word */
    uint8_t last_rounds; /* after the last word */
    const uint8_t *initial;
} fugue_kind;

/* The digest of the digest's length in bits, a big-endian word, without padding and from a state of
 * zeros: the readable reference (src/joulemark/reference/sha3_with_aes.py) derives both values, so
 * that a wrong value would not agree with it. */
static const uint8_t fugue_initial_256[32] = {
    0xe9, 0x52, 0xbd, 0xde, 0x66, 0x71, 0x13, 0x5f, 0xe0, 0xd4, 0xf6, 0x68, 0xd2, 0xb0, 0xb5, 0x94,
    0xf9, 0x6c, 0x62, 0x1d, 0xfb, 0xf9, 0x29, 0xde, 0x91, 0x49, 0xe8, 0x99, 0x34, 0xf8, 0xc2, 0x48,
};
static const uint8_t fugue_initial_512[64] = {
    0x88, 0x07, 0xa5, 0x7e, 0xe6, 0x16, 0xaf, 0x75, 0xc5, 0xd3, 0xe4, 0xdb, 0xac, 0x9a, 0xb0, 0x27,
    0xd9, 0x15, 0xf1, 0x17, 0xb6, 0xee, 0xcc, 0x54, 0x06, 0xe8, 0x02, 0x0b, 0x4a, 0x92, 0xef, 0xd1,
    0xaa, 0xc6, 0xe2, 0xc9, 0xdd, 0xb2, 0x13, 0x98, 0xca, 0xe6, 0x58, 0x38, 0x43, 0x7f, 0x20, 0x3f,
    0x25, 0xea, 0x78, 0xe7, 0x95, 0x1f, 0xdd, 0xd6, 0xda, 0x6e, 0xd1, 0x1d, 0xe1, 0x3e, 0x35, 0x67,
};

static const fugue_kind fugue_kind_256 = {30, 8, 2, 10, fugue_initial_256};
static const fugue_kind fugue_kind_512 = {36, 16, 4, 32, fugue_initial_512};

typedef struct {
    _Alignas(JM_STATE_ALIGN) uint32_t column[FUGUE_COLUMNS_MAX];
} fugue_state;

/* The functions of a variant: SMIX of four columns, and the rounds of `count` words, then `more`
 * rounds without a word. */
typedef void fugue_smix(uint32_t columns[4]);
typedef void fugue_absorb(const fugue_kind *kind, fugue_state *state, const uint8_t *words,
                          size_t count, unsigned more);

JM_INLINE void fugue_init(const fugue_kind *kind, fugue_state *state) {
    const unsigned first = kind->columns - kind->digest_columns;
    memset(state, 0, sizeof *state);
    for (unsigned i = 0; i < kind->digest_columns; i++)
        state->column[first + i] = load_le32(kind->initial + 4 * i);
}

/* The final rounds: column 0 is added to some other columns, the state is rotated to the right, and
 * SMIX changes the first four columns. In memory the columns are not moved; `base` is the place of
 * column 0. `to` lists the columns to which column 0 is added. */
JM_INLINE void fugue_add(const fugue_kind *kind, uint32_t *column, unsigned base, const uint8_t *to,
                         unsigned count) {
    for (unsigned i = 0; i < count; i++) column[(base + to[i]) % kind->columns] ^= column[base];
}
JM_INLINE unsigned fugue_rotate_and_smix(const fugue_kind *kind, fugue_smix *smix, uint32_t *column,
                                         unsigned base, unsigned by) {
    const unsigned columns = kind->columns;
    const unsigned now = (base + columns - by) % columns;
    uint32_t first[4];
    for (unsigned i = 0; i < 4; i++) first[i] = column[(now + i) % columns];
    smix(first);
    for (unsigned i = 0; i < 4; i++) column[(now + i) % columns] = first[i];
    jm_wipe(first, sizeof first);
    return now;
}

/* The final rounds of Fugue-256, 13 pairs; the digest is columns 1 to 4 and 15 to 18. */
JM_INLINE void fugue_output_256(const fugue_kind *kind, fugue_smix *smix, uint32_t *column,
                                uint8_t *digest) {
    static const uint8_t to[2][2] = {{4, 15}, {4, 16}};
    static const uint8_t from[8] = {1, 2, 3, 4, 15, 16, 17, 18};
    unsigned base = 0;
    for (unsigned i = 0; i < 13; i++) {
        fugue_add(kind, column, base, to[0], 2);
        base = fugue_rotate_and_smix(kind, smix, column, base, 15);
        fugue_add(kind, column, base, to[1], 2);
        base = fugue_rotate_and_smix(kind, smix, column, base, 14);
    }
    fugue_add(kind, column, base, to[0], 2);
    for (unsigned i = 0; i < 8; i++)
        store_le32(digest + 4 * i, column[(base + from[i]) % kind->columns]);
}
JM_INLINE void fugue_output_512(const fugue_kind *kind, fugue_smix *smix, uint32_t *column,
                                uint8_t *digest) {
    static const uint8_t to[4][4] = {
        {4, 9, 18, 27}, {4, 10, 18, 27}, {4, 10, 19, 27}, {4, 10, 19, 28}};
    static const uint8_t by[4] = {9, 9, 9, 8};
    static const uint8_t from[16] = {1, 2, 3, 4, 9, 10, 11, 12, 18, 19, 20, 21, 27, 28, 29, 30};
    unsigned base = 0;
    for (unsigned i = 0; i < 13; i++)
        for (unsigned step = 0; step < 4; step++) {
            fugue_add(kind, column, base, to[step], 4);
            base = fugue_rotate_and_smix(kind, smix, column, base, by[step]);
        }
    fugue_add(kind, column, base, to[0], 4);
    for (unsigned i = 0; i < 16; i++)
        store_le32(digest + 4 * i, column[(base + from[i]) % kind->columns]);
}

/* The padding: zeros to a whole word, and the message's length in bits, big-endian. */
JM_INLINE void fugue_finish(const fugue_kind *kind, fugue_absorb *absorb, fugue_smix *smix,
                            fugue_state *state, const uint8_t *rest, size_t rest_bytes,
                            uint64_t total_bytes, uint8_t *digest) {
    uint8_t words[FUGUE_WORD_BYTES + FUGUE_LENGTH_BYTES] = {0};
    const size_t rest_words = rest_bytes ? 1 : 0;
    memcpy(words, rest, rest_bytes);
    store_be64(words + FUGUE_WORD_BYTES * rest_words, total_bytes << 3);
    absorb(kind, state, words, rest_words + 2, kind->last_rounds);
    if (kind->columns == 30)
        fugue_output_256(kind, smix, state->column, digest);
    else
        fugue_output_512(kind, smix, state->column, digest);
    jm_wipe(words, sizeof words);
}

/* The last lines of a variant's file, which has defined `smix` and `absorb`: the implementation
 * jm_fugue_<bits>_<variant>. */
#define FUGUE_HASH(bits_, variant_, features_, constant_time_, note_)                              \
    static void init_##bits_(void *state) {                                                        \
        fugue_init(&fugue_kind_##bits_, state);                                                    \
    }                                                                                              \
    static void absorb_##bits_(void *state, const uint8_t *words, size_t count) {                  \
        absorb(&fugue_kind_##bits_, state, words, count, 0);                                       \
    }                                                                                              \
    static void finish_##bits_(void *state, const uint8_t *rest, size_t rest_bytes,                \
                               uint64_t total_bytes, uint8_t *digest) {                            \
        fugue_finish(&fugue_kind_##bits_, absorb, smix, state, rest, rest_bytes, total_bytes,      \
                     digest);                                                                      \
    }                                                                                              \
    static const jm_block_hash hash_##bits_ = {                                                    \
        .chain_bytes = sizeof(fugue_state),                                                        \
        .block_bytes = FUGUE_WORD_BYTES,                                                           \
        .init = init_##bits_,                                                                      \
        .absorb = absorb_##bits_,                                                                  \
        .finish = finish_##bits_,                                                                  \
    };                                                                                             \
    JM_BLOCK_HASH_DEFINE(fugue_##bits_, "fugue-" #bits_, variant_, features_, JM_TARGET_ANY,       \
                         constant_time_, note_, FUGUE_WORD_BYTES, (bits_) / 8, hash_##bits_)

#define JM_FUGUE_VARIANT(variant_, features_, constant_time_, note_)                               \
    FUGUE_HASH(256, variant_, features_, constant_time_, note_)                                    \
    FUGUE_HASH(512, variant_, features_, constant_time_, note_)

extern const jm_implementation jm_fugue_256_portable, jm_fugue_512_portable;
extern const jm_implementation jm_fugue_256_aesni, jm_fugue_512_aesni;
extern const jm_implementation jm_fugue_256_gfni, jm_fugue_512_gfni;

#endif
