/* SPDX-License-Identifier: Apache-2.0
 * A clock made of arithmetic: each addition needs the one before, so N of them take N core cycles
 * whatever the frequency is at that moment. Both operands are registers, since some cores
 * (Golden Cove and later) do additions of small constants at no cost while renaming.
 *
 * The fences round a reading of the TSC take about 50 ticks, 0.9 % of a chain of 8192 additions. A
 * short chain has the same fences, so that its difference to the long chain has none. */
#include "arith.h"
#include "clock/clock.h"

#define ADDS_PER_PASS 64u
#define SHORT_ADDS 512u
_Static_assert(JM_CHAIN_ADDS % ADDS_PER_PASS == 0 && SHORT_ADDS % ADDS_PER_PASS == 0,
               "chains are made of whole passes");

static inline uint64_t add_chain(uint64_t sum, uint64_t step, unsigned adds) {
    for (unsigned pass = 0; pass < adds / ADDS_PER_PASS; pass++) {
#if defined(__x86_64__)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#elif defined(__aarch64__)
        __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#endif
    }
    return sum;
}

/* Ticks of the fastest run, fences included; JM_NO_COUNTER without a TSC. */
static uint64_t fastest_ticks(unsigned adds, unsigned repeats) {
    uint64_t fastest = JM_NO_COUNTER, sum = 1;
    for (unsigned i = 0; i < repeats; i++) {
        const uint64_t start = jm_tsc_start();
        if (start == JM_NO_COUNTER) return JM_NO_COUNTER;
        sum = add_chain(sum, 3, adds);
        const uint64_t ticks = jm_tsc_end() - start;
        if (ticks < fastest) fastest = ticks;
    }
    return fastest;
}

uint64_t jm_core_chain_ticks(unsigned repeats) {
    const uint64_t with_fences = fastest_ticks(SHORT_ADDS, repeats);
    return jm_counter_delta(with_fences, fastest_ticks(SHORT_ADDS + JM_CHAIN_ADDS, repeats));
}
