/* SPDX-License-Identifier: Apache-2.0
 * Loads of the last, incomplete word of a message, without reading past its end and without
 * passing through memory, which would stall the wider load that follows. */
#ifndef JM_LOAD_PARTIAL_H
#define JM_LOAD_PARTIAL_H

#include "common/compiler.h"
#include "common/load_store.h"

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

#endif
