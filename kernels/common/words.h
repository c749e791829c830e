/* SPDX-License-Identifier: Apache-2.0
 *
 * Words: loads and stores in a stated byte order, rotations, the incomplete last word of a message,
 * quads, and constants that stay in program memory. */
#ifndef JM_WORDS_H
#define JM_WORDS_H

#include "common/secret.h"

/* ---- constants in program memory ----
 *
 * On an AVR, which loads them from there with an instruction of another name, a constant without
 * JM_FLASH lies in RAM, of which such a machine has little; elsewhere JM_FLASH is empty. A pointer
 * to such a constant has JM_FLASH too. */

#if defined(__AVR__)
#define JM_FLASH __flash
#else
#define JM_FLASH
#endif

/* ---- loads, stores and rotations; any pointer is valid ---- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define JM_LE32(x) (x)
#define JM_LE64(x) (x)
#define JM_BE32(x) __builtin_bswap32(x)
#define JM_BE64(x) __builtin_bswap64(x)
#else
#define JM_LE32(x) __builtin_bswap32(x)
#define JM_LE64(x) __builtin_bswap64(x)
#define JM_BE32(x) (x)
#define JM_BE64(x) (x)
#endif

#if defined(JM_FREESTANDING) && !defined(__ARM_FEATURE_UNALIGNED) && !defined(__AVR__)

/* A machine that cannot load words from any address: there memcpy of a word is a call. */
static inline uint32_t load_le32(const void *from) {
    const uint8_t *at = (const uint8_t *)from;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint32_t load_be32(const void *from) {
    const uint8_t *at = (const uint8_t *)from;
    return at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
}
static inline uint64_t load_le64(const void *from) {
    return load_le32(from) | (uint64_t)load_le32((const uint8_t *)from + 4) << 32;
}
static inline uint64_t load_be64(const void *from) {
    return load_be32((const uint8_t *)from + 4) | (uint64_t)load_be32(from) << 32;
}
static inline void store_le32(void *to, uint32_t word) {
    uint8_t *at = (uint8_t *)to;
    at[0] = (uint8_t)word, at[1] = (uint8_t)(word >> 8);
    at[2] = (uint8_t)(word >> 16), at[3] = (uint8_t)(word >> 24);
}
static inline void store_be32(void *to, uint32_t word) {
    uint8_t *at = (uint8_t *)to;
    at[0] = (uint8_t)(word >> 24), at[1] = (uint8_t)(word >> 16);
    at[2] = (uint8_t)(word >> 8), at[3] = (uint8_t)word;
}
static inline void store_le64(void *to, uint64_t word) {
    store_le32(to, (uint32_t)word);
    store_le32((uint8_t *)to + 4, (uint32_t)(word >> 32));
}
static inline void store_be64(void *to, uint64_t word) {
    store_be32(to, (uint32_t)(word >> 32));
    store_be32((uint8_t *)to + 4, (uint32_t)word);
}

#else

#define JM_DEFINE_LOAD_STORE(order, ORDER, bits)                                                   \
    static inline uint##bits##_t load_##order##bits(const void *from) {                            \
        uint##bits##_t word;                                                                       \
        memcpy(&word, from, sizeof word);                                                          \
        return JM_##ORDER##bits(word);                                                             \
    }                                                                                              \
    static inline void store_##order##bits(void *to, uint##bits##_t word) {                        \
        word = JM_##ORDER##bits(word);                                                             \
        memcpy(to, &word, sizeof word);                                                            \
    }

JM_DEFINE_LOAD_STORE(le, LE, 32)
JM_DEFINE_LOAD_STORE(le, LE, 64)
JM_DEFINE_LOAD_STORE(be, BE, 32)
JM_DEFINE_LOAD_STORE(be, BE, 64)

#endif

/* 0 < count < width in all four: a shift by the full width is undefined. */
static inline uint32_t rotl32(uint32_t word, unsigned count) {
    return (word << count) | (word >> (32 - count));
}
static inline uint32_t rotr32(uint32_t word, unsigned count) {
    return (word >> count) | (word << (32 - count));
}
static inline uint64_t rotl64(uint64_t word, unsigned count) {
    return (word << count) | (word >> (64 - count));
}
static inline uint64_t rotr64(uint64_t word, unsigned count) {
    return (word >> count) | (word << (64 - count));
}

/* ---- the last, incomplete word of a message ----
 *
 * Loads without reading past the end and without passing through memory, which would stall the
 * wider load that follows. */

#if defined(JM_NARROW)
/* As below, through memory: where registers are narrow, shifts by many bits cost more. */
static inline uint64_t load_le64_partial(const uint8_t *from, size_t bytes) {
    union {
        uint32_t word[2];
        uint8_t byte[8];
    } part;
    part.word[0] = part.word[1] = 0;
    for (size_t i = 0; i < bytes; i++) {
        part.byte[i] = from[i];
        JM_KEEP_LOOP(); /* or it becomes a call of memcpy */
    }
    return JM_LE32(part.word[0]) | (uint64_t)JM_LE32(part.word[1]) << 32;
}
static inline void load_le128_partial(const uint8_t *from, size_t bytes, uint8_t mark,
                                      uint64_t word[2]) {
    union {
        uint32_t word[4];
        uint8_t byte[16];
    } part;
    part.word[0] = part.word[1] = part.word[2] = part.word[3] = 0;
    for (size_t i = 0; i < bytes; i++) {
        part.byte[i] = from[i];
        JM_KEEP_LOOP();
    }
    part.byte[bytes] = mark;
    word[0] = JM_LE32(part.word[0]) | (uint64_t)JM_LE32(part.word[1]) << 32;
    word[1] = JM_LE32(part.word[2]) | (uint64_t)JM_LE32(part.word[3]) << 32;
}
#else
/* The `bytes` (0 to 7) at `from` as a little-endian number. From 4 on, two loads that overlap
 * agree on the bytes they share. `from` may be NULL when bytes is 0. */
static inline uint64_t load_le64_partial(const uint8_t *from, size_t bytes) {
    if (bytes >= 4)
        return load_le32(from) | (uint64_t)load_le32(from + bytes - 4) << (8 * (bytes - 4));
    if (bytes == 0) return 0;
    const size_t middle = bytes / 2, last = bytes - 1;
    return (uint64_t)from[0] | (uint64_t)from[middle] << (8 * middle) |
           (uint64_t)from[last] << (8 * last);
}

/* The `bytes` (0 to 15) at `from`, then a byte `mark`, then zeros, as two little-endian words. */
static inline void load_le128_partial(const uint8_t *from, size_t bytes, uint8_t mark,
                                      uint64_t word[2]) {
    const uint64_t end = (uint64_t)mark << (8 * (bytes % 8));
    if (bytes >= 8) {
        /* Two shifts, because a shift by 64 is undefined when bytes is 8. */
        const uint64_t tail = load_le64(from + bytes - 8) >> (8 * (15 - bytes)) >> 8;
        word[0] = load_le64(from);
        word[1] = tail | end;
    } else {
        word[0] = load_le64_partial(from, bytes) | end;
        word[1] = 0;
    }
}
#endif

/* ---- quads, and a last block made of them ---- */

/* Sixteen bytes of a block. A padded block is stored quad by quad: a vector load from bytes that
 * several narrower stores wrote waits until those stores have left the store buffer, which would
 * keep a CPU from starting on a message before it has finished the previous message. */
typedef uint64_t jm_quad __attribute__((vector_size(16)));
enum { JM_QUAD_BYTES = 16 };

JM_INLINE jm_quad jm_quad_load(const uint8_t *from) {
    jm_quad quad;
    memcpy(&quad, from, sizeof quad);
    return quad;
}
JM_INLINE void jm_quad_store(uint8_t *to, jm_quad quad) {
    memcpy(to, &quad, sizeof quad);
}

/* The quad of `bytes` < 16 message bytes, the byte 0x80 and zeros. */
JM_INLINE jm_quad jm_quad_last(const uint8_t *from, size_t bytes) {
    uint64_t word[2];
    load_le128_partial(from, bytes, 0x80, word);
    return (jm_quad){JM_LE64(word[0]), JM_LE64(word[1])};
}

/* The last block of a message before its length: the rest of the message, a byte that marks its
 * end, and zeros. For the `finish` of a jm_block_hash whose blocks are whole quads. Every quad is
 * stored once, so that no load of a word or of a quad waits for narrower stores. `rest_bytes` is
 * less than block_bytes, or equal to it: then there is no mark. With a mark of 0 the block ends in
 * zeros alone. */
JM_INLINE void jm_pad_block(uint8_t *block, size_t block_bytes, const uint8_t *rest,
                            size_t rest_bytes, uint8_t mark) {
    const size_t last = rest_bytes - rest_bytes % JM_QUAD_BYTES;
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES) {
        jm_quad quad = {0, 0};
        if (at < last) {
            quad = jm_quad_load(rest + at);
        } else if (at == last) {
            uint64_t word[2];
            load_le128_partial(rest + at, rest_bytes % JM_QUAD_BYTES, mark, word);
            quad = (jm_quad){JM_LE64(word[0]), JM_LE64(word[1])};
        }
        jm_quad_store(block + at, quad);
    }
}

/* A block of zeros. */
JM_INLINE void jm_clear_block(uint8_t *block, size_t block_bytes) {
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES)
        jm_quad_store(block + at, (jm_quad){0, 0});
}

/* ---- elements of GF(2^128) ----
 *
 * Doubling and halving of elements that are 16 bytes, the highest bit first (NIST SP 800-38B,
 * section 5.3), and doubling in larger fields. Masks instead of branches keep the time independent
 * of the key. */

/* Times x: shifts by one bit and, if a bit fell out, adds 0x87. `to` may be `from`. */
static inline void double_block(uint8_t to[16], const uint8_t from[16]) {
    const uint64_t high = load_be64(from), low = load_be64(from + 8);
    unsigned fell_out = (unsigned)(high >> 63);
    JM_PIN("r", fell_out); /* or clang branches on it, for MSP430 */
    store_be64(to, high << 1 | low >> 63);
    store_be64(to + 8, low << 1 ^ ((0u - fell_out) & 0x87u));
}

/* Times x in GF(2^(8 bytes)) for a block of any length from 2 bytes, the highest bit first.
 * `polynomial` has the terms below the highest, of degree 15 at most. */
static inline void double_bytes(uint8_t *block, size_t bytes, unsigned polynomial) {
    unsigned fell_out = block[0] >> 7;
    JM_PIN("r", fell_out);
    fell_out = (0u - fell_out) & polynomial;
    for (size_t i = 0; i + 1 < bytes; i++) block[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
    block[bytes - 1] = (uint8_t)(block[bytes - 1] << 1 ^ fell_out);
    block[bytes - 2] = (uint8_t)(block[bytes - 2] ^ fell_out >> 8);
}

/* The inverse of double_block: the bit that falls out stands for x^127 + x^6 + x + 1. */
static inline void halve_block(uint8_t to[16], const uint8_t from[16]) {
    const uint64_t high = load_be64(from), low = load_be64(from + 8);
    const uint64_t fell_out = UINT64_C(0) - (low & 1);
    store_be64(to, high >> 1 ^ (fell_out & UINT64_C(1) << 63));
    store_be64(to + 8, (low >> 1 | high << 63) ^ (fell_out & 0x43));
}

#endif
