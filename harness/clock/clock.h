/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters that a sample reads, one file each. All are cumulative and belong to the calling
 * thread unless said otherwise. A counter that does not exist here answers JM_NO_COUNTER: missing
 * is never zero.
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

/* tsc.c - time stamp counter: constant-rate ticks, not core cycles. `start` lets nothing that
 * follows begin before the read; `end` reads after everything before it has finished. */
uint64_t jm_tsc_start(void);
uint64_t jm_tsc_end(void);

/* context_switches.c */
typedef struct jm_context_switches {
    uint64_t voluntary;
    uint64_t involuntary;
} jm_context_switches;
jm_context_switches jm_read_context_switches(void);

/* run_queue.c - ns this thread was ready while another ran on its CPU; JM_NO_COUNTER where the
 * kernel keeps no scheduler statistics. */
uint64_t jm_run_queue_wait_ns(void);

/* machine_cpu.c - time all CPUs together were busy, and were taken by the hypervisor, in ns.
 * Counted by the kernel in scheduler ticks. Both JM_NO_COUNTER without /proc/stat. */
typedef struct jm_machine_cpu {
    uint64_t busy_ns;
    uint64_t steal_ns;
} jm_machine_cpu;
jm_machine_cpu jm_read_machine_cpu(void);

/* cores_cpu.c - the same of `count` cores, each named once. Both JM_NO_COUNTER where the kernel
 * tells nothing of one of them. */
jm_machine_cpu jm_read_cores_cpu(const int *cores, size_t count);

/* perf_cycles.c - core cycles in user mode of this thread. `open` returns NULL, or why not. The
 * event may share its hardware counter with others, so a reading carries for how long it was
 * enabled and for how long it ran; arith.h scales the difference of two readings. */
typedef struct jm_perf_reading {
    uint64_t count; /* JM_NO_COUNTER where there is no such event */
    uint64_t enabled_ns;
    uint64_t running_ns;
} jm_perf_reading;
const char *jm_perf_cycles_open(void);
jm_perf_reading jm_perf_cycles(void);

/* core_chain.c - TSC ticks of JM_CHAIN_ADDS dependent register additions, one core cycle each on
 * every x86-64 and AArch64 core known to us; JM_NO_COUNTER without a TSC. A short and a long chain
 * are run `repeats` (at least 1) times each; the fastest of either (the one no interrupt fell into)
 * is taken, and the difference of the two holds the additions and nothing of the fences. */
#define JM_CHAIN_ADDS 8192u
uint64_t jm_core_chain_ticks(unsigned repeats);

/* core_width.c - TSC ticks of JM_WIDTH_ADDS additions in eight sums side by side, as many at once
 * as the core gives this thread; JM_NO_COUNTER without a TSC. Taken once, so that what slows it
 * shows. */
#define JM_WIDTH_ADDS 32768u
uint64_t jm_core_width_ticks(void);

/* pause.c - keeps this core awake for `duration_ns` (0 allowed) and does no work: the active idle
 * that energy is compared with. */
void jm_pause_for_ns(uint64_t duration_ns);

#ifdef __cplusplus
}
#endif

#endif
