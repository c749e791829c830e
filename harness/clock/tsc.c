/* SPDX-License-Identifier: Apache-2.0
 * Fencing after Intel SDM vol. 2B, RDTSC and RDTSCP: LFENCE keeps later instructions from
 * starting before the read; RDTSCP waits for earlier ones to finish. */
#include "clock/clock.h"

#if defined(__x86_64__)

uint64_t jm_tsc_start(void) {
    uint32_t low, high;
    __asm__ volatile("mfence\n\tlfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return ((uint64_t)high << 32) | low;
}

uint64_t jm_tsc_end(void) {
    uint32_t low, high;
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return ((uint64_t)high << 32) | low;
}

#else

uint64_t jm_tsc_start(void) {
    return JM_NO_COUNTER;
}
uint64_t jm_tsc_end(void) {
    return JM_NO_COUNTER;
}

#endif
