/* SPDX-License-Identifier: Apache-2.0
 * Vector instructions in plain C, in the place of the compiler's <immintrin.h>: AVX-512, GFNI,
 * IFMA, VAES and VPCLMULQDQ as far as kernels use them, and the older instructions of the same
 * kernels (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2). valgrind (3.19)
 * does not run the new ones. A kernel that is compiled with this header has the source of the
 * kernel that is shipped, and every value that it computes from secrets.
 *
 * No function here has a branch or an address that depends on a vector or a mask, since the
 * instructions have none. The exception are vectors of indices: valgrind would report an index that
 * depends on a secret, which takes the same time in a register; the kernels' indices are constants.
 */
#ifndef JM_EMULATED_IMMINTRIN_H
#define JM_EMULATED_IMMINTRIN_H

/* The compilers' headers for older instructions are left out by their guards, GCC's and Clang's:
 * this header comes first. */
#define _EMMINTRIN_H_INCLUDED
#define __EMMINTRIN_H
#define _TMMINTRIN_H_INCLUDED
#define __TMMINTRIN_H
#define _SMMINTRIN_H_INCLUDED
#define __SMMINTRIN_H
#define _WMMINTRIN_H_INCLUDED
#define __WMMINTRIN_H

#include <stdint.h>
#include <string.h>

typedef long long __m128i __attribute__((vector_size(16), may_alias));
typedef long long __m256i __attribute__((vector_size(32), may_alias));
typedef long long __m512i __attribute__((vector_size(64), may_alias));
typedef uint8_t __mmask8;
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef uint64_t __mmask64;

#define EMULATED static inline __attribute__((unused))

/* For vectors V of `bits_`: elements of each width. */
#define ELEMENTS(V, bits_)                                                                         \
    typedef uint8_t V##_8 __attribute__((vector_size((bits_) / 8), may_alias));                    \
    typedef uint16_t V##_16 __attribute__((vector_size((bits_) / 8), may_alias));                  \
    typedef uint32_t V##_32 __attribute__((vector_size((bits_) / 8), may_alias));                  \
    typedef uint64_t V##_64 __attribute__((vector_size((bits_) / 8), may_alias));
ELEMENTS(__m128i, 128)
ELEMENTS(__m256i, 256)
ELEMENTS(__m512i, 512)

/* Element i of a vector of elements of w_ bits; the number of them; a loop over them. */
#define EACH(V, w_) for (unsigned i = 0; i < sizeof(V) * 8 / (w_); i++)
#define BINARY(V, name_, w_, operation_)                                                           \
    EMULATED V name_(V a, V b) {                                                                   \
        return (V)((V##_##w_)a operation_(V##_##w_) b);                                            \
    }
#define SHIFT(V, name_, w_, operation_)                                                            \
    EMULATED V name_(V a, unsigned count) {                                                        \
        return count >= (w_) ? (V){0} : (V)((V##_##w_)a operation_ count);                         \
    }
#define SHIFT_EACH(V, name_, w_, operation_)                                                       \
    EMULATED V name_(V a, V counts) {                                                              \
        V##_##w_ x = (V##_##w_)a, n = (V##_##w_)counts;                                            \
        EACH(V, w_) x[i] = n[i] < (w_) ? x[i] operation_ n[i] : 0;                                 \
        return (V)x;                                                                               \
    }
#define ROTATE_BY(V, name_, w_, left_, right_)                                                     \
    EMULATED V name_(V a, int count) {                                                             \
        const unsigned n = (unsigned)count % (w_), m = ((w_) - n) % (w_);                          \
        return (V)(((V##_##w_)a left_ n) | (V##_##w_)(n ? (V##_##w_)a right_ m : (V##_##w_)a));    \
    }
#define TERNARY(V, name_)                                                                          \
    EMULATED V name_(V a, V b, V c, int table) {                                                   \
        V found = {0};                                                                             \
        for (int i = 0; i < 8; i++)                                                                \
            if (table >> i & 1) found |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);   \
        return found;                                                                              \
    }
/* Interleaves the lower or upper halves of each 128 bits. */
#define UNPACK(V, name_, w_, upper_)                                                               \
    EMULATED V name_(V a, V b) {                                                                   \
        const V##_##w_ x = (V##_##w_)a, y = (V##_##w_)b;                                           \
        const unsigned n = 128 / (w_);                                                             \
        V##_##w_ found = {0};                                                                      \
        EACH(V, w_) {                                                                              \
            const unsigned from = i / n * n + (upper_) * n / 2 + i % n / 2;                        \
            found[i] = i % 2 ? y[from] : x[from];                                                  \
        }                                                                                          \
        return (V)found;                                                                           \
    }
/* Elements by a vector of indices. */
#define PERMUTE(V, name_, w_)                                                                      \
    EMULATED V name_(V indices, V a) {                                                             \
        const V##_##w_ x = (V##_##w_)a, at = (V##_##w_)indices;                                    \
        V##_##w_ found = {0};                                                                      \
        EACH(V, w_) found[i] = x[at[i] % (sizeof(V) * 8 / (w_))];                                  \
        return (V)found;                                                                           \
    }
#define PERMUTE_TWO(V, name_, w_)                                                                  \
    EMULATED V name_(V a, V indices, V b) {                                                        \
        const V##_##w_ x = (V##_##w_)a, y = (V##_##w_)b, at = (V##_##w_)indices;                   \
        const unsigned count = sizeof(V) * 8 / (w_);                                               \
        V##_##w_ found = {0};                                                                      \
        EACH(V, w_) {                                                                              \
            const unsigned from = (unsigned)(at[i] % (2 * count));                                 \
            found[i] = from < count ? x[from] : y[from - count];                                   \
        }                                                                                          \
        return (V)found;                                                                           \
    }
/* The elements of a whose bits are set in the mask, and of b. */
#define BLEND(V, w_)                                                                               \
    EMULATED V V##_blend_##w_(uint64_t mask, V a, V b) {                                           \
        V##_##w_ chosen = {0};                                                                     \
        EACH(V, w_) chosen[i] = (uint##w_##_t)(0 - (mask >> i & 1));                               \
        return ((V)chosen & a) | (~(V)chosen & b);                                                 \
    }
#define SHUFFLE_BYTES(V, name_)                                                                    \
    EMULATED V name_(V a, V indices) {                                                             \
        const V##_8 x = (V##_8)a, at = (V##_8)indices;                                             \
        V##_8 found = {0};                                                                         \
        EACH(V, 8) found[i] = at[i] >> 7 ? 0 : x[i / 16 * 16 + at[i] % 16];                        \
        return (V)found;                                                                           \
    }
#define SHUFFLE_WORDS(V, name_)                                                                    \
    EMULATED V name_(V a, int order) {                                                             \
        const V##_32 x = (V##_32)a;                                                                \
        V##_32 found = {0};                                                                        \
        EACH(V, 32) found[i] = x[i / 4 * 4 + (order >> 2 * (i % 4) & 3)];                          \
        return (V)found;                                                                           \
    }

/* ---- fields ---- */

EMULATED uint8_t emulated_gf_multiply(uint8_t a, uint8_t b) { /* modulo x^8 + x^4 + x^3 + x + 1 */
    uint8_t product = 0;
    for (int i = 0; i < 8; i++) {
        product ^= (uint8_t)(a & (0 - (b >> i & 1)));
        a = (uint8_t)(a << 1 ^ (0x1b & (0 - (a >> 7))));
    }
    return product;
}
EMULATED uint8_t emulated_gf_inverse(uint8_t a) { /* a^254 */
    uint8_t power = a, found = 1;
    for (int i = 1; i < 8; i++) {
        power = emulated_gf_multiply(power, power);
        found = emulated_gf_multiply(found, power);
    }
    return found;
}
EMULATED uint8_t emulated_affine(uint8_t x, uint64_t matrix, uint8_t added) {
    uint8_t found = added;
    for (int i = 0; i < 8; i++) {
        uint8_t row = (uint8_t)(matrix >> (8 * (7 - i))) & x;
        row ^= row >> 4, row ^= row >> 2, row ^= row >> 1;
        found ^= (uint8_t)((row & 1) << i);
    }
    return found;
}
#define FIELDS(V, P)                                                                               \
    EMULATED V P##gf2p8mul_epi8(V a, V b) {                                                        \
        V##_8 x = (V##_8)a;                                                                        \
        EACH(V, 8) x[i] = emulated_gf_multiply(x[i], ((V##_8)b)[i]);                               \
        return (V)x;                                                                               \
    }                                                                                              \
    EMULATED V P##gf2p8affine_epi64_epi8(V a, V matrix, int added) {                               \
        V##_8 x = (V##_8)a;                                                                        \
        EACH(V, 8) x[i] = emulated_affine(x[i], ((V##_64)matrix)[i / 8], (uint8_t)added);          \
        return (V)x;                                                                               \
    }                                                                                              \
    EMULATED V P##gf2p8affineinv_epi64_epi8(V a, V matrix, int added) {                            \
        V##_8 x = (V##_8)a;                                                                        \
        EACH(V, 8) x[i] = emulated_gf_inverse(x[i]);                                               \
        return P##gf2p8affine_epi64_epi8((V)x, matrix, added);                                     \
    }

/* The rows of AES's S-box (FIPS 197, section 5.1.1), as GF2P8AFFINEINVQB takes them. */
#define EMULATED_SBOX_ROWS UINT64_C(0xf1e3c78f1f3e7cf8)
#define AES_ROUNDS(V, P, S)                                                                        \
    EMULATED V emulated_##V##_aes(V a, int mix) {                                                  \
        const V##_8 x = (V##_8)a;                                                                  \
        V##_8 s = {0}, found = {0};                                                                \
        EACH(V, 8) {                                                                               \
            const unsigned column = i % 16 / 4, row = i % 4;                                       \
            s[i] = emulated_affine(                                                                \
                emulated_gf_inverse(x[i / 16 * 16 + 4 * ((column + row) % 4) + row]),              \
                EMULATED_SBOX_ROWS, 0x63);                                                         \
        }                                                                                          \
        if (!mix) return (V)s;                                                                     \
        EACH(V, 8) {                                                                               \
            const unsigned at = i / 4 * 4;                                                         \
            found[i] = (uint8_t)(emulated_gf_multiply(s[i], 2) ^                                   \
                                 emulated_gf_multiply(s[at + (i + 1) % 4], 3) ^                    \
                                 s[at + (i + 2) % 4] ^ s[at + (i + 3) % 4]);                       \
        }                                                                                          \
        return (V)found;                                                                           \
    }                                                                                              \
    EMULATED V P##aesenc_##S(V a, V key) {                                                         \
        return emulated_##V##_aes(a, 1) ^ key;                                                     \
    }                                                                                              \
    EMULATED V P##aesenclast_##S(V a, V key) {                                                     \
        return emulated_##V##_aes(a, 0) ^ key;                                                     \
    }
#define CARRYLESS(V, name_)                                                                        \
    EMULATED V name_(V a, V b, int which) {                                                        \
        V##_64 found = {0};                                                                        \
        for (unsigned i = 0; i < sizeof(V) / 8; i += 2) {                                          \
            const uint64_t x = ((V##_64)a)[i + (which & 1)];                                       \
            const uint64_t y = ((V##_64)b)[i + (which >> 4 & 1)];                                  \
            for (int k = 0; k < 64; k++) {                                                         \
                const uint64_t taken = 0 - (y >> k & 1);                                           \
                found[i] ^= x << k & taken;                                                        \
                if (k) found[i + 1] ^= x >> (64 - k) & taken;                                      \
            }                                                                                      \
        }                                                                                          \
        return (V)found;                                                                           \
    }

/* ---- the instructions of each width ---- */

#define WIDTH(V, P, S)                                                                             \
    EMULATED V P##loadu_##S(const void *from) {                                                    \
        V a;                                                                                       \
        memcpy(&a, from, sizeof a);                                                                \
        return a;                                                                                  \
    }                                                                                              \
    EMULATED void P##storeu_##S(void *to, V a) {                                                   \
        memcpy(to, &a, sizeof a);                                                                  \
    }                                                                                              \
    EMULATED V P##load_##S(const void *from) {                                                     \
        return P##loadu_##S(from);                                                                 \
    }                                                                                              \
    EMULATED void P##store_##S(void *to, V a) {                                                    \
        P##storeu_##S(to, a);                                                                      \
    }                                                                                              \
    EMULATED V P##setzero_##S(void) {                                                              \
        return (V){0};                                                                             \
    }                                                                                              \
    EMULATED V P##set1_epi8(int x) {                                                               \
        return (V)((V##_8){0} + (uint8_t)x);                                                       \
    }                                                                                              \
    EMULATED V P##set1_epi16(int x) {                                                              \
        return (V)((V##_16){0} + (uint16_t)x);                                                     \
    }                                                                                              \
    EMULATED V P##set1_epi32(int x) {                                                              \
        return (V)((V##_32){0} + (uint32_t)x);                                                     \
    }                                                                                              \
    EMULATED V P##set1_epi64x(long long x) {                                                       \
        return (V)((V##_64){0} + (uint64_t)x);                                                     \
    }                                                                                              \
    BINARY(V, P##and_##S, 64, &)                                                                   \
    BINARY(V, P##or_##S, 64, |)                                                                    \
    BINARY(V, P##xor_##S, 64, ^)                                                                   \
    BINARY(V, P##add_epi8, 8, +)                                                                   \
    BINARY(V, P##add_epi16, 16, +)                                                                 \
    BINARY(V, P##add_epi32, 32, +)                                                                 \
    BINARY(V, P##add_epi64, 64, +)                                                                 \
    BINARY(V, P##sub_epi16, 16, -)                                                                 \
    BINARY(V, P##sub_epi32, 32, -)                                                                 \
    BINARY(V, P##sub_epi64, 64, -)                                                                 \
    BINARY(V, P##mullo_epi16, 16, *)                                                               \
    BINARY(V, P##mullo_epi32, 32, *)                                                               \
    BINARY(V, P##mullo_epi64, 64, *)                                                               \
    SHIFT(V, P##slli_epi16, 16, <<)                                                                \
    SHIFT(V, P##srli_epi16, 16, >>)                                                                \
    SHIFT(V, P##slli_epi32, 32, <<)                                                                \
    SHIFT(V, P##srli_epi32, 32, >>)                                                                \
    SHIFT(V, P##slli_epi64, 64, <<)                                                                \
    SHIFT(V, P##srli_epi64, 64, >>)                                                                \
    SHIFT_EACH(V, P##sllv_epi32, 32, <<)                                                           \
    SHIFT_EACH(V, P##srlv_epi32, 32, >>)                                                           \
    SHIFT_EACH(V, P##sllv_epi64, 64, <<)                                                           \
    SHIFT_EACH(V, P##srlv_epi64, 64, >>)                                                           \
    ROTATE_BY(V, P##rol_epi32, 32, <<, >>)                                                         \
    ROTATE_BY(V, P##ror_epi32, 32, >>, <<)                                                         \
    ROTATE_BY(V, P##rol_epi64, 64, <<, >>)                                                         \
    ROTATE_BY(V, P##ror_epi64, 64, >>, <<)                                                         \
    EMULATED V P##rolv_epi32(V a, V n) {                                                           \
        V##_32 left = (V##_32)n & 31, x = (V##_32)a;                                               \
        return (V)(x << left | x >> (-left & 31));                                                 \
    }                                                                                              \
    EMULATED V P##rolv_epi64(V a, V n) {                                                           \
        V##_64 left = (V##_64)n & 63, x = (V##_64)a;                                               \
        return (V)(x << left | x >> (-left & 63));                                                 \
    }                                                                                              \
    TERNARY(V, P##ternarylogic_epi32)                                                              \
    TERNARY(V, P##ternarylogic_epi64)                                                              \
    UNPACK(V, P##unpacklo_epi8, 8, 0)                                                              \
    UNPACK(V, P##unpackhi_epi8, 8, 1)                                                              \
    UNPACK(V, P##unpacklo_epi16, 16, 0)                                                            \
    UNPACK(V, P##unpackhi_epi16, 16, 1)                                                            \
    UNPACK(V, P##unpacklo_epi32, 32, 0)                                                            \
    UNPACK(V, P##unpackhi_epi32, 32, 1)                                                            \
    UNPACK(V, P##unpacklo_epi64, 64, 0)                                                            \
    UNPACK(V, P##unpackhi_epi64, 64, 1)                                                            \
    PERMUTE(V, P##permutexvar_epi16, 16)                                                           \
    PERMUTE(V, P##permutexvar_epi32, 32)                                                           \
    PERMUTE(V, P##permutexvar_epi64, 64)                                                           \
    PERMUTE_TWO(V, P##permutex2var_epi16, 16)                                                      \
    PERMUTE_TWO(V, P##permutex2var_epi32, 32)                                                      \
    PERMUTE_TWO(V, P##permutex2var_epi64, 64)                                                      \
    SHUFFLE_BYTES(V, P##shuffle_epi8)                                                              \
    SHUFFLE_WORDS(V, P##shuffle_epi32)                                                             \
    BLEND(V, 8)                                                                                    \
    BLEND(V, 16)                                                                                   \
    BLEND(V, 32)                                                                                   \
    BLEND(V, 64)                                                                                   \
    FIELDS(V, P)
WIDTH(__m128i, _mm_, si128)
WIDTH(__m256i, _mm256_, si256)
WIDTH(__m512i, _mm512_, si512)
AES_ROUNDS(__m128i, _mm_, si128)
AES_ROUNDS(__m256i, _mm256_, epi128)
AES_ROUNDS(__m512i, _mm512_, epi128)
CARRYLESS(__m128i, _mm_clmulepi64_si128)
CARRYLESS(__m512i, _mm512_clmulepi64_epi128)

#include "immintrin_more.h"

#endif
