/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters that a sample reads, each in a separate file. All are cumulative and count the
 * calling thread unless stated otherwise. A counter that this machine lacks reads JM_NO_COUNTER: a
 * missing counter never reads zero.
 */
#ifndef JM_CLOCK_H
#define JM_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JM_NO_COUNTER UINT64_MAX

/* monotonic.c - CLOCK_MONOTONIC in ns. */
uint64_t jm_monotonic_ns(void);

/* thread_cpu.c - CPU time of this thread in ns. */
uint64_t jm_thread_cpu_ns(void);

/* tsc.c - time stamp counter: constant-rate ticks, not core cycles. On x86-64 it is the TSC, of
 * 1 to 5 GHz; on AArch64 the virtual counter of the generic timer, of 1 MHz to 1 GHz, often 24 MHz;
 * elsewhere JM_NO_COUNTER. No later instruction begins before the read of `start`; all earlier
 * instructions have finished before the read of `end`. */
uint64_t jm_tsc_start(void);
uint64_t jm_tsc_end(void);

/* tsc.c - ticks in a second, as the counter's own register has them; 0 where it has none, as on
 * x86-64. */
uint64_t jm_tsc_told_hz(void);

/* context_switches.c */
typedef struct jm_context_switches {
    uint64_t voluntary;
    uint64_t involuntary;
} jm_context_switches;
jm_context_switches jm_read_context_switches(void);

/* run_queue.c - ns this thread was ready while another ran on its CPU; JM_NO_COUNTER where the
 * kernel keeps no scheduler statistics. */
uint64_t jm_run_queue_wait_ns(void);

/* machine_cpu.c - time in ns that all CPUs together were busy, and that the hypervisor took from
 * them. The kernel counts both in scheduler ticks. Both are JM_NO_COUNTER without /proc/stat. */
typedef struct jm_machine_cpu {
    uint64_t busy_ns;
    uint64_t steal_ns;
} jm_machine_cpu;
jm_machine_cpu jm_read_machine_cpu(void);

/* cores_cpu.c - the same for `count` different cores together. Both are JM_NO_COUNTER where the
 * kernel does not report one of these cores. */
jm_machine_cpu jm_read_cores_cpu(const int *cores, size_t count);

/* perf_cycles.c - core cycles in user mode of this thread. `open` returns NULL, or the reason why
 * it failed. The event may share its hardware counter with other events, so a reading also has the
 * time for which the event was enabled and the time for which it ran; arith.h scales the difference
 * of two readings. */
typedef struct jm_perf_reading {
    uint64_t count; /* JM_NO_COUNTER where the event cannot be read */
    uint64_t enabled_ns;
    uint64_t running_ns;
} jm_perf_reading;
const char *jm_perf_cycles_open(void);
jm_perf_reading jm_perf_cycles(void);

/* core_chain.c - time stamp ticks of jm_core_chain_adds() dependent register additions, one core
 * cycle each on every x86-64 and AArch64 core known to us; JM_NO_COUNTER on other architectures. A
 * short and a long chain are run `repeats` (at least 1) times each, and the fastest run of either
 * is taken, since no interrupt fell into it. The difference holds the additions and no cost of the
 * fences. The number of additions is the same in the whole process: 8192 (3 us), or as many more as
 * a slow counter needs to tick a thousand times (57 us of a core of 3 GHz at 24 MHz). */
uint64_t jm_core_chain_adds(void);
uint64_t jm_core_chain_ticks(unsigned repeats);

/* core_width.c - time stamp ticks of jm_core_width_adds() additions, four times those of a chain,
 * in eight sums side by side, as many at once as the core gives this thread; JM_NO_COUNTER where
 * jm_core_chain_ticks is. Run once only, so that the ticks show whatever slows the additions. */
uint64_t jm_core_width_adds(void);
uint64_t jm_core_width_ticks(void);

/* pause.c - keeps this core awake for `duration_ns` (0 allowed) and does no work: energy is
 * compared with this active idle. */
void jm_pause_for_ns(uint64_t duration_ns);

#ifdef __cplusplus
}
#endif

#endif
