/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 encryption (FIPS 197, sections 5.1 and 5.2) in C for 32-bit
 * microcontrollers.
 * Technique: bit slicing of two blocks in eight 32-bit planes; otherwise as aes_portable.c, which
 *   has four blocks in planes of 64 bits: the S-box is a circuit (aes_sbox.h), and ShiftRows is
 *   never done: MixColumns and the round keys allow for it ("fixslicing": Adomnicai and Peyrin,
 *   2021).
 * State layout: bit 8 r + 2 c + l of plane j is bit j of the byte in row r and column c of block l.
 *   A schedule is one such set of planes for each round key, the same in both blocks.
 * CPU features: none.
 * Constant time: no table look-up and no branch on data; checked by tests/native/constant_time.c.
 * Best for: Cortex-M, where a table's time would depend on caches and wait states. One block costs
 *   as much as two; README.md has the core cycles. */
#define AES_PLANES_OF_32_BITS
#define JM_NARROW /* common/secret.h */
#include "aes/aes.h"
#include "aes/aes_planes.h"
#include "aes/aes_sbox.h"
#include "common/secret.h"
#include "common/words.h"

typedef struct {
    uint32_t plane[8];
} planes;

/* Rotates each byte of `word`, a row, right by `bits`, then all rows by `rows`: a row comes from
 * `rows` below, a column from the right. `wrapped` has the bits that wrap round in a byte. */
JM_INLINE uint32_t rotate_rows(uint32_t word, unsigned rows, unsigned bits) {
    if (bits == 0) return rotr32(word, 8 * rows);
    const uint32_t low = UINT32_C(0x01010101) * ((1u << bits) - 1);
    const uint32_t wrapped = word & low;
    return rotr32(word ^ wrapped, 8 * rows + bits) ^ rotr32(wrapped, 8 * rows + bits - 8);
}

/* MixColumns with ShiftRows owed `owed` times, 0 to 3: row r becomes
 * 2 (a_r + a_r+1) + a_r+1 + (a_r+2 + a_r+3), the element a row below being `owed` columns, of two
 * bits, to the right. */
JM_INLINE void mix_columns(uint32_t x[8], unsigned owed) {
    uint32_t below[8], sum[8];
#pragma GCC unroll 8
    for (unsigned j = 0; j < 8; j++) {
        below[j] = rotate_rows(x[j], 1, 2 * owed);
        sum[j] = x[j] ^ below[j];
    }
#pragma GCC unroll 8
    for (unsigned j = 0; j < 8; j++) {
        const uint32_t doubled = j == 0 ? sum[7] : sum[j - 1];
        const uint32_t reduced = (j == 1 || j == 3 || j == 4) ? doubled ^ sum[7] : doubled;
        x[j] = reduced ^ below[j] ^ rotate_rows(sum[j], 2, 4 * (owed % 2));
    }
}

JM_INLINE void add_key(uint32_t x[8], const planes *key) {
#pragma GCC unroll 8
    for (unsigned j = 0; j < 8; j++) x[j] ^= key->plane[j];
}

/* 10 and 14 rounds leave two applications of ShiftRows to be made good: they exchange columns two
 * apart in rows 1 and 3. */
JM_INLINE void pay_shift_rows(uint32_t x[8]) {
#pragma GCC unroll 8
    for (unsigned j = 0; j < 8; j++) {
        const uint32_t swap = (x[j] ^ (x[j] >> 4)) & UINT32_C(0x0f000f00);
        x[j] ^= swap ^ (swap << 4);
    }
}

JM_ONCE void encrypt_planes(const planes *key, unsigned rounds, uint32_t to[8]) {
    uint32_t x[8];
#pragma GCC unroll 8
    for (unsigned j = 0; j < 8; j++) x[j] = to[j];
    add_key(x, key++);
    for (unsigned left = rounds;; left -= 4) {
        substitute(x);
        mix_columns(x, 1);
        add_key(x, key++);
        if (left == 2) break;
        substitute(x);
        mix_columns(x, 2);
        add_key(x, key++);
        substitute(x);
        mix_columns(x, 3);
        add_key(x, key++);
        if (left == 4) break;
        substitute(x);
        mix_columns(x, 0);
        add_key(x, key++);
    }
    substitute(x);
    if (rounds % 4) pay_shift_rows(x);
    add_key(x, key);
#pragma GCC unroll 8
    for (unsigned j = 0; j < 8; j++) to[j] = x[j];
}

JM_INLINE void load_block(const uint8_t *in, uint32_t x[8], unsigned l) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < 4; c++) x[2 * c + l] = load_le32(in + 4 * c);
}
JM_INLINE void store_block(uint8_t *out, const uint32_t x[8], unsigned l) {
#pragma GCC unroll 4
    for (unsigned c = 0; c < 4; c++) store_le32(out + 4 * c, x[2 * c + l]);
}

/* SubWord: the S-box on four bytes, here with its constant. */
JM_INLINE uint32_t substitute_word(uint32_t word) {
    uint32_t x[8];
    for (unsigned j = 0; j < 8; j++) x[j] = (word >> j) & UINT32_C(0x01010101);
    substitute(x);
    uint32_t out = UINT32_C(0x63636363);
    for (unsigned j = 0; j < 8; j++) out ^= x[j] << j;
    return out;
}

/* Brings a round key, whose four words are in the places of both blocks, to planes, adds the
 * S-box's constant (MixColumns leaves it as it is), and undoes ShiftRows as often as it is owed. */
JM_ONCE void key_planes(planes *key, unsigned round, unsigned rounds) {
    uint32_t *const x = key->plane;
    const unsigned owed = round == rounds ? 0 : round % 4;
    for (unsigned k = 0; round && k < 8; k++) x[k] ^= UINT32_C(0x63636363);
    transpose(x);
    for (unsigned j = 0; owed && j < 8; j++) {
        uint32_t shifted = 0;
        for (unsigned r = 0; r < 4; r++) {
            const unsigned distance = 2 * (r * owed % 4);
            const uint32_t row = x[j] >> (8 * r) & 0xff;
            shifted |= ((row << distance | row >> (8 - distance)) & 0xff) << (8 * r);
        }
        x[j] = shifted;
    }
}

/* Key expansion (section 5.2), words in little-endian order: RotWord is a rotation to the right and
 * Rcon is in the low byte. The words are made where their planes will be. */
JM_ONCE void expand(planes *key, const uint8_t *bytes, unsigned key_words, unsigned rounds) {
    uint32_t rcon = 1, last = 0;
    for (unsigned i = 0, in_period = 0; i < 4 * (rounds + 1); i++) {
        uint32_t word;
        if (i < key_words) {
            word = load_le32(bytes + 4 * i);
        } else {
            if (in_period == 0) {
                last = substitute_word(rotr32(last, 8)) ^ rcon;
                rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
            } else if (key_words == 8 && in_period == 4) {
                last = substitute_word(last);
            }
            const unsigned before = i - key_words;
            word = key[before / 4].plane[2 * (before % 4)] ^ last;
        }
        key[i / 4].plane[2 * (i % 4)] = key[i / 4].plane[2 * (i % 4) + 1] = last = word;
        if (++in_period == key_words) in_period = 0;
    }
    for (unsigned round = 0; round <= rounds; round++) key_planes(&key[round], round, rounds);
}

JM_APART void encrypt_inner(const planes *key, unsigned rounds, const uint8_t *in, uint8_t *out,
                            size_t blocks) {
    uint32_t x[8];
    while (blocks) {
        const size_t second = blocks > 1 ? JM_AES_BLOCK_BYTES : 0;
        load_block(in, x, 0);
        load_block(in + second, x, 1);
        transpose(x);
        encrypt_planes(key, rounds, x);
        transpose(x);
        store_block(out, x, 0);
        store_block(out + second, x, 1);
        if (!second) break;
        blocks -= 2, in += 2 * JM_AES_BLOCK_BYTES, out += 2 * JM_AES_BLOCK_BYTES;
    }
}

/* The chaining value stays in planes, in the places of both blocks, where each block joins it. */
JM_APART void chain_inner(const planes *key, unsigned rounds, uint8_t *chain, const uint8_t *in,
                          size_t blocks) {
    uint32_t x[8], block[8];
    load_block(chain, x, 0);
    load_block(chain, x, 1);
    transpose(x);
    for (; blocks; blocks--, in += JM_AES_BLOCK_BYTES) {
        load_block(in, block, 0);
        load_block(in, block, 1);
        transpose(block);
#pragma GCC unroll 8
        for (unsigned j = 0; j < 8; j++) x[j] ^= block[j];
        encrypt_planes(key, rounds, x);
    }
    transpose(x);
    store_block(chain, x, 0);
}

/* Planes of two blocks, temporaries of the S-box, and saved registers. */
#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 352 };
#else
enum { STACK_BYTES = 512 };
#endif

#define DEFINE_AES(bits)                                                                           \
    JM_APART jm_status set_key_inner_##bits(void *schedule, const uint8_t *key,                    \
                                            size_t key_bytes) {                                    \
        if (key_bytes != JM_AES##bits##_KEY_BYTES) return JM_ERR_KEY_BYTES;                        \
        expand(schedule, key, JM_AES##bits##_KEY_BYTES / 4, JM_AES##bits##_ROUNDS);                \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status set_key_##bits(const jm_implementation *self, void *schedule,                 \
                                    const uint8_t *key, size_t key_bytes) {                        \
        (void)self;                                                                                \
        const jm_status status = set_key_inner_##bits(schedule, key, key_bytes);                   \
        return JM_FORGET(status, STACK_BYTES);                                                     \
    }                                                                                              \
    static void wipe_key_##bits(const jm_implementation *self, void *schedule) {                   \
        (void)self;                                                                                \
        jm_wipe(schedule, JM_AES##bits##_SCHEDULE_BYTES_mcu32);                                    \
    }                                                                                              \
    static void encrypt_##bits(const jm_implementation *self, const void *schedule,                \
                               const uint8_t *in, uint8_t *out, size_t blocks) {                   \
        (void)self;                                                                                \
        encrypt_inner(schedule, JM_AES##bits##_ROUNDS, in, out, blocks);                           \
        (void)JM_FORGET(JM_OK, STACK_BYTES);                                                       \
    }                                                                                              \
    static void chain_##bits(const jm_implementation *self, const void *schedule, uint8_t *chain,  \
                             const uint8_t *in, size_t blocks) {                                   \
        (void)self;                                                                                \
        chain_inner(schedule, JM_AES##bits##_ROUNDS, chain, in, blocks);                           \
        (void)JM_FORGET(JM_OK, STACK_BYTES);                                                       \
    }                                                                                              \
    static const jm_cipher_functions functions_##bits = {                                          \
        .schedule_bytes = JM_AES##bits##_SCHEDULE_BYTES_mcu32,                                     \
        .set_key = set_key_##bits,                                                                 \
        .wipe_key = wipe_key_##bits,                                                               \
        .encrypt = encrypt_##bits,                                                                 \
        .chain = chain_##bits,                                                                     \
    };                                                                                             \
    const jm_implementation jm_aes##bits##_mcu32 = JM_AES_CIPHER(                                  \
        bits, "mcu32", 0, "Two blocks bit-sliced in C, for 32-bit microcontrollers.",              \
        functions_##bits);

DEFINE_AES(128)
DEFINE_AES(192)
DEFINE_AES(256)
