/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512 (FIPS 180-4, section 6.4.2) with the rounds in general registers and the message schedule
 * in 128-bit registers with AVX-512VL. One message.
 *
 * Technique: the rounds, which depend on one another, take BMI2's RORX; beside them the schedule is
 *   extended two words at a time with VPRORQ and VPTERNLOGQ, sixteen words ahead, and passed in
 *   memory with the round constants added. Sixteen rounds per pass. State: words a to h in order.
 * CPU: AVX-512 F, BW, DQ, VL; BMI2.
 * Constant time: additions, rotations and logic only; no table is indexed by data. Valgrind (3.19)
 *   does not run these instructions: tests/native/constant_time_sha512.c checks this source with
 *   them emulated.
 * Best for: one message at a time on CPUs with AVX-512 and without SHA-512 instructions.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "sha512/sha512.h"

typedef struct {
    uint64_t a, b, c, d, e, f, g, h;
    uint64_t b_xor_c; /* a part of the majority, computed in the round before */
} working;

#if defined(__clang__)
enum { CLANG = true };
#else
enum { CLANG = false };
#endif

/* Hides x from the compiler, so that it does not regroup sums. */
JM_INLINE uint64_t pin(uint64_t x) {
    JM_PIN("r", x);
    return x;
}

/* Of some hundreds of ways to place sums and pins this was the fastest (GCC 12.2 and Clang 14 on an
 * AMD EPYC of family 26). The new e is summed beside t1 and not from it: two more additions, and a
 * shorter path from one round's e to the next round's. */
JM_INLINE void one_round(uint64_t a, uint64_t b, uint64_t *b_xor_c, uint64_t *d, uint64_t e,
                         uint64_t f, uint64_t g, uint64_t *h, uint64_t k_plus_w) {
    const uint64_t sum1 = rotr64(e, 18) ^ rotr64(e, 41) ^ rotr64(e, 14);
    const uint64_t early = pin(*h + k_plus_w);
    const uint64_t choice = (pin(f ^ g) & e) ^ g;
    const uint64_t t1 = pin(pin(early + choice) + sum1);
    const uint64_t d_early = CLANG ? pin(*d + early) : *d + early;
    *d = pin(pin(d_early + choice) + sum1);
    a = pin(a);
    const uint64_t a_xor_b = a ^ b, majority = (a_xor_b & *b_xor_c) ^ b;
    const uint64_t sum0 = rotr64(a, 28) ^ rotr64(a, 34) ^ rotr64(a, 39);
    *h = pin(pin(t1 + majority) + sum0);
    *b_xor_c = a_xor_b;
}

/* Words t + 16 and t + 17 of the schedule from words t + 2i and t + 2i + 1 in w_i (section 6.4.2,
 * step 1). */
JM_INLINE __m128i extend(__m128i w0, __m128i w1, __m128i w4, __m128i w5, __m128i w7) {
    const __m128i from1 = _mm_alignr_epi8(w1, w0, 8), from9 = _mm_alignr_epi8(w5, w4, 8);
    const __m128i sigma0 = _mm_ternarylogic_epi64(_mm_ror_epi64(from1, 1), _mm_ror_epi64(from1, 8),
                                                  _mm_srli_epi64(from1, 7), 0x96);
    const __m128i sigma1 = _mm_ternarylogic_epi64(_mm_ror_epi64(w7, 19), _mm_ror_epi64(w7, 61),
                                                  _mm_srli_epi64(w7, 6), 0x96);
    return _mm_add_epi64(_mm_add_epi64(_mm_add_epi64(w0, from9), sigma0), sigma1);
}

JM_INLINE void hand_over(uint64_t *k_plus_w, __m128i w, const uint64_t *k) {
    const __m128i constants = _mm_load_si128((const __m128i *)k);
    _mm_store_si128((__m128i *)k_plus_w, _mm_add_epi64(w, constants));
}

/* Rounds t + 2i and t + 2i + 1; x, w, k_plus_w, t and more are those of `rounds16`. */
#define MAKE_WORDS(i)                                                                              \
    w[i] = extend(w[i], w[((i) + 1) % 8], w[((i) + 4) % 8], w[((i) + 5) % 8], w[((i) + 7) % 8])
#define TWO_ROUNDS(i, A, B, C, D, E, F, G, H)                                                      \
    do {                                                                                           \
        if (more) MAKE_WORDS(i);                                                                   \
        one_round(x->A, x->B, &x->b_xor_c, &x->D, x->E, x->F, x->G, &x->H, k_plus_w[2 * (i)]);     \
        one_round(x->H, x->A, &x->b_xor_c, &x->C, x->D, x->E, x->F, &x->G, k_plus_w[2 * (i) + 1]); \
        if (more) hand_over(k_plus_w + 2 * (i), w[i], sha512_k + t + 16 + 2 * (i));                \
    } while (0)

/* Rounds t to t + 15. With `more`, other rounds follow, whose words are made. */
JM_INLINE void rounds16(working *x, __m128i w[8], uint64_t *k_plus_w, size_t t, bool more) {
    TWO_ROUNDS(0, a, b, c, d, e, f, g, h);
    TWO_ROUNDS(1, g, h, a, b, c, d, e, f);
    TWO_ROUNDS(2, e, f, g, h, a, b, c, d);
    TWO_ROUNDS(3, c, d, e, f, g, h, a, b);
    TWO_ROUNDS(4, a, b, c, d, e, f, g, h);
    TWO_ROUNDS(5, g, h, a, b, c, d, e, f);
    TWO_ROUNDS(6, e, f, g, h, a, b, c, d);
    TWO_ROUNDS(7, c, d, e, f, g, h, a, b);
}

static void init(void *chain) {
    memcpy(chain, sha512_initial, sizeof sha512_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint64_t *state = chain;
    _Alignas(16) uint64_t k_plus_w[16];
    const __m128i swap = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    for (; count; count--, blocks += SHA512_BLOCK_BYTES) {
        __m128i w[8];
        for (size_t i = 0; i < 8; i++) {
            w[i] = _mm_loadu_si128((const __m128i *)(blocks + 16 * i));
            w[i] = _mm_shuffle_epi8(w[i], swap);
            hand_over(k_plus_w + 2 * i, w[i], sha512_k + 2 * i);
        }
        working x = {state[SHA512_A], state[SHA512_B], state[SHA512_C],
                     state[SHA512_D], state[SHA512_E], state[SHA512_F],
                     state[SHA512_G], state[SHA512_H], state[SHA512_B] ^ state[SHA512_C]};
        for (size_t t = 0; t < 64; t += 16) rounds16(&x, w, k_plus_w, t, true);
        rounds16(&x, w, k_plus_w, 64, false);
        state[SHA512_A] += x.a, state[SHA512_B] += x.b;
        state[SHA512_C] += x.c, state[SHA512_D] += x.d;
        state[SHA512_E] += x.e, state[SHA512_F] += x.f;
        state[SHA512_G] += x.g, state[SHA512_H] += x.h;
    }
    jm_wipe(k_plus_w, sizeof k_plus_w);
}

static void output(const void *chain, uint8_t *digest) {
    const uint64_t *state = chain;
    for (size_t i = 0; i < 8; i++) store_be64(digest + 8 * i, state[i]);
}

JM_SHA512_VARIANT(avx512, JM_CPU_AVX512 | JM_CPU_BMI2, JM_TARGET_ANY, sizeof sha512_initial,
                  "rounds with BMI2, message schedule with AVX-512")

#endif
