/* SPDX-License-Identifier: Apache-2.0
 * kernels/aes/aes_blocks_vaes.h for tools that run AES-NI but neither VAES nor AVX-512: the same
 * names, block by block. If this header is included first, the kernels' header is left out. */
#ifndef JM_AES_BLOCKS_H
#define JM_AES_BLOCKS_H

#include "common/words.h"

#include <immintrin.h>
#include <stdbool.h>

#define AES_BLOCKS 4u
#define AES_BLOCKS_PLACE "m"

typedef struct {
    _Alignas(16) uint64_t half[2 * AES_BLOCKS];
} aes_blocks;

static inline aes_blocks aes_blocks_zero(void) {
    return (aes_blocks){{0}};
}
static inline aes_blocks aes_blocks_xor3(aes_blocks x, aes_blocks y, aes_blocks z) {
    for (int i = 0; i < 8; i++) x.half[i] ^= y.half[i] ^ z.half[i];
    return x;
}
__attribute__((target("aes"))) static aes_blocks aes_blocks_round(aes_blocks x, aes_blocks key) {
    __m128i *block = (__m128i *)x.half;
    const __m128i *k = (const __m128i *)key.half;
    for (int i = 0; i < 4; i++) block[i] = _mm_aesenc_si128(block[i], k[i]);
    return x;
}
__attribute__((target("aes"))) static aes_blocks aes_blocks_last_round(aes_blocks x,
                                                                       aes_blocks key) {
    __m128i *block = (__m128i *)x.half;
    const __m128i *k = (const __m128i *)key.half;
    for (int i = 0; i < 4; i++) block[i] = _mm_aesenclast_si128(block[i], k[i]);
    return x;
}
static inline aes_blocks aes_blocks_select(uint32_t mask, aes_blocks x, aes_blocks y) {
    for (int i = 0; i < 8; i++) y.half[i] = mask >> (i / 2) & 1 ? x.half[i] : y.half[i];
    return y;
}
static inline aes_blocks aes_blocks_broadcast(const void *from) {
    aes_blocks x;
    for (int i = 0; i < 4; i++) memcpy(x.half + 2 * i, from, 16);
    return x;
}
static inline aes_blocks aes_blocks_replace(uint32_t mask, const void *from, aes_blocks x) {
    return aes_blocks_select(mask, aes_blocks_broadcast(from), x);
}
static inline aes_blocks aes_blocks_gather(const uint8_t *const from[AES_BLOCKS], size_t offset) {
    aes_blocks x;
    for (int i = 0; i < 4; i++) memcpy(x.half + 2 * i, from[i] + offset, 16);
    return x;
}
static inline void aes_blocks_load_chunks(const uintptr_t from[AES_BLOCKS], size_t offset,
                                          aes_blocks to[4]) {
    for (int i = 0; i < 4; i++)
        for (int s = 0; s < 4; s++)
            memcpy(to[s].half + 2 * i, (const uint8_t *)(from[i] + offset) + 16 * s, 16);
}
static inline void aes_blocks_load_tails(const uintptr_t from[AES_BLOCKS], size_t offset,
                                         size_t bytes, aes_blocks to[4]) {
    uint8_t chunk[AES_BLOCKS][64] = {{0}};
    uintptr_t at[AES_BLOCKS];
    for (unsigned i = 0; i < AES_BLOCKS; i++) {
        if (bytes) memcpy(chunk[i], (const uint8_t *)(from[i] + offset), bytes);
        at[i] = (uintptr_t)chunk[i];
    }
    aes_blocks_load_chunks(at, 0, to);
}
static inline aes_blocks aes_blocks_mark(size_t bytes) {
    const uint8_t mark[31] = {[15] = 0x80};
    return aes_blocks_broadcast(mark + 15 - bytes);
}
static inline unsigned aes_blocks_cmac_tail(const uint8_t *from, size_t bytes,
                                            const uint8_t *complete, const uint8_t *padded,
                                            uint8_t chunk[64]) {
    const size_t last = bytes ? (bytes - 1) / 16 : 0;
    const bool whole = bytes && bytes % 16 == 0;
    memset(chunk, 0, 64);
    if (bytes) memcpy(chunk, from, bytes);
    if (!whole) chunk[bytes] = 0x80;
    for (int i = 0; i < 16; i++) chunk[16 * last + i] ^= (whole ? complete : padded)[i];
    return (unsigned)last + 1;
}

#endif
