/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5), four blocks side by side in 256-bit registers.
 * Technique: limbs of 26 bits, multiplied by VPMULUDQ. Block i of each group of four has a lane to
 * itself. A lane is multiplied by r^4 for each group that follows, and in the end by its own power
 * of r, r^4 for block 0 down to r for block 3; the sum of all lanes is the value. Two groups share
 * one carry: h = h r^8 + m r^4 + m'. Blocks that fill no group come first, one by one. `bmi2` tags
 * short messages. State layout: as in poly1305_scalar.h. CPU features: AVX2 and BMI2. Constant
 * time: no branch or address depends on anything but lengths; checked by
 * tests/native/constant_time.c. Functions have an outer and an inner half (common/secret.h). Best
 * for: messages from about 500 bytes on. */
#include "poly1305/poly1305.h"

#if defined(__x86_64__)
#include "poly1305/poly1305_limbs.h"

#include <immintrin.h>

/* In messages shorter than this the powers of r cost more time than the lanes save. */
#define JM_POLY1305_SCALAR_BYTES 512u
enum { LANES = 4, GROUP_BYTES = LANES * JM_POLY1305_BLOCK_BYTES, LIMBS = 5 };

/* For registers that are saved or spilled, and powers of r. */
enum { STACK_BYTES = 2752, UPDATE_STACK_BYTES = 2752 };

#define MASK26 ((UINT64_C(1) << 26) - 1)
#define EACH(number) _mm256_set1_epi64x((long long)(number))
#define ALWAYS static inline __attribute__((always_inline))

typedef struct {
    __m256i limb[LIMBS];
} lanes;

typedef struct {
    __m256i limb[LIMBS], limb_5[LIMBS]; /* limb_5[0] is not used */
} factor;

typedef struct {
    uint64_t limb[LIMBS];
} number;

ALWAYS number split_words(uint64_t w0, uint64_t w1, uint64_t w2) {
    return (number){{w0 & MASK26, w0 >> 26 & MASK26, (w0 >> 52 | w1 << 12) & MASK26,
                     w1 >> 14 & MASK26, w1 >> 40 | w2 << 24}};
}

ALWAYS number split_limbs(jm_poly1305_limbs a) {
    const jm_poly1305_sum joined = jm_poly1305_join(a.l0, a.l1, a.l2);
    return split_words(joined.h0, joined.h1, joined.h2);
}

/* A factor for each block, in the order of `load`: for blocks 0, 2, 1 and 3. */
ALWAYS factor factor_of(number of0, number of1, number of2, number of3) {
    factor by;
    for (int i = 0; i < LIMBS; i++) {
        by.limb[i] = _mm256_set_epi64x((long long)of3.limb[i], (long long)of1.limb[i],
                                       (long long)of2.limb[i], (long long)of0.limb[i]);
        by.limb_5[i] = _mm256_add_epi64(by.limb[i], _mm256_slli_epi64(by.limb[i], 2));
    }
    return by;
}

/* Limbs of `a` below 2^28, of `b` below 2^27: a product is below 2^57.4, ten of them below 2^61. */
ALWAYS void multiply_add(lanes *d, const lanes *a, const factor *b) {
#pragma GCC unroll 5
    for (int i = 0; i < LIMBS; i++)
#pragma GCC unroll 5
        for (int j = 0; j < LIMBS; j++) {
            const __m256i limb = i + j < LIMBS ? b->limb[j] : b->limb_5[j];
            __m256i *const sum = &d->limb[(i + j) % LIMBS];
            *sum = _mm256_add_epi64(*sum, _mm256_mul_epu32(a->limb[i], limb));
        }
}

ALWAYS void carry_one(lanes *a, int from, int times) {
    const __m256i over = _mm256_srli_epi64(a->limb[from], 26);
    __m256i *const to = &a->limb[(from + 1) % LIMBS];
    a->limb[from] = _mm256_and_si256(a->limb[from], EACH(MASK26));
    *to = _mm256_add_epi64(*to, over);
    if (times == 5) *to = _mm256_add_epi64(*to, _mm256_slli_epi64(over, 2));
}

/* Carries in two chains at once. Afterwards limbs are below 2^26 + 2^14. */
ALWAYS void carry(lanes *a) {
    carry_one(a, 0, 1);
    carry_one(a, 3, 1);
    carry_one(a, 1, 1);
    carry_one(a, 4, 5);
    carry_one(a, 2, 1);
    carry_one(a, 0, 1);
    carry_one(a, 3, 1);
}

/* Unpacking leaves blocks 0, 2, 1 and 3 in lanes 0 to 3. */
ALWAYS lanes load(const uint8_t *in) {
    const __m256i blocks0to1 = _mm256_loadu_si256((const __m256i *)in);
    const __m256i blocks2to3 = _mm256_loadu_si256((const __m256i *)(in + 32));
    const __m256i low = _mm256_unpacklo_epi64(blocks0to1, blocks2to3);
    const __m256i high = _mm256_unpackhi_epi64(blocks0to1, blocks2to3);
    const __m256i middle = _mm256_or_si256(_mm256_srli_epi64(low, 52), _mm256_slli_epi64(high, 12));
    return (lanes){{
        _mm256_and_si256(low, EACH(MASK26)),
        _mm256_and_si256(_mm256_srli_epi64(low, 26), EACH(MASK26)),
        _mm256_and_si256(middle, EACH(MASK26)),
        _mm256_and_si256(_mm256_srli_epi64(high, 14), EACH(MASK26)),
        _mm256_or_si256(_mm256_srli_epi64(high, 40), EACH(1 << 24)), /* 2^128 */
    }};
}

ALWAYS lanes add(lanes a, lanes b) {
    for (int i = 0; i < LIMBS; i++) a.limb[i] = _mm256_add_epi64(a.limb[i], b.limb[i]);
    return a;
}

ALWAYS uint64_t sum_of_lanes(__m256i a) {
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    return (uint64_t)_mm_cvtsi128_si64(two) + (uint64_t)_mm_extract_epi64(two, 1);
}

/* Absorbs `blocks`, at least 4. */
ALWAYS void absorb_wide(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                        size_t blocks) {
    const jm_poly1305_limbs r = jm_poly1305_split(key->r0, key->r1, 0);
    const jm_poly1305_limbs r2 = jm_poly1305_square(r), r4 = jm_poly1305_square(r2);
    const number power1 = split_limbs(r), power2 = split_limbs(r2), power4 = split_limbs(r4);
    const number power3 = split_limbs(jm_poly1305_multiply(r2, r));
    const number power8 = split_limbs(jm_poly1305_square(r4));
    const factor by_lane = factor_of(power4, power3, power2, power1);
    const factor by4 = factor_of(power4, power4, power4, power4);
    const factor by8 = factor_of(power8, power8, power8, power8);

    jm_poly1305_absorb_blocks(h, key, in, blocks % LANES);
    in += JM_POLY1305_BLOCK_BYTES * (blocks % LANES);
    size_t groups = blocks / LANES - 1;
    const number before = split_words(h->h0, h->h1, h->h2);
    lanes a = load(in);
    in += GROUP_BYTES;
    for (int i = 0; i < LIMBS; i++)
        a.limb[i] =
            _mm256_add_epi64(a.limb[i], _mm256_set_epi64x(0, 0, 0, (long long)before.limb[i]));
    lanes d = {{EACH(0), EACH(0), EACH(0), EACH(0), EACH(0)}};
    if (groups % 2) {
        multiply_add(&d, &a, &by4);
        carry(&d);
        a = add(d, load(in));
        in += GROUP_BYTES;
    }
    for (groups /= 2; groups; groups--, in += 2 * GROUP_BYTES) {
        const lanes first = load(in);
        d = (lanes){{EACH(0), EACH(0), EACH(0), EACH(0), EACH(0)}};
        multiply_add(&d, &first, &by4);
        multiply_add(&d, &a, &by8);
        carry(&d);
        a = add(d, load(in + GROUP_BYTES));
    }
    d = (lanes){{EACH(0), EACH(0), EACH(0), EACH(0), EACH(0)}};
    multiply_add(&d, &a, &by_lane);
    carry(&d);
    uint64_t limb[LIMBS]; /* below 2^29 */
    for (int i = 0; i < LIMBS; i++) limb[i] = sum_of_lanes(d.limb[i]);
    *h = jm_poly1305_join((limb[0] + (limb[1] << 26)) & JM_POLY1305_MASK44,
                          ((limb[0] + (limb[1] << 26)) >> 44) + (limb[2] << 8) +
                              ((limb[3] & 1023) << 34),
                          (limb[3] >> 10) + (limb[4] << 16));
}

static inline void absorb_blocks(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                                 size_t blocks) {
    if (blocks < JM_POLY1305_SCALAR_BYTES / JM_POLY1305_BLOCK_BYTES)
        jm_poly1305_absorb_blocks(h, key, in, blocks);
    else
        absorb_wide(h, key, in, blocks);
}

static inline size_t absorb_most(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                                 size_t bytes) {
    absorb_wide(h, key, in, bytes / JM_POLY1305_BLOCK_BYTES);
    return bytes % JM_POLY1305_BLOCK_BYTES;
}

#include "poly1305/poly1305_variant.h"

JM_POLY1305_VARIANT(avx2, JM_CPU_AVX2 | JM_CPU_BMI2, true,
                    "26-bit limbs with VPMULUDQ, four blocks side by side.");
#else
typedef int jm_poly1305_avx2_needs_x86_64;
#endif
