/* SPDX-License-Identifier: Apache-2.0
 *
 * Four AES blocks in one AVX-512 register, block i in its quarter i, with the rounds of VAES (Intel
 * SDM vol. 2A, AESENC and AESENCLAST). aes_blocks_aesni.h offers the same names for one block in a
 * register, so that a mode is written once; its includer chooses the technique by including one of
 * the two. */
#ifndef JM_AES_BLOCKS_H
#define JM_AES_BLOCKS_H

#include "common/secret.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AES_BLOCKS 4u
#define AES_BLOCKS_PLACE "v" /* `where_` of JM_HIDE, common/secret.h */

typedef __m512i aes_blocks;

JM_INLINE aes_blocks aes_blocks_zero(void) {
    return _mm512_setzero_si512();
}
JM_INLINE aes_blocks aes_blocks_xor(aes_blocks x, aes_blocks y) {
    return _mm512_xor_si512(x, y);
}
JM_INLINE aes_blocks aes_blocks_xor3(aes_blocks x, aes_blocks y, aes_blocks z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
}
JM_INLINE aes_blocks aes_blocks_round(aes_blocks x, aes_blocks key) {
    return _mm512_aesenc_epi128(x, key);
}
JM_INLINE aes_blocks aes_blocks_last_round(aes_blocks x, aes_blocks key) {
    return _mm512_aesenclast_epi128(x, key);
}

/* Bit i of `mask`, which has no bits past the last block, stands for block i: both halves of it. */
JM_INLINE __mmask8 aes_blocks_halves(uint32_t mask) {
    return (__mmask8)(3 * _pdep_u32(mask, 0x55));
}
/* Takes the blocks of `mask` from x, the others from y. */
JM_INLINE aes_blocks aes_blocks_select(uint32_t mask, aes_blocks x, aes_blocks y) {
    return _mm512_mask_mov_epi64(y, aes_blocks_halves(mask), x);
}
/* The 16 bytes at `from` in every block of `mask`, the others as in x. */
JM_INLINE aes_blocks aes_blocks_replace(uint32_t mask, const void *from, aes_blocks x) {
    const __m128i block = _mm_loadu_si128((const __m128i *)from);
    return _mm512_mask_broadcast_i64x2(x, aes_blocks_halves(mask), block);
}
JM_INLINE aes_blocks aes_blocks_broadcast(const void *from) {
    return _mm512_broadcast_i64x2(_mm_loadu_si128((const __m128i *)from));
}
/* Block i is the 16 bytes at from[i] + offset. */
JM_INLINE aes_blocks aes_blocks_gather(const uint8_t *const from[AES_BLOCKS], size_t offset) {
    aes_blocks x = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(from[0] + offset)));
    x = _mm512_inserti64x2(x, _mm_loadu_si128((const __m128i *)(from[1] + offset)), 1);
    x = _mm512_inserti64x2(x, _mm_loadu_si128((const __m128i *)(from[2] + offset)), 2);
    return _mm512_inserti64x2(x, _mm_loadu_si128((const __m128i *)(from[3] + offset)), 3);
}

/* Chunks of 64 bytes to blocks: to[s] receives block s of every chunk. */
JM_INLINE void aes_blocks_of_chunks(__m512i a, __m512i b, __m512i c, __m512i d, aes_blocks to[4]) {
    const __m512i ab01 = _mm512_shuffle_i64x2(a, b, 0x44), ab23 = _mm512_shuffle_i64x2(a, b, 0xee);
    const __m512i cd01 = _mm512_shuffle_i64x2(c, d, 0x44), cd23 = _mm512_shuffle_i64x2(c, d, 0xee);
    to[0] = _mm512_shuffle_i64x2(ab01, cd01, 0x88);
    to[1] = _mm512_shuffle_i64x2(ab01, cd01, 0xdd);
    to[2] = _mm512_shuffle_i64x2(ab23, cd23, 0x88);
    to[3] = _mm512_shuffle_i64x2(ab23, cd23, 0xdd);
}

/* Loads 64 bytes at the address from[i] + offset for each i. */
JM_INLINE void aes_blocks_load_chunks(const uintptr_t from[AES_BLOCKS], size_t offset,
                                      aes_blocks to[4]) {
    const __m512i a = _mm512_loadu_si512((const void *)(from[0] + offset));
    const __m512i b = _mm512_loadu_si512((const void *)(from[1] + offset));
    const __m512i c = _mm512_loadu_si512((const void *)(from[2] + offset));
    const __m512i d = _mm512_loadu_si512((const void *)(from[3] + offset));
    aes_blocks_of_chunks(a, b, c, d, to);
}

/* The same for the last `bytes` (0 to 64) of each message, followed by zeros. */
JM_INLINE void aes_blocks_load_tails(const uintptr_t from[AES_BLOCKS], size_t offset, size_t bytes,
                                     aes_blocks to[4]) {
    const __mmask64 present = _bzhi_u64(UINT64_MAX, (unsigned)bytes);
    const __m512i a = _mm512_maskz_loadu_epi8(present, (const void *)(from[0] + offset));
    const __m512i b = _mm512_maskz_loadu_epi8(present, (const void *)(from[1] + offset));
    const __m512i c = _mm512_maskz_loadu_epi8(present, (const void *)(from[2] + offset));
    const __m512i d = _mm512_maskz_loadu_epi8(present, (const void *)(from[3] + offset));
    aes_blocks_of_chunks(a, b, c, d, to);
}

/* In every block the byte 0x80 after the first `bytes` (0 to 15) bytes, and zeros. */
JM_INLINE aes_blocks aes_blocks_mark(size_t bytes) {
    const __m128i mark = _mm_maskz_set1_epi8((__mmask16)(1u << bytes), (char)0x80);
    return _mm512_broadcast_i64x2(mark);
}

/* Writes to `chunk` the last `bytes` (0 to 64) of a message for CMAC: padded to whole blocks, and
 * the last block with the subkey that belongs to it added. Returns the number of blocks: 1 for the
 * empty message. Bytes after these blocks in `chunk` are unspecified. */
JM_INLINE unsigned aes_blocks_cmac_tail(const uint8_t *from, size_t bytes, const uint8_t *complete,
                                        const uint8_t *padded, uint8_t chunk[64]) {
    const unsigned last = bytes ? (unsigned)(bytes - 1) / 16 : 0;
    const bool whole = bytes && bytes % 16 == 0;
    const uint64_t present = _bzhi_u64(UINT64_MAX, (unsigned)bytes);
    __m512i x = _mm512_maskz_loadu_epi8(present, from);
    if (!whole) x = _mm512_mask_blend_epi8(UINT64_C(1) << bytes, x, _mm512_set1_epi8((char)0x80));
    const __m128i subkey = _mm_loadu_si128((const __m128i *)(whole ? complete : padded));
    const __m512i added = _mm512_maskz_broadcast_i64x2((__mmask8)(3u << (2 * last)), subkey);
    _mm512_store_si512(chunk, _mm512_xor_si512(x, added));
    return last + 1;
}

#endif
