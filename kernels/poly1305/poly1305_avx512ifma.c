/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5), eight blocks side by side in 512-bit registers.
 * Technique: limbs of 44 bits and VPMADD52. Block i of each group of eight has a lane to itself. A
 * lane is multiplied by r^8 for each group that follows, and in the end by its own power of r, r^8
 * for block 0 down to r for block 7; the sum of all lanes is the value. Two groups share one carry:
 * h = h r^16 + m r^8 + m'. The first group is filled up with zero blocks in front, which do not
 * change the sum. `bmi2` tags short messages.
 * State layout: as in poly1305_scalar.h. CPU features: AVX-512 and IFMA. Constant time: no branch
 * or address depends on anything but lengths; its source is checked by
 * tests/native/constant_time_instructions.c.
 * Functions have an outer and an inner half (common/secret.h). Best for: messages from 240 bytes
 * on. */
#include "poly1305/poly1305.h"

#if defined(__x86_64__)
#include "poly1305/poly1305_limbs.h"

#include <immintrin.h>

/* In messages shorter than this the powers of r cost more time than the lanes save. */
#define JM_POLY1305_SCALAR_BYTES 240u
enum { LANES = 8, GROUP_BYTES = LANES * JM_POLY1305_BLOCK_BYTES };

/* For registers that are saved or spilled. */
enum { STACK_BYTES = 320, UPDATE_STACK_BYTES = 512 };

typedef struct {
    __m512i l0, l1, l2;
} lanes;

typedef struct {
    __m512i l0, l1, l2, l1_20, l2_20;
} factor;

/* Sums of products by weight: of their 52 lower bits, and of their bits from 2^52 on. */
typedef struct {
    __m512i low0, low1, low2, high0, high1, high2;
} products;

#define EACH(number) _mm512_set1_epi64((long long)(number))
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS __m512i times_20(__m512i a) {
    return _mm512_slli_epi64(_mm512_add_epi64(a, _mm512_slli_epi64(a, 2)), 2);
}

ALWAYS factor factor_of(lanes a) {
    return (factor){a.l0, a.l1, a.l2, times_20(a.l1), times_20(a.l2)};
}

ALWAYS factor power(jm_poly1305_limbs r) {
    return (factor){EACH(r.l0), EACH(r.l1), EACH(r.l2), EACH(20 * r.l1), EACH(20 * r.l2)};
}

/* Limbs of `a` are below 2^46, those of `b` are carried and at most 20 times as large: a product is
 * below 2^95, and a sum of six products is below 2^55 in `low` and 2^46 in `high`. */
ALWAYS void multiply_add(products *d, lanes a, const factor *b) {
    d->low0 = _mm512_madd52lo_epu64(d->low0, a.l0, b->l0);
    d->high0 = _mm512_madd52hi_epu64(d->high0, a.l0, b->l0);
    d->low1 = _mm512_madd52lo_epu64(d->low1, a.l0, b->l1);
    d->high1 = _mm512_madd52hi_epu64(d->high1, a.l0, b->l1);
    d->low2 = _mm512_madd52lo_epu64(d->low2, a.l0, b->l2);
    d->high2 = _mm512_madd52hi_epu64(d->high2, a.l0, b->l2);
    d->low0 = _mm512_madd52lo_epu64(d->low0, a.l1, b->l2_20);
    d->high0 = _mm512_madd52hi_epu64(d->high0, a.l1, b->l2_20);
    d->low1 = _mm512_madd52lo_epu64(d->low1, a.l1, b->l0);
    d->high1 = _mm512_madd52hi_epu64(d->high1, a.l1, b->l0);
    d->low2 = _mm512_madd52lo_epu64(d->low2, a.l1, b->l1);
    d->high2 = _mm512_madd52hi_epu64(d->high2, a.l1, b->l1);
    d->low0 = _mm512_madd52lo_epu64(d->low0, a.l2, b->l1_20);
    d->high0 = _mm512_madd52hi_epu64(d->high0, a.l2, b->l1_20);
    d->low1 = _mm512_madd52lo_epu64(d->low1, a.l2, b->l2_20);
    d->high1 = _mm512_madd52hi_epu64(d->high1, a.l2, b->l2_20);
    d->low2 = _mm512_madd52lo_epu64(d->low2, a.l2, b->l0);
    d->high2 = _mm512_madd52hi_epu64(d->high2, a.l2, b->l0);
}

ALWAYS products none(void) {
    const __m512i zero = _mm512_setzero_si512();
    return (products){zero, zero, zero, zero, zero, zero};
}

/* Adds the upper parts to the limbs of their weight: 2^52 = 2^8 2^44, and above limb 2, 2^140 = 5
 * 2^10. */
ALWAYS lanes collect(products d) {
    const __m512i high2 = _mm512_slli_epi64(d.high2, 10); /* 5 * high2 is below 2^58 */
    return (lanes){
        _mm512_add_epi64(_mm512_add_epi64(d.low0, high2), _mm512_slli_epi64(high2, 2)),
        _mm512_add_epi64(d.low1, _mm512_slli_epi64(d.high0, 8)),
        _mm512_add_epi64(d.low2, _mm512_slli_epi64(d.high1, 8)),
    };
}

/* Carries from all limbs to the next at once: limbs below 2^58 exceed their width by less than 2^19
 * afterwards. */
ALWAYS lanes carry(lanes a) {
    const __m512i mask44 = EACH(JM_POLY1305_MASK44), mask42 = EACH(JM_POLY1305_MASK42);
    const __m512i over0 = _mm512_srli_epi64(a.l0, 44), over1 = _mm512_srli_epi64(a.l1, 44);
    const __m512i over2 = _mm512_srli_epi64(a.l2, 42);
    const __m512i over2_5 = _mm512_add_epi64(over2, _mm512_slli_epi64(over2, 2));
    return (lanes){
        _mm512_add_epi64(_mm512_and_si512(a.l0, mask44), over2_5),
        _mm512_add_epi64(_mm512_and_si512(a.l1, mask44), over0),
        _mm512_add_epi64(_mm512_and_si512(a.l2, mask42), over1),
    };
}

ALWAYS lanes multiply(lanes a, const factor *b) {
    products d = none();
    multiply_add(&d, a, b);
    return carry(collect(d));
}

ALWAYS lanes add(lanes a, lanes b) {
    return (lanes){_mm512_add_epi64(a.l0, b.l0), _mm512_add_epi64(a.l1, b.l1),
                   _mm512_add_epi64(a.l2, b.l2)};
}

/* Blocks as limbs; `top` is added to limb 2. Unpacking leaves blocks 0, 4, 1, 5, 2, 6, 3 and 7 in
 * lanes 0 to 7. */
ALWAYS lanes split(__m512i blocks0to3, __m512i blocks4to7, __m512i top) {
    const __m512i low = _mm512_unpacklo_epi64(blocks0to3, blocks4to7);
    const __m512i high = _mm512_unpackhi_epi64(blocks0to3, blocks4to7);
    const __m512i mask44 = EACH(JM_POLY1305_MASK44);
    return (lanes){
        _mm512_and_si512(low, mask44),
        _mm512_ternarylogic_epi64(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20), mask44,
                                  0xa8), /* (a | b) & c */
        _mm512_or_si512(_mm512_srli_epi64(high, 24), top),
    };
}

#define TOP EACH(UINT64_C(1) << 40) /* 2^128 */

ALWAYS lanes load(const uint8_t *in) {
    return split(_mm512_loadu_si512(in), _mm512_loadu_si512(in + 64), TOP);
}

/* The group whose first `absent` blocks (0 to 7) are zero and are not read from memory; `h` is
 * added to the first block at `in`. */
ALWAYS lanes load_first(const uint8_t *in, size_t absent, const jm_poly1305_sum *h) {
    const uint32_t words = UINT32_C(0xffff) << 2 * absent; /* bit i: 64-bit word i is read */
    const uint8_t *const from = (const uint8_t *)((uintptr_t)in - JM_POLY1305_BLOCK_BYTES * absent);
    const __m512i top = _mm512_unpackhi_epi64(_mm512_maskz_mov_epi64((__mmask8)words, TOP),
                                              _mm512_maskz_mov_epi64((__mmask8)(words >> 8), TOP));
    lanes a = split(_mm512_maskz_loadu_epi64((__mmask8)words, from),
                    _mm512_maskz_loadu_epi64((__mmask8)(words >> 8), from + 64), top);
    const __mmask8 lane = (__mmask8)(1u << (absent < 4 ? 2 * absent : 2 * absent - 7));
    const jm_poly1305_limbs more = jm_poly1305_split(h->h0, h->h1, h->h2);
    a.l0 = _mm512_mask_add_epi64(a.l0, lane, a.l0, EACH(more.l0));
    a.l1 = _mm512_mask_add_epi64(a.l1, lane, a.l1, EACH(more.l1));
    a.l2 = _mm512_mask_add_epi64(a.l2, lane, a.l2, EACH(more.l2));
    return a;
}

/* The group whose last block has `rest` bytes (1 to 15) and a 1 after them. */
ALWAYS lanes load_last(const uint8_t *in, size_t rest) {
    const __mmask64 bytes = (UINT64_C(1) << (48 + rest)) - 1;
    const __m512i last = _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(bytes, in + 64), bytes + 1,
                                              _mm512_set1_epi8(1));
    return split(_mm512_loadu_si512(in), last, _mm512_maskz_mov_epi64(0x7f, TOP));
}

/* Factors r^8 for block 0 down to r for block 7, in the order of `split`. */
ALWAYS factor powers_by_lane(jm_poly1305_limbs r, jm_poly1305_limbs r2, jm_poly1305_limbs r4) {
#define PICK(mask, no, yes) _mm512_mask_blend_epi64(mask, no, yes)
    const __m512i zero = _mm512_setzero_si512(), one = EACH(1);
    lanes a = {PICK(0x33, EACH(r.l0), EACH(r2.l0)), PICK(0x33, EACH(r.l1), EACH(r2.l1)),
               PICK(0x33, EACH(r.l2), EACH(r2.l2))};
    factor by = factor_of((lanes){PICK(0x0f, one, EACH(r2.l0)), PICK(0x0f, zero, EACH(r2.l1)),
                                  PICK(0x0f, zero, EACH(r2.l2))});
    a = multiply(a, &by);
    by = factor_of((lanes){PICK(0x55, one, EACH(r4.l0)), PICK(0x55, zero, EACH(r4.l1)),
                           PICK(0x55, zero, EACH(r4.l2))});
    return factor_of(multiply(a, &by));
#undef PICK
}

ALWAYS uint64_t sum_of_lanes(__m512i a) {
    return (uint64_t)_mm512_reduce_add_epi64(a);
}

/* Absorbs `whole` blocks, at least 8, and `rest` bytes (0 to 15). */
ALWAYS void absorb_wide(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                        size_t whole, size_t rest) {
    const size_t blocks = whole + (rest != 0), absent = (0 - blocks) % LANES;
    size_t groups = (blocks + absent) / LANES - 1;
    const jm_poly1305_limbs r = jm_poly1305_split(key->r0, key->r1, 0);
    const jm_poly1305_limbs r2 = jm_poly1305_square(r), r4 = jm_poly1305_square(r2);
    const jm_poly1305_limbs r8 = jm_poly1305_square(r4);
    const factor by8 = power(r8);
    const factor by_lane = powers_by_lane(r, r2, r4);
    lanes a = load_first(in, absent, h);
    in += GROUP_BYTES - JM_POLY1305_BLOCK_BYTES * absent;
    if (groups > 1) {
        const factor by16 = power(jm_poly1305_square(r8));
        for (; groups > (rest ? 2 : 1); groups -= 2, in += 2 * GROUP_BYTES) {
            products d = none();
            multiply_add(&d, load(in), &by8);
            multiply_add(&d, a, &by16);
            a = add(carry(collect(d)), load(in + GROUP_BYTES));
        }
    }
    for (; groups; groups--, in += GROUP_BYTES)
        a = add(multiply(a, &by8), rest && groups == 1 ? load_last(in, rest) : load(in));
    products d = none();
    multiply_add(&d, a, &by_lane);
    a = collect(d); /* below 2^60 */
    *h = jm_poly1305_join(sum_of_lanes(a.l0), sum_of_lanes(a.l1), sum_of_lanes(a.l2));
}

static inline void absorb_blocks(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                                 size_t blocks) {
    if (blocks < JM_POLY1305_SCALAR_BYTES / JM_POLY1305_BLOCK_BYTES)
        jm_poly1305_absorb_blocks(h, key, in, blocks);
    else
        absorb_wide(h, key, in, blocks, 0);
}

static inline size_t absorb_most(jm_poly1305_sum *h, const jm_poly1305_key *key, const uint8_t *in,
                                 size_t bytes) {
    absorb_wide(h, key, in, bytes / JM_POLY1305_BLOCK_BYTES, bytes % JM_POLY1305_BLOCK_BYTES);
    return 0;
}

#include "poly1305/poly1305_variant.h"

JM_POLY1305_VARIANT(avx512ifma, JM_CPU_AVX512 | JM_CPU_IFMA | JM_CPU_BMI2, true,
                    "44-bit limbs with VPMADD52, eight blocks side by side.");
#else
typedef int jm_poly1305_avx512ifma_needs_x86_64;
#endif
