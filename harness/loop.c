/* SPDX-License-Identifier: Apache-2.0
 * Calibration and sampling round the innermost loops of windows.c and batch.c. */
#include "loop.h"

#include "arith.h"
#include "cache_flush.h"
#include "clock/clock.h"
#include "loop_parts.h"

#define CHAIN_REPEATS 5u
/* Number of stretches of which calibration takes the fastest. */
#define STRETCHES 4u
/* Longest time that a scheduler with default settings lets a thread wait for its turn. */
#define LONGEST_WAIT_NS UINT64_C(100000000)

static unsigned run_units(jm_loop *loop, uint64_t units) {
    return loop->batch.size ? loop->run_batches(&loop->batch, units)
                            : loop->run(&loop->window, units);
}

/* Calls the loop in stretches of at most as many units as the scattered order has slots. */
static unsigned run_messages(jm_loop *loop, uint64_t messages) {
    uint64_t units = messages / loop->unit_messages;
    if (!loop->cold) return run_units(loop, units);
    unsigned status = 0;
    while (units) {
        const uint64_t stretch = units < loop->slots ? units : loop->slots;
        status |= run_units(loop, stretch);
        units -= stretch;
    }
    return status;
}

/* Time of the fastest of a few stretches of `messages` messages each. A stretch is not repeated if
 * it is over before `enough_ns` or lasts longer than any scheduler lets a thread wait. */
static jm_loop_status fastest_stretch_ns(jm_loop *loop, uint64_t messages, uint64_t enough_ns,
                                         uint64_t *fastest_ns) {
    *fastest_ns = UINT64_MAX;
    for (unsigned i = 0; i < STRETCHES; i++) {
        if (loop->cold) jm_flush(loop->arena, loop->arena_bytes);
        const uint64_t start = jm_monotonic_ns();
        const jm_loop_status status = jm_loop_status_of(run_messages(loop, messages));
        if (status != JM_LOOP_OK) return status;
        const uint64_t took = jm_monotonic_ns() - start;
        if (took < *fastest_ns) *fastest_ns = took;
        if (*fastest_ns < enough_ns || *fastest_ns > LONGEST_WAIT_NS) break;
    }
    return JM_LOOP_OK;
}

jm_loop_status jm_loop_calibrate(jm_loop *loop, uint64_t window_ns, jm_calibration *found) {
    const uint64_t quantum = jm_loop_quantum(loop);
    uint64_t tried = quantum, took;
    for (;;) {
        const jm_loop_status status = fastest_stretch_ns(loop, tried, window_ns / 4, &took);
        if (status != JM_LOOP_OK) return status;
        if (took >= window_ns / 4 || tried > UINT64_MAX / 2) break;
        tried *= 2;
    }
    found->messages = jm_whole_batches(jm_messages_for_window(window_ns, tried, took), quantum);
    found->message_ps = jm_picoseconds_each(took, tried);
    return JM_LOOP_OK;
}

typedef struct counters {
    uint64_t wall_ns, thread_cpu_ns, tsc_ticks;
    jm_perf_reading perf_core_cycles;
} counters;

/* TSC innermost, then the cycle counter: the end reads the counters in the reverse order. */
static counters read_at_start(void) {
    counters now;
    now.thread_cpu_ns = jm_thread_cpu_ns();
    now.wall_ns = jm_monotonic_ns();
    now.perf_core_cycles = jm_perf_cycles();
    now.tsc_ticks = jm_tsc_start();
    return now;
}

static counters read_at_end(void) {
    counters now;
    now.tsc_ticks = jm_tsc_end();
    now.perf_core_cycles = jm_perf_cycles();
    now.wall_ns = jm_monotonic_ns();
    now.thread_cpu_ns = jm_thread_cpu_ns();
    return now;
}

static void add(uint64_t *sum, uint64_t delta) {
    *sum = *sum == JM_NO_COUNTER || delta == JM_NO_COUNTER ? JM_NO_COUNTER : *sum + delta;
}

static uint64_t perf_delta(const jm_perf_reading *start, const jm_perf_reading *end) {
    return jm_scaled_difference(end->count, end->enabled_ns, end->running_ns, start->count,
                                start->enabled_ns, start->running_ns);
}

static unsigned timed_stretch(jm_loop *loop, uint64_t units, jm_sample *sample) {
    const counters start = read_at_start();
    const unsigned status = run_units(loop, units);
    const counters end = read_at_end();
    add(&sample->wall_ns, jm_counter_delta(start.wall_ns, end.wall_ns));
    add(&sample->thread_cpu_ns, jm_counter_delta(start.thread_cpu_ns, end.thread_cpu_ns));
    add(&sample->tsc_ticks, jm_counter_delta(start.tsc_ticks, end.tsc_ticks));
    add(&sample->perf_core_cycles, perf_delta(&start.perf_core_cycles, &end.perf_core_cycles));
    return status;
}

static unsigned timed_messages(jm_loop *loop, uint64_t messages, jm_sample *sample) {
    uint64_t units = messages / loop->unit_messages;
    if (!loop->cold) return timed_stretch(loop, units, sample);
    unsigned status = 0;
    while (units) {
        const uint64_t stretch = units < loop->slots ? units : loop->slots;
        jm_flush(loop->arena, loop->arena_bytes);
        status |= timed_stretch(loop, stretch, sample);
        units -= stretch;
    }
    return status;
}

static void place_buffers(jm_loop *loop, uint64_t placement) {
    const size_t lines = JM_PAGE_BYTES / JM_LINE_BYTES;
    jm_place_outputs(loop, (placement / lines % lines) * JM_LINE_BYTES);
    if (loop->cold || !loop->pristine) return;
    jm_place_messages(loop, loop->arena + (placement % lines) * JM_LINE_BYTES);
}

/* Runs one window; the ticks of the clock probe before it are in the sample already. Not inlined,
 * so that the stack, which the placement moves, is released after each window. */
__attribute__((noinline)) static unsigned take_window(jm_loop *loop, uint64_t warm_up,
                                                      uint64_t messages, uint64_t placement,
                                                      jm_sample *sample) {
    place_buffers(loop, placement);
    /* Moves the stack by 0..4080 bytes in steps of 16, the alignment that the ABI requires. */
    volatile char *stack = __builtin_alloca((placement >> 12) % 256 * 16 + 16);
    stack[0] = 0;
    const uint64_t rest = warm_up % loop->unit_messages;
    const unsigned warmed = run_messages(loop, warm_up + (rest ? loop->unit_messages - rest : 0));
    if (warmed != JM_OK) return warmed;
    loop->batch.next = 0;
    const jm_context_switches switches = jm_read_context_switches();
    sample->wall_start_ns = jm_monotonic_ns();
    const unsigned status = timed_messages(loop, messages, sample);
    sample->width_ticks_after = jm_core_width_ticks();
    sample->chain_ticks_after = jm_core_chain_ticks(CHAIN_REPEATS);
    const jm_context_switches switches_after = jm_read_context_switches();
    sample->voluntary_switches = switches_after.voluntary - switches.voluntary;
    sample->involuntary_switches = switches_after.involuntary - switches.involuntary;
    return status;
}

jm_loop_status jm_loop_visit(jm_loop *loop, const jm_visit_request *request, jm_sample *samples,
                             jm_visit *visit) {
    if (request->messages == 0 || request->messages % jm_loop_quantum(loop)) return JM_LOOP_PARTIAL;
    const jm_machine_cpu machine = jm_read_machine_cpu();
    const uint64_t waited = jm_run_queue_wait_ns(), cpu = jm_thread_cpu_ns();
    const uint64_t start = jm_monotonic_ns();
    uint64_t chain_ticks = jm_core_chain_ticks(CHAIN_REPEATS), width_ticks = jm_core_width_ticks();
    unsigned status = 0;
    for (size_t i = 0; i < request->windows && status == JM_OK; i++) {
        samples[i] = (jm_sample){.messages = request->messages,
                                 .chain_adds = jm_core_chain_adds(),
                                 .chain_ticks_before = chain_ticks,
                                 .width_adds = jm_core_width_adds(),
                                 .width_ticks_before = width_ticks};
        status = take_window(loop, i ? request->settle : request->warm_up, request->messages,
                             request->placements[i], &samples[i]);
        chain_ticks = samples[i].chain_ticks_after;
        width_ticks = samples[i].width_ticks_after;
    }
    const jm_machine_cpu machine_after = jm_read_machine_cpu();
    *visit = (jm_visit){
        .wall_ns = jm_counter_delta(start, jm_monotonic_ns()),
        .thread_cpu_ns = jm_counter_delta(cpu, jm_thread_cpu_ns()),
        .run_queue_wait_ns = jm_counter_delta(waited, jm_run_queue_wait_ns()),
        .machine_busy_ns = jm_counter_delta(machine.busy_ns, machine_after.busy_ns),
        .machine_steal_ns = jm_counter_delta(machine.steal_ns, machine_after.steal_ns),
    };
    return jm_loop_status_of(status);
}

jm_loop_status jm_loop_run(jm_loop *loop, uint64_t messages) {
    if (messages % loop->unit_messages) return JM_LOOP_PARTIAL;
    return jm_loop_status_of(run_messages(loop, messages));
}

uint64_t jm_loop_without_call_ns(uint64_t messages) {
    uint8_t output[8] = {0};
    const jm_window window = {.self = &jm_loop_nothing,
                              .message = output,
                              .message_bytes = sizeof output,
                              .output = output};
    const uint64_t start = jm_monotonic_ns();
    jm_window_without_call(&window, messages);
    return jm_monotonic_ns() - start;
}
