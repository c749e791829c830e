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
