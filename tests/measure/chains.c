/* SPDX-License-Identifier: Apache-2.0
 * Chains of instructions that wait for one another: `adds` register additions, one core cycle each,
 * and as many rounds of AES, which take what this CPU takes (four core cycles on AMD Zen, three on
 * Intel since Ice Lake). Each function gives the TSC ticks of its fastest run, with the fences of
 * one pair of readings, of which a long chain hardly shows anything. */
#include "clock/clock.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PER_PASS 64u

static uint64_t add_ticks(uint64_t adds) {
    uint64_t sum = 1;
    const uint64_t step = 3, start = jm_tsc_start();
    for (uint64_t pass = 0; pass < adds / PER_PASS; pass++) {
#if defined(__x86_64__)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#elif defined(__aarch64__)
        __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#endif
    }
    return jm_tsc_end() - start;
}

#if defined(__x86_64__)
__attribute__((target("aes"))) static uint64_t aes_ticks(uint64_t rounds) {
    __m128i state = _mm_set1_epi8(1);
    const __m128i key = _mm_set1_epi8(3);
    const uint64_t start = jm_tsc_start();
    for (uint64_t pass = 0; pass < rounds / PER_PASS; pass++)
        __asm__ volatile(".rept 64\n\taesenc %1, %0\n\t.endr" : "+x"(state) : "x"(key));
    return jm_tsc_end() - start;
}
#endif

static uint64_t fastest(uint64_t (*ticks_of)(uint64_t), uint64_t steps, unsigned repeats) {
    uint64_t least = JM_NO_COUNTER;
    for (unsigned i = 0; i < repeats; i++) {
        const uint64_t ticks = ticks_of(steps);
        if (ticks < least) least = ticks;
    }
    return least;
}

uint64_t fastest_adds(uint64_t adds, unsigned repeats);
uint64_t fastest_adds(uint64_t adds, unsigned repeats) {
    return fastest(add_ticks, adds, repeats);
}

#if defined(__x86_64__)
uint64_t fastest_aes_rounds(uint64_t rounds, unsigned repeats);
uint64_t fastest_aes_rounds(uint64_t rounds, unsigned repeats) {
    return fastest(aes_ticks, rounds, repeats);
}
#endif
