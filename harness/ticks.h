/* SPDX-License-Identifier: Apache-2.0
 * The common clock of threads that run at once: TSC ticks, or ns where there is no TSC. Private to
 * harness/. */
#ifndef JM_TICKS_H
#define JM_TICKS_H

#include "clock/clock.h"

/* The clock now, read after all instructions before it have ended. */
static inline uint64_t jm_ticks(void) {
    const uint64_t ticks = jm_tsc_end();
    return ticks == JM_NO_COUNTER ? jm_monotonic_ns() : ticks;
}

/* Ticks of a nanosecond, by two readings of both clocks, 2 ms apart. */
static inline double jm_ticks_per_ns(void) {
    const uint64_t apart_ns = UINT64_C(2000000), ns = jm_monotonic_ns(), ticks = jm_ticks();
    uint64_t later_ns = ns;
    while (later_ns - ns < apart_ns) later_ns = jm_monotonic_ns();
    return (double)(jm_ticks() - ticks) / (double)(later_ns - ns);
}

/* Ticks between two readings with nothing between them: the least of a thousand pairs. */
static inline uint64_t jm_clock_pair_ticks(void) {
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 1000; i++) {
        const uint64_t start = jm_ticks(), took = jm_ticks() - start;
        if (took < least) least = took;
    }
    return least;
}

#endif
