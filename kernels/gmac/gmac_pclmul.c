/* SPDX-License-Identifier: Apache-2.0
 *
 * GMAC over AES (NIST SP 800-38D) with PCLMULQDQ and AES-NI.
 * Technique: eight blocks, each multiplied by its power of the key, share one reduction.
 * State layout: powers 9 to 1 of H x, the key schedule of AES-NI, the counter block of the nonce.
 * CPU features: PCLMUL, AES-NI, SSE4.1. Constant time: branches depend on lengths alone; checked by
 * tests/native/constant_time.c. Best for: CPUs without VPCLMULQDQ. */
#include "gmac/gmac.h"

#if defined(__x86_64__)
#include "common/words.h"
#include "gmac/gmac_blocks.h"

enum { GROUP = 8, POWERS = GROUP + 1, SCHEDULE_BYTES = JM_AES256_SCHEDULE_BYTES_aesni };
enum { STACK_BYTES = 512 };

typedef struct {
    __m128i at[POWERS]; /* at[i] is power POWERS - i */
} gmac_powers;

static inline void make_powers(gmac_powers *to, const uint8_t h[16]) {
    const __m128i first = gmac_first_power(h);
    to->at[POWERS - 1] = first;
    for (unsigned i = POWERS - 1; i; i--) to->at[i - 1] = gmac_multiply(to->at[i], first);
}

/* The last blocks, fewer than eight, have powers higher by one, since the block of the lengths
 * follows. Blocks that fill no group of eight come first, and the incomplete block last. */
static inline void ghash(const gmac_powers *powers, const uint8_t *in, size_t bytes,
                         uint64_t first_bits, uint64_t second_bits, uint8_t out[16]) {
    const __m128i zero = _mm_setzero_si128();
    __m128i a = zero;
    const size_t rest = bytes % JM_GMAC_BLOCK_BYTES;
    size_t blocks = bytes / JM_GMAC_BLOCK_BYTES;
    for (; blocks >= GROUP; blocks -= GROUP, in += GROUP * JM_GMAC_BLOCK_BYTES) {
        gmac_product d = {zero, zero, zero};
        for (unsigned i = 0; i < GROUP; i++) {
            __m128i block = gmac_reverse(_mm_loadu_si128((const __m128i *)in + i));
            if (i == 0) block = _mm_xor_si128(block, a);
            gmac_multiply_add(&d, block, powers->at[i + 1]);
        }
        a = gmac_reduce(d);
    }
    const __m128i *power = powers->at + (POWERS - 1 - blocks - (rest != 0));
    gmac_product d = {zero, zero, zero};
    for (; blocks; blocks--, in += JM_GMAC_BLOCK_BYTES) {
        const __m128i block = gmac_reverse(_mm_loadu_si128((const __m128i *)in));
        gmac_multiply_add(&d, _mm_xor_si128(block, a), *power++);
        a = zero;
    }
    if (rest) {
        uint64_t word[2];
        load_le128_partial(in, rest, 0, word);
        const __m128i block = _mm_set_epi64x((long long)word[1], (long long)word[0]);
        gmac_multiply_add(&d, _mm_xor_si128(gmac_reverse(block), a), *power++);
        a = zero;
    }
    const __m128i lengths = _mm_set_epi64x((long long)first_bits, (long long)second_bits);
    gmac_multiply_add(&d, _mm_xor_si128(lengths, a), *power);
    _mm_storeu_si128((__m128i *)out, gmac_reverse(gmac_reduce(d)));
}

static inline void absorb_blocks(const gmac_powers *powers, uint8_t sum[16], const uint8_t *in,
                                 size_t blocks) {
    gmac_absorb(powers->at + POWERS - 1, sum, in, blocks);
}

#include "gmac/gmac_variant.h"

#define NOTE "PCLMULQDQ and AES-NI, eight blocks to a reduction."
#define FEATURES (JM_CPU_PCLMUL | JM_CPU_AESNI | JM_CPU_SSE41)
JM_GMAC_VARIANT(pclmul, 128, jm_aes128_aesni, FEATURES, true, NOTE);
JM_GMAC_VARIANT(pclmul, 192, jm_aes192_aesni, FEATURES, true, NOTE);
JM_GMAC_VARIANT(pclmul, 256, jm_aes256_aesni, FEATURES, true, NOTE);
#else
typedef int jm_gmac_pclmul_needs_x86_64;
#endif
