/* SPDX-License-Identifier: Apache-2.0
 * Measures how much of the core this thread gets. A core does several additions at once if they do
 * not wait for one another; eight sums side by side ask for more than any core known to us gives.
 * While the other hardware thread of the core works, this thread gets half to nine tenths as many,
 * but a chain of dependent additions (core_chain.c) takes as long as before. The two measurements
 * together thus tell a core that is shared from a core whose clock is slow. Seen on Zen 5: 3.95
 * additions a cycle alone, 2.1 to 3.7 beside another thread. */
#include "arith.h"
#include "clock/clock.h"

#define ADDS_PER_PASS 64u
#define SHORT_ADDS 512u
_Static_assert(SHORT_ADDS % ADDS_PER_PASS == 0, "sums are made of whole passes");

uint64_t jm_core_width_adds(void) {
    return 4 * jm_core_chain_adds();
}

#if defined(__x86_64__) || defined(__aarch64__)

/* Ticks of one run, fences included. */
static uint64_t ticks_of(uint64_t adds) {
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    const uint64_t step = 3;
    const uint64_t start = jm_tsc_start();
    for (uint64_t pass = 0; pass < adds / ADDS_PER_PASS; pass++) {
#if defined(__x86_64__)
        __asm__ volatile(".rept 8\n\t"
                         "add %8, %0\n\tadd %8, %1\n\tadd %8, %2\n\tadd %8, %3\n\t"
                         "add %8, %4\n\tadd %8, %5\n\tadd %8, %6\n\tadd %8, %7\n\t"
                         ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)
                         : "r"(step)
                         : "cc");
#else
        __asm__ volatile(".rept 8\n\t"
                         "add %0, %0, %8\n\tadd %1, %1, %8\n\tadd %2, %2, %8\n\tadd %3, %3, %8\n\t"
                         "add %4, %4, %8\n\tadd %5, %5, %8\n\tadd %6, %6, %8\n\tadd %7, %7, %8\n\t"
                         ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)
                         : "r"(step));
#endif
    }
    return jm_tsc_end() - start;
}

uint64_t jm_core_width_ticks(void) {
    const uint64_t with_fences = ticks_of(SHORT_ADDS);
    return jm_counter_delta(with_fences, ticks_of(SHORT_ADDS + jm_core_width_adds()));
}

#else

uint64_t jm_core_width_ticks(void) {
    return JM_NO_COUNTER;
}

#endif
