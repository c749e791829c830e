/* SPDX-License-Identifier: Apache-2.0
 * A clock made of arithmetic: each addition needs the one before, so N of them take N core cycles
 * whatever the frequency is at that moment. Both operands are registers, since some cores
 * (Golden Cove and later) do additions of small constants at no cost while renaming.
 *
 * The fences round a reading of the TSC take as many ticks as some ten to a hundred additions:
 * about 50 on AMD Zen 5, 0.9 % of a chain of 8192. A short chain has the same fences, so that its
 * difference to the long chain has none. */
#include "arith.h"
#include "clock/clock.h"

#define ADDS_PER_PASS 64u
#define SHORT_ADDS 512u
#define LEAST_ADDS 8192u
_Static_assert(LEAST_ADDS % ADDS_PER_PASS == 0 && SHORT_ADDS % ADDS_PER_PASS == 0,
               "chains are made of whole passes");

/* A reading is off by up to a tick: 0.1 % of this many, also on a core of 4 GHz. */
enum { LEAST_TICKS = 1000 };
#define FASTEST_CORE_HZ UINT64_C(4000000000)

uint64_t jm_core_chain_adds(void) {
    const uint64_t hz = jm_tsc_told_hz();
    const uint64_t adds = hz ? FASTEST_CORE_HZ / hz * LEAST_TICKS : 0;
    return (adds > LEAST_ADDS ? adds : LEAST_ADDS) / ADDS_PER_PASS * ADDS_PER_PASS;
}

#if defined(__x86_64__) || defined(__aarch64__)

static inline uint64_t add_chain(uint64_t sum, uint64_t step, uint64_t adds) {
    for (uint64_t pass = 0; pass < adds / ADDS_PER_PASS; pass++) {
#if defined(__x86_64__)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#else
        __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#endif
    }
    return sum;
}

/* Ticks of the fastest run, fences included. */
static uint64_t fastest_ticks(uint64_t adds, unsigned repeats) {
    uint64_t fastest = JM_NO_COUNTER, sum = 1;
    for (unsigned i = 0; i < repeats; i++) {
        const uint64_t start = jm_tsc_start();
        sum = add_chain(sum, 3, adds);
        const uint64_t ticks = jm_tsc_end() - start;
        if (ticks < fastest) fastest = ticks;
    }
    return fastest;
}

uint64_t jm_core_chain_ticks(unsigned repeats) {
    const uint64_t with_fences = fastest_ticks(SHORT_ADDS, repeats);
    return jm_counter_delta(with_fences, fastest_ticks(SHORT_ADDS + jm_core_chain_adds(), repeats));
}

#else

uint64_t jm_core_chain_ticks(unsigned repeats) {
    (void)repeats;
    return JM_NO_COUNTER;
}

#endif
