/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 encryption (FIPS 197, sections 5.1 and 5.2) in plain C.
 * Technique: bit slicing of four blocks in eight 64-bit planes; the S-box is a circuit
 *   (aes_sbox.h), its constant 0x63 is folded into the round keys, and ShiftRows is never done:
 *   after round i the planes hold the state with ShiftRows still owed i times, which MixColumns
 *   and the round keys allow for ("fixslicing": Adomnicai and Peyrin, 2021). `chain` keeps the
 *   chaining value in planes from block to block.
 * State layout: bit 16 r + 4 c + l of plane j is bit j of the byte in row r and column c of
 *   block l. A schedule is one such set of planes for each round key, the same in all four blocks.
 * CPU features: none.
 * Constant time: no table look-up and no branch on data; checked by tests/native/constant_time.c.
 *   An MSP430 calls a function for products, whose time depends on the factors.
 * Best for: machines without AES instructions. One block costs as much as four. */
#include "aes/aes.h"
#include "aes/aes_planes.h"
#include "aes/aes_sbox.h"
#include "common/secret.h"
#include "common/words.h"

#define LANES 4u
#define LANE_0 UINT64_C(0x1111111111111111)

typedef struct {
    uint64_t plane[8];
} planes;

/* Takes the bits of `word` rotated right by `low` where `mask` is set, by `high` elsewhere. */
static inline uint64_t rotate_select(uint64_t word, unsigned low, unsigned high, uint64_t mask) {
    const uint64_t a = rotr64(word, low), b = rotr64(word, high);
    return b ^ ((a ^ b) & mask);
}

/* The element one row below, `owed` columns to the right; 0 <= owed <= 3. A row is 16 bits, so
 * the columns that wrap round within their row need another distance than the others. */
static inline uint64_t next_row(uint64_t word, unsigned owed) {
    switch (owed) {
    case 0:
        return rotr64(word, 16);
    case 1:
        return rotate_select(word, 20, 4, UINT64_C(0x0fff0fff0fff0fff));
    case 2:
        return rotate_select(word, 24, 8, UINT64_C(0x00ff00ff00ff00ff));
    default:
        return rotate_select(word, 28, 12, UINT64_C(0x000f000f000f000f));
    }
}

/* Two rows below, 2 * owed columns to the right. */
static inline uint64_t second_row(uint64_t word, unsigned owed) {
    if (owed % 2 == 0) return rotr64(word, 32);
    return rotate_select(word, 40, 24, UINT64_C(0x00ff00ff00ff00ff));
}

/* MixColumns: row r becomes 2 (a_r + a_r+1) + a_r+1 + (a_r+2 + a_r+3). */
static inline void mix_columns(uint64_t x[8], unsigned owed) {
    uint64_t below[8], sum[8];
    for (unsigned j = 0; j < 8; j++) {
        below[j] = next_row(x[j], owed);
        sum[j] = x[j] ^ below[j];
    }
    for (unsigned j = 0; j < 8; j++) {
        const uint64_t doubled = j == 0 ? sum[7] : sum[j - 1];
        const uint64_t reduced = (j == 1 || j == 3 || j == 4) ? doubled ^ sum[7] : doubled;
        x[j] = reduced ^ below[j] ^ second_row(sum[j], owed);
    }
}

static inline void add_key(uint64_t x[8], const planes *key) {
    for (unsigned j = 0; j < 8; j++) x[j] ^= key->plane[j];
}

/* 10 and 14 rounds are 2 modulo 4, so two applications of ShiftRows are owed at the end: they
 * exchange columns two apart in rows 1 and 3. */
static inline void pay_shift_rows(uint64_t x[8]) {
    for (unsigned j = 0; j < 8; j++) {
        const uint64_t swap = (x[j] ^ (x[j] >> 8)) & UINT64_C(0x00ff000000ff0000);
        x[j] ^= swap ^ (swap << 8);
    }
}

static inline void encrypt_planes(const planes *key, unsigned rounds, uint64_t x[8]) {
    add_key(x, &key[0]);
    for (unsigned round = 1;; round += 4) {
        substitute(x);
        mix_columns(x, 1);
        add_key(x, &key[round]);
        if (round + 1 == rounds) break;
        substitute(x);
        mix_columns(x, 2);
        add_key(x, &key[round + 1]);
        substitute(x);
        mix_columns(x, 3);
        add_key(x, &key[round + 2]);
        if (round + 3 == rounds) break;
        substitute(x);
        mix_columns(x, 0);
        add_key(x, &key[round + 3]);
    }
    substitute(x);
    if (rounds % 4) pay_shift_rows(x);
    add_key(x, &key[rounds]);
}

/* Byte i of `word` moves to byte 2 i; the odd bytes become 0. `join` is the inverse. */
static inline uint64_t spread(uint32_t word) {
    uint64_t x = word;
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    return (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
}
static inline uint32_t join(uint64_t x) {
    x &= UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(x | x >> 16);
}

static inline void load_four(const uint8_t *in, uint64_t x[8]) {
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned c = 0; c < 2; c++)
            x[4 * c + l] = spread(load_le32(in + 16 * l + 4 * c)) |
                           spread(load_le32(in + 16 * l + 4 * c + 8)) << 8;
    transpose(x);
}

static inline void store_four(uint8_t *out, uint64_t x[8]) {
    transpose(x);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned c = 0; c < 2; c++) {
            store_le32(out + 16 * l + 4 * c, join(x[4 * c + l]));
            store_le32(out + 16 * l + 4 * c + 8, join(x[4 * c + l] >> 8));
        }
}

/* One block into lane 0 of each plane, the other lanes 0; and back, ignoring the other lanes. */
static inline void load_one(const uint8_t *in, uint64_t x[8]) {
    uint64_t a = spread(load_le32(in)) | spread(load_le32(in + 8)) << 8;
    uint64_t b = spread(load_le32(in + 4)) | spread(load_le32(in + 12)) << 8;
    exchange(&a, &b, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    for (unsigned j = 0; j < 4; j++) {
        x[j] = (a >> j) & LANE_0;
        x[j + 4] = (b >> j) & LANE_0;
    }
}
static inline void store_one(uint8_t *out, const uint64_t x[8]) {
    uint64_t a = 0, b = 0;
    for (unsigned j = 0; j < 4; j++) {
        a |= (x[j] & LANE_0) << j;
        b |= (x[j + 4] & LANE_0) << j;
    }
    exchange(&a, &b, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    store_le32(out, join(a));
    store_le32(out + 4, join(b));
    store_le32(out + 8, join(a >> 8));
    store_le32(out + 12, join(b >> 8));
}

/* SubWord: the S-box on four bytes, here with its constant. Bit 8 i + j of the word is bit 8 i of
 * plane j. */
static uint32_t substitute_word(uint32_t word) {
    uint64_t x[8];
    for (unsigned j = 0; j < 8; j++) x[j] = (word >> j) & UINT32_C(0x01010101);
    substitute(x);
    uint32_t out = UINT32_C(0x63636363);
    for (unsigned j = 0; j < 8; j++) out ^= (uint32_t)x[j] << j;
    return out;
}

/* Round key `round` in planes: the S-box's constant added (MixColumns leaves it as it is),
 * ShiftRows undone as often as it is owed (row r: r * round columns), copied to all lanes. */
static void key_planes(const uint32_t word[4], unsigned round, unsigned rounds, planes *key) {
    uint8_t bytes[16];
    const uint32_t constant = round == 0 ? 0 : UINT32_C(0x63636363);
    for (unsigned c = 0; c < 4; c++) store_le32(bytes + 4 * c, word[c] ^ constant);
    load_one(bytes, key->plane);
    const unsigned owed = round == rounds ? 0 : round % 4;
    for (unsigned j = 0; j < 8; j++) {
        uint64_t shifted = 0;
        for (unsigned r = 0; r < 4; r++) {
            const unsigned distance = 4 * (r * owed % 4);
            const uint32_t row = (uint32_t)(key->plane[j] >> (16 * r)) & 0xffff;
            shifted |= (uint64_t)((row << distance | row >> (16 - distance)) & 0xffff) << (16 * r);
        }
        key->plane[j] = shifted * 0xf;
    }
    jm_wipe(bytes, sizeof bytes);
}

/* Key expansion (FIPS 197, section 5.2), words in little-endian order: RotWord is a rotation to
 * the right and Rcon is in the low byte. */
static void expand(planes *key, const uint8_t *bytes, unsigned key_words, unsigned rounds) {
    uint32_t word[4 * (JM_AES256_ROUNDS + 1)];
    uint32_t rcon = 1;
    for (unsigned i = 0; i < key_words; i++) {
        word[i] = load_le32(bytes + 4 * i);
        JM_SYNC_MEMORY(); /* or it becomes a call of memcpy: see common/secret.h */
    }
    for (unsigned i = key_words; i < 4 * (rounds + 1); i++) {
        uint32_t next = word[i - 1];
        if (i % key_words == 0) {
            next = substitute_word(rotr32(next, 8)) ^ rcon;
            rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
        } else if (key_words == 8 && i % 8 == 4) {
            next = substitute_word(next);
        }
        word[i] = word[i - key_words] ^ next;
    }
    for (unsigned round = 0; round <= rounds; round++)
        key_planes(&word[4 * round], round, rounds, &key[round]);
    jm_wipe(word, sizeof word);
}

static inline void encrypt_blocks(const planes *key, unsigned rounds, const uint8_t *in,
                                  uint8_t *out, size_t blocks) {
    uint64_t x[8];
    for (; blocks >= LANES; blocks -= LANES, in += 16 * LANES, out += 16 * LANES) {
        load_four(in, x);
        encrypt_planes(key, rounds, x);
        store_four(out, x);
    }
    if (blocks == 1) {
        load_one(in, x);
        encrypt_planes(key, rounds, x);
        store_one(out, x);
    } else if (blocks) {
        /* In pieces of constant length: see common/secret.h. */
        uint8_t rest[16 * LANES] = {0};
        memcpy(rest, in, 16 * 2);
        if (blocks == 3) memcpy(rest + 16 * 2, in + 16 * 2, 16);
        load_four(rest, x);
        encrypt_planes(key, rounds, x);
        store_four(rest, x);
        memcpy(out, rest, 16 * 2);
        if (blocks == 3) memcpy(out + 16 * 2, rest + 16 * 2, 16);
    }
}

static inline void chain_blocks(const planes *key, unsigned rounds, uint8_t *chain,
                                const uint8_t *in, size_t blocks) {
    uint64_t x[8], block[8];
    load_one(chain, x);
    for (; blocks; blocks--, in += 16) {
        load_one(in, block);
        for (unsigned j = 0; j < 8; j++) x[j] ^= block[j];
        encrypt_planes(key, rounds, x);
    }
    store_one(chain, x);
}

/* Planes of four blocks, and temporaries of the S-box. The functions of this file have an outer and
 * an inner half (common/secret.h), so that CMAC's functions, which other variants share, need
 * little stack.
 */
#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 896 };
#else
enum { STACK_BYTES = 896 };
#endif

/* The functions of one key length, with the number of rounds known to the compiler. */
#define DEFINE_AES(bits)                                                                           \
    JM_APART jm_status set_key_inner_##bits(const jm_implementation *self, void *schedule,         \
                                            const uint8_t *key, size_t key_bytes) {                \
        (void)self;                                                                                \
        if (key_bytes != JM_AES##bits##_KEY_BYTES) return JM_ERR_KEY_BYTES;                        \
        expand(schedule, key, JM_AES##bits##_KEY_BYTES / 4, JM_AES##bits##_ROUNDS);                \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status set_key_##bits(const jm_implementation *self, void *schedule,                 \
                                    const uint8_t *key, size_t key_bytes) {                        \
        const jm_status status = set_key_inner_##bits(self, schedule, key, key_bytes);             \
        return JM_FORGET(status, 1024);                                                            \
    }                                                                                              \
    static void wipe_key_##bits(const jm_implementation *self, void *schedule) {                   \
        (void)self;                                                                                \
        jm_wipe(schedule, JM_AES##bits##_SCHEDULE_BYTES_portable);                                 \
    }                                                                                              \
    JM_APART void encrypt_inner_##bits(const void *schedule, const uint8_t *in, uint8_t *out,      \
                                       size_t blocks) {                                            \
        encrypt_blocks(schedule, JM_AES##bits##_ROUNDS, in, out, blocks);                          \
    }                                                                                              \
    static void encrypt_##bits(const jm_implementation *self, const void *schedule,                \
                               const uint8_t *in, uint8_t *out, size_t blocks) {                   \
        (void)self;                                                                                \
        encrypt_inner_##bits(schedule, in, out, blocks);                                           \
        (void)JM_FORGET(JM_OK, STACK_BYTES);                                                       \
    }                                                                                              \
    JM_APART void chain_inner_##bits(const void *schedule, uint8_t *chain, const uint8_t *in,      \
                                     size_t blocks) {                                              \
        chain_blocks(schedule, JM_AES##bits##_ROUNDS, chain, in, blocks);                          \
    }                                                                                              \
    static void chain_##bits(const jm_implementation *self, const void *schedule, uint8_t *chain,  \
                             const uint8_t *in, size_t blocks) {                                   \
        (void)self;                                                                                \
        chain_inner_##bits(schedule, chain, in, blocks);                                           \
        (void)JM_FORGET(JM_OK, STACK_BYTES);                                                       \
    }                                                                                              \
    static const jm_cipher_functions functions_##bits = {                                          \
        .schedule_bytes = JM_AES##bits##_SCHEDULE_BYTES_portable,                                  \
        .set_key = set_key_##bits,                                                                 \
        .wipe_key = wipe_key_##bits,                                                               \
        .encrypt = encrypt_##bits,                                                                 \
        .chain = chain_##bits,                                                                     \
    };                                                                                             \
    const jm_implementation jm_aes##bits##_portable = JM_AES_CIPHER(                               \
        bits, "portable", 0, "Four blocks bit-sliced in plain C.", functions_##bits);

DEFINE_AES(128)
DEFINE_AES(192)
DEFINE_AES(256)
