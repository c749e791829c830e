/* SPDX-License-Identifier: Apache-2.0
 *
 * GMAC over AES (NIST SP 800-38D) with VPCLMULQDQ in 512-bit registers and AES-NI.
 * Technique: four blocks in a register; up to eight registers, each block times its own power of
 * the key, share one reduction. The first register is filled up with zero blocks in front, which do
 * not change the sum, and the incomplete block is loaded with a mask.
 * State layout: powers 33 to 1 of H x, the key schedule of AES-NI, the counter block of the nonce.
 * CPU features: AVX-512, VPCLMULQDQ, PCLMUL, AES-NI. Constant time: no branch or address depends on
 * anything but lengths; its source is checked by tests/native/constant_time_instructions.c. Streams
 * are absorbed as in gmac_pclmul.c. Best for: everything. */
#include "gmac/gmac.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "gmac/gmac_blocks.h"

enum { BLOCKS = 4, VECTORS = 8, POWERS = BLOCKS * VECTORS + 1, VECTOR_BYTES = 64 };
enum { SCHEDULE_BYTES = JM_AES256_SCHEDULE_BYTES_aesni, STACK_BYTES = 256 };
/* Longer messages call another function, whose frame is added to the stack. */
#define LONG_BYTES 512u
#define LONG_CODE "absorb_front"
enum { LONG_STACK_BYTES = 832 };

typedef struct {
    __m128i at[POWERS];     /* at[i] is power POWERS - i */
    __m128i folded[POWERS]; /* the sum of the power's halves, in both halves */
} gmac_powers;

static inline void make_powers(gmac_powers *to, const uint8_t h[16]) {
    const __m128i first = gmac_first_power(h);
    to->at[POWERS - 1] = first;
    for (unsigned i = POWERS - 1; i; i--) to->at[i - 1] = gmac_multiply(to->at[i], first);
    for (unsigned i = 0; i < POWERS; i++)
        to->folded[i] = _mm_xor_si128(to->at[i], _mm_shuffle_epi32(to->at[i], 0x4e));
}

typedef struct {
    __m512i low, folded, high;
} products;

/* Karatsuba's method: the product of the sums of halves is low + middle + high. */
JM_INLINE void multiply_add(products *d, __m512i a, const __m128i *power, const __m128i *folded) {
    const __m512i b = _mm512_loadu_si512(power), sum = _mm512_shuffle_epi32(a, 0x4e);
    d->low = _mm512_xor_si512(d->low, _mm512_clmulepi64_epi128(a, b, 0x00));
    d->high = _mm512_xor_si512(d->high, _mm512_clmulepi64_epi128(a, b, 0x11));
    d->folded =
        _mm512_xor_si512(d->folded, _mm512_clmulepi64_epi128(_mm512_xor_si512(a, sum),
                                                             _mm512_loadu_si512(folded), 0x00));
}

JM_INLINE __m128i sum_of_blocks(__m512i a) {
    const __m256i two =
        _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
}

JM_INLINE gmac_product gather(const products *d) {
    const __m512i middle = _mm512_ternarylogic_epi64(d->folded, d->low, d->high, 0x96);
    return (gmac_product){sum_of_blocks(d->low), sum_of_blocks(middle), sum_of_blocks(d->high)};
}

JM_INLINE __m512i reverse(__m512i a) {
    return _mm512_shuffle_epi8(a, _mm512_broadcast_i32x4(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                                                      10, 11, 12, 13, 14, 15)));
}

JM_INLINE products nothing(void) {
    const __m512i zero = _mm512_setzero_si512();
    return (products){zero, zero, zero};
}

/* The index in the tables of powers for the first of `registers` registers whose last block has the
 * power `last`. */
JM_INLINE size_t power_at(size_t registers, size_t last) {
    return POWERS + 1 - BLOCKS * registers - last;
}

/* Adds `registers` registers at `from`, each block times its power; the last block's power is
 * `last`. `a` is added to the first block; of the first register the bytes in the mask `there` are
 * loaded, of the last one `end` bytes. */
JM_INLINE void multiply_add_all(products *d, const gmac_powers *powers, const uint8_t *from,
                                size_t registers, size_t last, uint64_t there, size_t end,
                                __m128i a) {
    __m512i before = _mm512_zextsi128_si512(a);
    for (size_t at = power_at(registers, last); registers; registers--, at += BLOCKS) {
        if (registers == 1) there &= UINT64_MAX >> (VECTOR_BYTES - end);
        const __m512i block = reverse(_mm512_maskz_loadu_epi8(there, from));
        multiply_add(d, _mm512_xor_si512(block, before), powers->at + at, powers->folded + at);
        before = _mm512_setzero_si512();
        there = UINT64_MAX;
        from += VECTOR_BYTES;
    }
}

/* Absorbs all but the last eight of `registers` registers, and returns their GHASH. */
static __attribute__((noinline)) __m128i absorb_front(const gmac_powers *powers,
                                                      const uint8_t *from, size_t registers,
                                                      uint64_t there) {
    const size_t first = (registers - 1) % VECTORS + 1;
    products d = nothing();
    multiply_add_all(&d, powers, from, first, 1, there, VECTOR_BYTES, _mm_setzero_si128());
    __m128i a = gmac_reduce(gather(&d));
    from += VECTOR_BYTES * first;
    for (registers -= first; registers > VECTORS; registers -= VECTORS) {
        d = nothing();
        for (size_t i = 0; i < VECTORS; i++) {
            __m512i block = reverse(_mm512_loadu_si512(from + VECTOR_BYTES * i));
            if (i == 0) block = _mm512_xor_si512(block, _mm512_zextsi128_si512(a));
            const size_t at = power_at(VECTORS - i, 1);
            multiply_add(&d, block, powers->at + at, powers->folded + at);
        }
        a = gmac_reduce(gather(&d));
        from += VECTORS * VECTOR_BYTES;
    }
    return a;
}

static inline void ghash(const gmac_powers *powers, const uint8_t *in, size_t bytes,
                         uint64_t first_bits, uint64_t second_bits, uint8_t out[16]) {
    products d = nothing();
    if (bytes) {
        const size_t blocks = (bytes + 15) / 16, absent = (0 - blocks) % BLOCKS * 16;
        const size_t end = (bytes + absent - 1) % VECTOR_BYTES + 1; /* bytes of the last register */
        size_t registers = (blocks + BLOCKS - 1) / BLOCKS;
        /* In the first register the message lies behind `absent` zero bytes. */
        const uint8_t *from = (const uint8_t *)((uintptr_t)in - absent);
        uint64_t there = UINT64_MAX << absent;
        __m128i a = _mm_setzero_si128();
        if (registers > VECTORS) {
            a = absorb_front(powers, from, registers, there);
            from += VECTOR_BYTES * (registers - VECTORS);
            registers = VECTORS;
            there = UINT64_MAX;
        }
        multiply_add_all(&d, powers, from, registers, 2, there, end, a); /* the lengths: 1 */
    }
    gmac_product all = gather(&d);
    const __m128i lengths = _mm_set_epi64x((long long)first_bits, (long long)second_bits);
    gmac_multiply_add(&all, lengths, powers->at[POWERS - 1]);
    _mm_storeu_si128((__m128i *)out, gmac_reverse(gmac_reduce(all)));
}

static inline void absorb_blocks(const gmac_powers *powers, uint8_t sum[16], const uint8_t *in,
                                 size_t blocks) {
    gmac_absorb(powers->at + POWERS - 1, sum, in, blocks);
}

#include "gmac/gmac_variant.h"

#define NOTE "VPCLMULQDQ in 512-bit registers and AES-NI, up to 32 blocks to a reduction."
#define FEATURES                                                                                   \
    (JM_CPU_AVX512 | JM_CPU_VPCLMUL | JM_CPU_BMI2 | JM_CPU_PCLMUL | JM_CPU_AESNI | JM_CPU_SSE41)
JM_GMAC_VARIANT(vpclmul, 128, jm_aes128_aesni, FEATURES, true, NOTE);
JM_GMAC_VARIANT(vpclmul, 192, jm_aes192_aesni, FEATURES, true, NOTE);
JM_GMAC_VARIANT(vpclmul, 256, jm_aes256_aesni, FEATURES, true, NOTE);
#else
typedef int jm_gmac_vpclmul_needs_x86_64;
#endif
