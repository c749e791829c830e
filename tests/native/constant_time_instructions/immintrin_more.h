/* SPDX-License-Identifier: Apache-2.0
 * The second part of immintrin.h: instructions that exist in one width, and between widths. */
#ifndef JM_EMULATED_IMMINTRIN_MORE_H
#define JM_EMULATED_IMMINTRIN_MORE_H

/* ---- constants ---- */

#define _mm_setr_epi8(...) ((__m128i)(__m128i_8){__VA_ARGS__})
#define _mm_setr_epi32(...) ((__m128i)(__m128i_32){__VA_ARGS__})
#define _mm_set_epi32(d_, c_, b_, a_) _mm_setr_epi32(a_, b_, c_, d_)
#define _mm_set_epi64x(b_, a_) ((__m128i){(long long)(a_), (long long)(b_)})
#define _mm_set_epi8(p_, o_, n_, m_, l_, k_, j_, i_, h_, g_, f_, e_, d_, c_, b_, a_)               \
    _mm_setr_epi8(a_, b_, c_, d_, e_, f_, g_, h_, i_, j_, k_, l_, m_, n_, o_, p_)
#define _mm256_setr_epi8(...) ((__m256i)(__m256i_8){__VA_ARGS__})
#define _mm256_setr_epi32(...) ((__m256i)(__m256i_32){__VA_ARGS__})
#define _mm256_set_epi32(h_, g_, f_, e_, d_, c_, b_, a_)                                           \
    _mm256_setr_epi32(a_, b_, c_, d_, e_, f_, g_, h_)
#define _mm256_set_epi16(p_, o_, n_, m_, l_, k_, j_, i_, h_, g_, f_, e_, d_, c_, b_, a_)           \
    ((__m256i)(__m256i_16){(uint16_t)(a_), (uint16_t)(b_), (uint16_t)(c_), (uint16_t)(d_),         \
                           (uint16_t)(e_), (uint16_t)(f_), (uint16_t)(g_), (uint16_t)(h_),         \
                           (uint16_t)(i_), (uint16_t)(j_), (uint16_t)(k_), (uint16_t)(l_),         \
                           (uint16_t)(m_), (uint16_t)(n_), (uint16_t)(o_), (uint16_t)(p_)})
#define _mm256_setr_epi64x(a_, b_, c_, d_)                                                         \
    ((__m256i){(long long)(a_), (long long)(b_), (long long)(c_), (long long)(d_)})
#define _mm256_set_epi64x(d_, c_, b_, a_) _mm256_setr_epi64x(a_, b_, c_, d_)
#define _mm512_set1_epi64 _mm512_set1_epi64x
#define _mm512_setr_epi32(...) ((__m512i)(__m512i_32){__VA_ARGS__})
#define _mm512_set_epi32(p_, o_, n_, m_, l_, k_, j_, i_, h_, g_, f_, e_, d_, c_, b_, a_)           \
    _mm512_setr_epi32(a_, b_, c_, d_, e_, f_, g_, h_, i_, j_, k_, l_, m_, n_, o_, p_)
#define _mm512_setr_epi64(a_, b_, c_, d_, e_, f_, g_, h_)                                          \
    ((__m512i){(long long)(a_), (long long)(b_), (long long)(c_), (long long)(d_),                 \
               (long long)(e_), (long long)(f_), (long long)(g_), (long long)(h_)})
#define _mm512_set_epi64(h_, g_, f_, e_, d_, c_, b_, a_)                                           \
    _mm512_setr_epi64(a_, b_, c_, d_, e_, f_, g_, h_)

static inline __attribute__((unused)) __m512i emulated_reversed16(__m512i_16 x) {
    __m512i_16 found;
    EACH(__m512i, 16) found[i] = x[31 - i];
    return (__m512i)found;
}
#define _mm512_set_epi16(...) emulated_reversed16((__m512i_16){__VA_ARGS__})

/* ---- between widths ---- */

#define PART(name_, V, W)                                                                          \
    EMULATED V name_(W a, int which) {                                                             \
        V found;                                                                                   \
        memcpy(&found, (const char *)&a + sizeof(V) * (unsigned)which, sizeof found);              \
        return found;                                                                              \
    }
PART(_mm256_extracti128_si256, __m128i, __m256i)
PART(_mm512_extracti64x4_epi64, __m256i, __m512i)
PART(_mm512_extracti32x4_epi32, __m128i, __m512i)
PART(_mm512_extracti64x2_epi64, __m128i, __m512i)
#define _mm256_castsi256_si128(a_) _mm256_extracti128_si256(a_, 0)
#define _mm512_castsi512_si256(a_) _mm512_extracti64x4_epi64(a_, 0)
#define _mm512_castsi512_si128(a_) _mm512_extracti32x4_epi32(a_, 0)

#define INSERTED(name_, V, W)                                                                      \
    EMULATED W name_(W a, V part, int which) {                                                     \
        memcpy((char *)&a + sizeof part * (unsigned)which, &part, sizeof part);                    \
        return a;                                                                                  \
    }
INSERTED(_mm256_inserti128_si256, __m128i, __m256i)
INSERTED(_mm512_inserti64x4, __m256i, __m512i)
INSERTED(emulated_insert_128, __m128i, __m512i)
#define _mm256_zextsi128_si256(a_) _mm256_inserti128_si256((__m256i){0}, a_, 0)
#define _mm256_castsi128_si256 _mm256_zextsi128_si256
#define _mm512_zextsi128_si512(a_) emulated_insert_128((__m512i){0}, a_, 0)
#define _mm512_castsi128_si512 _mm512_zextsi128_si512
#define _mm512_castsi256_si512(a_) _mm512_inserti64x4((__m512i){0}, a_, 0)
#define _mm512_zextsi256_si512 _mm512_castsi256_si512

EMULATED __m512i _mm512_broadcast_i32x4(__m128i a) {
    return (__m512i){a[0], a[1], a[0], a[1], a[0], a[1], a[0], a[1]};
}
#define _mm512_broadcast_i64x2 _mm512_broadcast_i32x4
#define _mm512_mask_broadcast_i64x2(kept_, mask_, a_)                                              \
    __m512i_blend_64(mask_, _mm512_broadcast_i64x2(a_), kept_)

EMULATED __m128i _mm_cvtsi64_si128(long long x) {
    return (__m128i){x, 0};
}
EMULATED long long _mm_cvtsi128_si64(__m128i a) {
    return a[0];
}
EMULATED int _mm_cvtsi128_si32(__m128i a) {
    return (int)((__m128i_32)a)[0];
}
EMULATED int _mm_extract_epi32(__m128i a, int which) {
    return (int)((__m128i_32)a)[which];
}
EMULATED long long _mm_extract_epi64(__m128i a, int which) {
    return a[which];
}
EMULATED __m128i _mm_loadl_epi64(const void *from) {
    __m128i a = {0, 0};
    memcpy(&a, from, 8);
    return a;
}

/* ---- bytes and words that move ---- */

EMULATED __m128i _mm_alignr_epi8(__m128i a, __m128i b, int bytes) {
    uint8_t both[64] = {0};
    memcpy(both, &b, 16);
    memcpy(both + 16, &a, 16);
    return _mm_loadu_si128(both + bytes);
}
EMULATED __m128i _mm_slli_si128(__m128i a, int bytes) {
    return _mm_alignr_epi8(a, (__m128i){0}, 16 - bytes);
}
EMULATED __m128i _mm_srli_si128(__m128i a, int bytes) {
    return _mm_alignr_epi8((__m128i){0}, a, bytes);
}
#define ALIGNED(V, name_, w_)                                                                      \
    EMULATED V name_(V a, V b, int elements) {                                                     \
        V found;                                                                                   \
        char both[2 * sizeof(V)];                                                                  \
        memcpy(both, &b, sizeof b);                                                                \
        memcpy(both + sizeof b, &a, sizeof a);                                                     \
        memcpy(&found, both + (unsigned)elements % (sizeof(V) * 8 / (w_)) * (w_) / 8,              \
               sizeof found);                                                                      \
        return found;                                                                              \
    }
ALIGNED(__m256i, _mm256_alignr_epi32, 32)
ALIGNED(__m512i, _mm512_alignr_epi32, 32)
ALIGNED(__m512i, _mm512_alignr_epi64, 64)

EMULATED __m128i _mm_blend_epi16(__m128i a, __m128i b, int mask) {
    return __m128i_blend_16((unsigned)mask, b, a);
}
EMULATED __m256i _mm256_permute4x64_epi64(__m256i a, int order) {
    return (__m256i){a[order & 3], a[order >> 2 & 3], a[order >> 4 & 3], a[order >> 6 & 3]};
}
EMULATED __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int order) {
    __m256i found = {0};
    for (int half = 0; half < 2; half++) {
        const int from = order >> 4 * half & 15;
        if (from & 8) continue;
        for (int i = 0; i < 2; i++) found[2 * half + i] = (from & 2 ? b : a)[2 * (from & 1) + i];
    }
    return found;
}
EMULATED __m256i _mm256_permutevar8x32_epi32(__m256i a, __m256i indices) {
    return _mm256_permutexvar_epi32(indices, a);
}
EMULATED __m512i _mm512_shuffle_i64x2(__m512i a, __m512i b, int order) {
    const int at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
    return (__m512i){a[2 * at[0]], a[2 * at[0] + 1], a[2 * at[1]], a[2 * at[1] + 1],
                     b[2 * at[2]], b[2 * at[2] + 1], b[2 * at[3]], b[2 * at[3] + 1]};
}
#define _mm512_shuffle_i32x4 _mm512_shuffle_i64x2

EMULATED __m256i _mm256_broadcastsi128_si256(__m128i a) {
    return (__m256i){a[0], a[1], a[0], a[1]};
}
#define _MM_SHUFFLE(d_, c_, b_, a_) ((d_) << 6 | (c_) << 4 | (b_) << 2 | (a_))

/* ---- masks ---- */

#define _mm512_maskz_mov_epi64(mask_, a_) __m512i_blend_64(mask_, a_, (__m512i){0})
#define _mm512_maskz_mov_epi32(mask_, a_) __m512i_blend_32(mask_, a_, (__m512i){0})
#define _mm512_mask_mov_epi8(kept_, mask_, a_) __m512i_blend_8(mask_, a_, kept_)
#define _mm512_mask_mov_epi32(kept_, mask_, a_) __m512i_blend_32(mask_, a_, kept_)
#define _mm512_mask_blend_epi64(mask_, a_, b_) __m512i_blend_64(mask_, b_, a_)
#define _mm512_mask_add_epi64(kept_, mask_, a_, b_)                                                \
    __m512i_blend_64(mask_, _mm512_add_epi64(a_, b_), kept_)
#define _mm512_mask_sub_epi64(kept_, mask_, a_, b_)                                                \
    __m512i_blend_64(mask_, _mm512_sub_epi64(a_, b_), kept_)
#define _mm512_maskz_add_epi32(mask_, a_, b_)                                                      \
    __m512i_blend_32(mask_, _mm512_add_epi32(a_, b_), (__m512i){0})
#define _mm512_maskz_set1_epi64(mask_, x_)                                                         \
    __m512i_blend_64(mask_, _mm512_set1_epi64(x_), (__m512i){0})
#define _mm512_mask_permutexvar_epi32(kept_, mask_, indices_, a_)                                  \
    __m512i_blend_32(mask_, _mm512_permutexvar_epi32(indices_, a_), kept_)
#define _mm256_maskz_mov_epi64(mask_, a_) __m256i_blend_64(mask_, a_, (__m256i){0})
#define _mm256_mask_add_epi16(kept_, mask_, a_, b_)                                                \
    __m256i_blend_16(mask_, _mm256_add_epi16(a_, b_), kept_)
#define _mm256_mask_sub_epi16(kept_, mask_, a_, b_)                                                \
    __m256i_blend_16(mask_, _mm256_sub_epi16(a_, b_), kept_)
#define _mm256_mask_set1_epi64(kept_, mask_, x_)                                                   \
    __m256i_blend_64(mask_, _mm256_set1_epi64x(x_), kept_)
#define _mm256_mask_permutex_epi64(kept_, mask_, a_, order_)                                       \
    __m256i_blend_64(mask_, _mm256_permute4x64_epi64(a_, order_), kept_)

/* The bytes of which the mask has no bit are not read. Masks of loads follow from lengths. */
EMULATED __m512i _mm512_maskz_loadu_epi8(__mmask64 mask, const void *from) {
    __m512i_8 found = {0};
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1) found[i] = ((const uint8_t *)from)[i];
    return (__m512i)found;
}
EMULATED __m512i _mm512_maskz_loadu_epi64(__mmask8 mask, const void *from) {
    __m512i found = {0};
    for (int i = 0; i < 8; i++)
        if (mask >> i & 1) memcpy((char *)&found + 8 * i, (const char *)from + 8 * i, 8);
    return found;
}

/* 1 if a < b, of 64 bits: the borrow of the difference. */
EMULATED uint64_t emulated_below(uint64_t a, uint64_t b) {
    return ((~a & b) | ((~a | b) & (a - b))) >> 63;
}
EMULATED __mmask8 _mm512_cmplt_epu64_mask(__m512i a, __m512i b) {
    uint8_t found = 0;
    for (int i = 0; i < 8; i++)
        found |= (uint8_t)(emulated_below((uint64_t)a[i], (uint64_t)b[i]) << i);
    return found;
}
EMULATED __mmask16 _mm256_cmplt_epi16_mask(__m256i a, __m256i b) {
    uint16_t found = 0;
    for (int i = 0; i < 16; i++) /* signed: 2^15 more on both sides */
        found |=
            (uint16_t)(emulated_below(((__m256i_16)a)[i] ^ 0x8000u, ((__m256i_16)b)[i] ^ 0x8000u)
                       << i);
    return found;
}
EMULATED __mmask16 _mm256_cmpgt_epi16_mask(__m256i a, __m256i b) {
    return _mm256_cmplt_epi16_mask(b, a);
}

EMULATED uint64_t _bzhi_u64(uint64_t x, unsigned bits) {
    return bits < 64 ? x & ((UINT64_C(1) << bits) - 1) : x;
}

/* ---- products ---- */

EMULATED __m512i _mm512_mul_epu32(__m512i a, __m512i b) {
    return (__m512i)(((__m512i_64)a & UINT32_MAX) * ((__m512i_64)b & UINT32_MAX));
}
EMULATED __m256i _mm256_mulhrs_epi16(__m256i a, __m256i b) {
    __m256i_16 found = {0};
    for (int i = 0; i < 16; i++) {
        const int x = (int16_t)((__m256i_16)a)[i], y = (int16_t)((__m256i_16)b)[i];
        found[i] = (uint16_t)(((x * y >> 14) + 1) >> 1);
    }
    return (__m256i)found;
}
#define FUSED(name_, shift_)                                                                       \
    EMULATED __m512i name_(__m512i sum, __m512i a, __m512i b) {                                    \
        const uint64_t low = (UINT64_C(1) << 52) - 1;                                              \
        __m512i_64 found = (__m512i_64)sum;                                                        \
        for (int i = 0; i < 8; i++) {                                                              \
            const unsigned __int128 product =                                                      \
                (unsigned __int128)((uint64_t)a[i] & low) * ((uint64_t)b[i] & low);                \
            found[i] += (uint64_t)(product >> (shift_)) & low;                                     \
        }                                                                                          \
        return (__m512i)found;                                                                     \
    }
FUSED(_mm512_madd52lo_epu64, 0)
FUSED(_mm512_madd52hi_epu64, 52)
EMULATED long long _mm512_reduce_add_epi64(__m512i a) {
    const __m512i_64 x = (__m512i_64)a;
    return (long long)(x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7]);
}

/* Kernels have macros of these names. */
#undef EACH
#undef BINARY
#undef SHIFT
#undef SHIFT_EACH
#undef ROTATE_BY
#undef TERNARY
#undef UNPACK
#undef PERMUTE
#undef PERMUTE_TWO
#undef BLEND
#undef SHUFFLE_BYTES
#undef SHUFFLE_WORDS
#undef FIELDS
#undef AES_ROUNDS
#undef CARRYLESS
#undef WIDTH
#undef ELEMENTS
#undef PART
#undef INSERTED
#undef ALIGNED
#undef FUSED

#endif
