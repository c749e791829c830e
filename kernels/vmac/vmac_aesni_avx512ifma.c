/* SPDX-License-Identifier: Apache-2.0
 *
 * VMAC over AES-128 (draft-krovetz-vmac-01) with VPMADD52 for NH, MULX for the rest, and AES-NI.
 * Technique: a block's eight products are made in eight lanes, from limbs of 52 and 12 bits. The
 * lanes of eight blocks are summed together, so that a register holds one sum of each block. The
 * steps of the polynomials, which wait for each other, are computed beside the products of the next
 * eight blocks.
 * State layout: as in vmac_aesni_bmi2.c. CPU features: AVX-512, IFMA, BMI2, AES-NI, SSE4.1.
 * Constant time: no branch or address depends on anything but lengths; its source is checked by
 * tests/native/constant_time_instructions.c. Best for: messages from 2 KiB on, or 1 KiB with tags
 * of 128 bits; shorter messages are tagged as in vmac_aesni_bmi2.c. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "common/secret.h"
#include "vmac/vmac_hash.h"

#define VMAC_GROUP 8u
#define VMAC_LEAST_GROUPS(words) ((words) == 1 ? 2u : 1u) /* for fewer groups MULX is as fast */

/* Products of a block by weight, 2^0, 2^52 and 2^104: each a sum of 52-bit parts. */
typedef struct {
    __m512i at0, at52, at104;
} vmac_lanes;

/* NH of a block in two halves, a product in each lane: words and key are in the order in which
 * unpacking leaves them. A product of limbs of 52 and 12 bits has parts at bits 0, 52 and 104. */
JM_INLINE vmac_lanes vmac_products(__m512i low, __m512i high, __m512i even_key, __m512i odd_key) {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i even = _mm512_unpacklo_epi64(low, high);
    const __m512i odd = _mm512_unpackhi_epi64(low, high);
    const __m512i a = _mm512_add_epi64(even, even_key), b = _mm512_add_epi64(odd, odd_key);
    const __m512i a1 = _mm512_srli_epi64(a, 52), b1 = _mm512_srli_epi64(b, 52);
    vmac_lanes to = {_mm512_madd52lo_epu64(zero, a, b), _mm512_madd52hi_epu64(zero, a, b),
                     _mm512_madd52hi_epu64(zero, a, b1)};
    to.at52 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(to.at52, a, b1), a1, b);
    to.at104 = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(to.at104, a1, b), a1, b1);
    return to;
}

JM_INLINE __m512i vmac_pairs(__m512i a, __m512i b) {
    return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

JM_INLINE __m512i vmac_quarters(__m512i a, __m512i b) {
    return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
}

/* Lane i of the result is the sum of all lanes of register i; `pairs` holds sums of two lanes of
 * two registers each. */
JM_INLINE __m512i vmac_sums(const __m512i pairs[4]) {
    return vmac_quarters(vmac_quarters(pairs[0], pairs[1]), vmac_quarters(pairs[2], pairs[3]));
}

/* The lanes of eight blocks by weight, summed two by two. */
typedef struct {
    __m512i at0[VMAC_GROUP / 2], at52[VMAC_GROUP / 2], at104[VMAC_GROUP / 2];
} vmac_group_lanes;

/* NH of eight blocks, modulo 2^126: lower words and upper words. */
typedef struct {
    uint64_t low[VMAC_GROUP], high[VMAC_GROUP];
} vmac_group_sums;

JM_INLINE void vmac_sum_group(vmac_group_sums *to, const vmac_group_lanes *lanes) {
    const __m512i part0 = vmac_sums(lanes->at0), part52 = vmac_sums(lanes->at52); /* < 2^57 */
    const __m512i low = _mm512_add_epi64(part0, _mm512_slli_epi64(part52, 52));
    __m512i high = _mm512_add_epi64(_mm512_srli_epi64(part52, 12),
                                    _mm512_slli_epi64(vmac_sums(lanes->at104), 40));
    high = _mm512_mask_add_epi64(high, _mm512_cmplt_epu64_mask(low, part0), high,
                                 _mm512_set1_epi64(1));
    _mm512_storeu_si512(to->low, low);
    _mm512_storeu_si512(to->high,
                        _mm512_and_si512(high, _mm512_set1_epi64((long long)VMAC_MASK_62)));
}

typedef struct {
    __m512i even[VMAC_WORDS], odd[VMAC_WORDS];
} vmac_lane_keys;

/* The products of blocks 2 i and 2 i + 1. */
JM_INLINE void vmac_multiply_pair(vmac_group_lanes *lanes, const vmac_lane_keys *key, size_t words,
                                  const uint8_t *in, size_t i) {
    in += 2 * JM_VMAC_BLOCK_BYTES * i;
    const __m512i low0 = _mm512_loadu_si512(in), high0 = _mm512_loadu_si512(in + 64);
    const __m512i low1 = _mm512_loadu_si512(in + 128), high1 = _mm512_loadu_si512(in + 192);
    for (size_t w = 0; w < words; w++) {
        const vmac_lanes first = vmac_products(low0, high0, key->even[w], key->odd[w]);
        const vmac_lanes second = vmac_products(low1, high1, key->even[w], key->odd[w]);
        lanes[w].at0[i] = vmac_pairs(first.at0, second.at0);
        lanes[w].at52[i] = vmac_pairs(first.at52, second.at52);
        lanes[w].at104[i] = vmac_pairs(first.at104, second.at104);
    }
}

/* The steps of the polynomials for blocks 2 i and 2 i + 1. */
JM_INLINE void vmac_step_pair(vmac_residue *y, const vmac_word_key *keys, size_t words, bool begun,
                              const vmac_group_sums *sums, size_t i) {
    for (size_t w = 0; w < words; w++)
        y[w] =
            vmac_next(y[w], keys + w, begun, jm_wide_of(sums[w].low[2 * i], sums[w].high[2 * i]));
    for (size_t w = 0; w < words; w++)
        y[w] =
            vmac_step(y[w], keys + w, jm_wide_of(sums[w].low[2 * i + 1], sums[w].high[2 * i + 1]));
}

/* Products of two blocks alternate with two steps of the polynomials over the eight blocks before:
 * consecutive steps wait for each other, and would fill the CPU's queue of integer operations. */
JM_INLINE void vmac_groups(vmac_residue *y, const vmac_word_key *keys, const uint64_t *nh,
                           size_t words, bool begun, const uint8_t *in, size_t groups) {
    vmac_group_sums sums[VMAC_WORDS];
    vmac_group_lanes lanes[VMAC_WORDS];
    vmac_lane_keys key;
    for (size_t w = 0; w < words; w++) {
        const __m512i low = _mm512_loadu_si512(nh + 2 * w);
        const __m512i high = _mm512_loadu_si512(nh + 2 * w + 8);
        key.even[w] = _mm512_unpacklo_epi64(low, high);
        key.odd[w] = _mm512_unpackhi_epi64(low, high);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < VMAC_GROUP / 2; i++) vmac_multiply_pair(lanes, &key, words, in, i);
    for (size_t w = 0; w < words; w++) vmac_sum_group(sums + w, lanes + w);
    while (--groups) {
        in += VMAC_GROUP * JM_VMAC_BLOCK_BYTES;
#pragma GCC unroll 4
        for (size_t i = 0; i < VMAC_GROUP / 2; i++) {
            vmac_multiply_pair(lanes, &key, words, in, i);
            vmac_step_pair(y, keys, words, begun || i, sums, i);
        }
        for (size_t w = 0; w < words; w++) vmac_sum_group(sums + w, lanes + w);
        begun = true;
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < VMAC_GROUP / 2; i++) vmac_step_pair(y, keys, words, begun || i, sums, i);
}

/* More lanes than registers take stack. These functions are separate inner halves
 * (common/secret.h), which overwrite that stack, so that short messages need not. */
enum { GROUP_STACK_BYTES = 3776 };

JM_APART jm_status vmac_groups_64(vmac_residue *y, const vmac_word_key *keys, const uint64_t *nh,
                                  bool begun, const uint8_t *in, size_t groups) {
    vmac_groups(y, keys, nh, 1, begun, in, groups);
    return JM_OK;
}

JM_APART jm_status vmac_groups_128(vmac_residue *y, const vmac_word_key *keys, const uint64_t *nh,
                                   bool begun, const uint8_t *in, size_t groups) {
    vmac_groups(y, keys, nh, 2, begun, in, groups);
    return JM_OK;
}

JM_INLINE void vmac_absorb_groups(vmac_residue *y, const vmac_word_key *keys, const uint64_t *nh,
                                  size_t words, bool begun, const uint8_t *in, size_t groups) {
    const jm_status status = words == 1 ? vmac_groups_64(y, keys, nh, begun, in, groups)
                                        : vmac_groups_128(y, keys, nh, begun, in, groups);
    (void)JM_FORGET(status, GROUP_STACK_BYTES);
}

#include "vmac/vmac_mac.h"

JM_VMACS(aesni_avx512ifma, JM_CPU_AESNI | JM_CPU_SSE41 | JM_CPU_BMI2 | JM_CPU_AVX512 | JM_CPU_IFMA,
         true, VMAC_AESNI_STACK_BYTES,
         "64-bit products with VPMADD52 and MULX, AES instructions for the pad.")
#else
typedef int jm_vmac_aesni_avx512ifma_needs_x86_64;
#endif
