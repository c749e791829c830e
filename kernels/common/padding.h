/* SPDX-License-Identifier: Apache-2.0
 *
 * The padded end of a Merkle-Damgard message (FIPS 180-4, section 5.1), written to a buffer: the
 * bytes of the message after its whole blocks, the byte 0x80, zeros and the length. For code that
 * absorbs the buffer later; jm_md_finish absorbs the end at once.
 *
 * Every piece is stored once and as wide as the vector code loads it, so that no load waits for
 * narrower stores. With AVX-512 a load of the message's last bytes is masked, and the lengths
 * decide no branch.
 */
#ifndef JM_PADDING_H
#define JM_PADDING_H

#include "common/merkle_damgard.h"

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__BMI2__)
#include <immintrin.h>
#define JM_PADDING_MASKED 1
#else
#define JM_PADDING_MASKED 0
#endif

/* As jm_padding, for a `rest` that is not NULL. */
JM_INLINE size_t jm_padding_of(uint8_t *to, size_t block_bytes, size_t length_bytes,
                               const uint8_t *rest, size_t rest_bytes, jm_quad length) {
    const bool fits = rest_bytes < block_bytes - length_bytes;
#if JM_PADDING_MASKED
    for (size_t at = 0; at < block_bytes; at += 64) {
        const size_t here = rest_bytes > at ? rest_bytes - at : 0;
        const __mmask64 present =
            here < 64 ? _bzhi_u64(~UINT64_C(0), (unsigned)here) : ~UINT64_C(0);
        const __mmask64 mark = rest_bytes - at < 64 ? UINT64_C(1) << (rest_bytes - at) : 0;
        __m512i piece = _mm512_setzero_si512(), second = piece;
        /* A load with an empty mask is correct, but takes long. */
        if (here) piece = _mm512_maskz_loadu_epi8(present, rest + at);
        piece = _mm512_mask_mov_epi8(piece, mark, _mm512_set1_epi8((char)0x80));
        if (at + 64 == block_bytes) {
            const uint8_t high_at = 0x40, low_at = 0x80;
            if (length_bytes == 16) second = _mm512_maskz_set1_epi64(high_at, (long long)length[0]);
            second = _mm512_mask_set1_epi64(second, low_at, (long long)length[1]);
            piece = _mm512_mask_or_epi64(piece, fits ? high_at | low_at : 0, piece, second);
        }
        _mm512_storeu_si512(to + at, piece);
        _mm512_storeu_si512(to + block_bytes + at, second);
    }
#else
    const size_t last = rest_bytes - rest_bytes % JM_QUAD_BYTES;
    const size_t length_at = block_bytes - JM_QUAD_BYTES;
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES) {
        jm_quad piece = {0, 0};
        if (at < last)
            piece = jm_quad_load(rest + at);
        else if (at == last)
            piece = jm_quad_last(rest + at, rest_bytes % JM_QUAD_BYTES);
        if (at == length_at && fits) piece |= length;
        jm_quad_store(to + at, piece);
        jm_quad_store(to + block_bytes + at, at == length_at ? length : (jm_quad){0, 0});
    }
#endif
    return fits ? 1 : 2;
}

/* Writes two blocks of which the first, or both, end the message; returns how many do: 1 or 2.
 * `rest` has rest_bytes < block_bytes and may be NULL when rest_bytes is 0; `length` comes from
 * jm_quad_length. The caller wipes the first block. */
JM_INLINE size_t jm_padding(uint8_t *to, size_t block_bytes, size_t length_bytes,
                            const uint8_t *rest, size_t rest_bytes, jm_quad length) {
    /* With masked loads this case is frequent enough to be compiled apart. */
    if (JM_PADDING_MASKED && rest_bytes == 0)
        return jm_padding_of(to, block_bytes, length_bytes, to, 0, length);
    if (rest_bytes == 0) rest = to; /* NULL may not take even an offset of 0 */
    return jm_padding_of(to, block_bytes, length_bytes, rest, rest_bytes, length);
}

#endif
