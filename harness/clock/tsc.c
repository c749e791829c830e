/* SPDX-License-Identifier: Apache-2.0
 * x86-64: fencing after Intel SDM vol. 2B, RDTSC and RDTSCP: LFENCE keeps later instructions from
 * starting before the read; RDTSCP waits for earlier ones to finish.
 * AArch64: CNTVCT_EL0 may be read early, but not before an ISB that precedes it (Arm ARM, "The
 * AArch64 view of the Generic Timer"), which also waits for the instructions before; DSB waits for
 * their memory accesses. Linux lets user mode read the counter and its rate. */
#include "clock/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdbool.h>

/* CPUs before 2008 have no RDTSCP, and guests do not whose hypervisor gives them a plain CPU. */
static bool has_rdtscp;

__attribute__((constructor)) static void find_rdtscp(void) {
    unsigned a, b, c, d;
    has_rdtscp = __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1u << 27) != 0;
}

uint64_t jm_tsc_start(void) {
    uint32_t low, high;
    __asm__ volatile("mfence\n\tlfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return ((uint64_t)high << 32) | low;
}

uint64_t jm_tsc_end(void) {
    uint32_t low, high;
    if (!has_rdtscp) {
        __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
        return ((uint64_t)high << 32) | low;
    }
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return ((uint64_t)high << 32) | low;
}

uint64_t jm_tsc_told_hz(void) {
    return 0;
}

#elif defined(__aarch64__)

uint64_t jm_tsc_start(void) {
    uint64_t ticks;
    __asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

uint64_t jm_tsc_end(void) {
    uint64_t ticks;
    __asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

uint64_t jm_tsc_told_hz(void) {
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz & UINT32_MAX; /* the upper half is reserved */
}

#else

uint64_t jm_tsc_start(void) {
    return JM_NO_COUNTER;
}
uint64_t jm_tsc_end(void) {
    return JM_NO_COUNTER;
}
uint64_t jm_tsc_told_hz(void) {
    return 0;
}

#endif
