/* SPDX-License-Identifier: Apache-2.0
 * Unaligned loads and stores in a stated byte order, and rotations. Any pointer is valid. */
#ifndef JM_LOAD_STORE_H
#define JM_LOAD_STORE_H

#include <stdint.h>
#include <string.h>

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

#endif
