/* SPDX-License-Identifier: Apache-2.0
 * Buffers, calibration and sampling round the innermost loops of windows.c. */
#include "loop.h"

#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "cache_flush.h"
#include "clock/clock.h"
#include "common/secret.h"
#include "windows.h"

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define CANARY_BYTES 64u
#define CANARY 0xa5
/* Cold-cache arena: large enough that flushing is rare, small enough to flush in about 1 ms. */
#define COLD_ARENA_BYTES (UINT64_C(8) << 20)
#define COLD_SLOTS_MAX 4096u
/* Above this, moving the message between samples would cost more than the sample. */
#define MOVABLE_MESSAGE_BYTES (UINT64_C(1) << 20)
#define CHAIN_REPEATS 5u

struct jm_loop {
    jm_window window;
    jm_window_function run;
    uint8_t *key_copy;
    void *key_state; /* NULL for a hash and for fresh keys */
    uint8_t *arena;
    size_t arena_bytes;
    uint64_t *offsets;
    uint64_t slots; /* 1 when hot */
    uint8_t *output_area;
    size_t output_bytes;
    bool cold;
};

static size_t round_up(size_t bytes, size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

static size_t state_bytes(const jm_implementation *implementation) {
    if (implementation->kind == JM_KIND_MAC) return implementation->mac->key_state_bytes;
    if (implementation->kind == JM_KIND_CIPHER) return implementation->cipher->schedule_bytes;
    return 0;
}

static void fill_message(uint8_t *message, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) message[i] = jm_message_byte(i);
}

/* Places the output behind its canaries; `offset` in bytes, a multiple of LINE_BYTES. */
static void place_output(jm_loop *loop, size_t offset) {
    const size_t area_bytes = PAGE_BYTES + 2 * CANARY_BYTES + round_up(loop->output_bytes, 8);
    memset(loop->output_area, CANARY, area_bytes);
    loop->window.output = loop->output_area + CANARY_BYTES + offset;
    memset(loop->window.output, 0, loop->output_bytes);
}

/* Fisher-Yates with a fixed generator: neighbouring messages must not lie side by side, or the
 * hardware prefetcher would warm the next one. */
static void scatter(jm_loop *loop, size_t stride) {
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = 0; i < loop->slots; i++) loop->offsets[i] = i * stride;
    for (uint64_t i = loop->slots - 1; i > 0; i--) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t other = (random >> 33) % (i + 1);
        const uint64_t swapped = loop->offsets[i];
        loop->offsets[i] = loop->offsets[other];
        loop->offsets[other] = swapped;
    }
}

static bool allocate(jm_loop *loop, const jm_loop_request *request) {
    const size_t states = round_up(state_bytes(request->implementation) + 1, LINE_BYTES);
    const size_t stride = round_up(request->message_bytes + 1, LINE_BYTES);
    loop->slots = request->cold ? jm_cold_slots(COLD_ARENA_BYTES, stride, COLD_SLOTS_MAX) : 1;
    loop->arena_bytes = stride * loop->slots + PAGE_BYTES;
    loop->key_copy = malloc(request->key_bytes + 1);
    loop->window.fresh_state = aligned_alloc(JM_STATE_ALIGN, states);
    loop->key_state = aligned_alloc(JM_STATE_ALIGN, states);
    loop->arena = aligned_alloc(PAGE_BYTES, round_up(loop->arena_bytes, PAGE_BYTES));
    loop->offsets = malloc(loop->slots * sizeof *loop->offsets);
    loop->output_area = aligned_alloc(
        PAGE_BYTES, round_up(2 * PAGE_BYTES + 2 * CANARY_BYTES + loop->output_bytes, PAGE_BYTES));
    if (!loop->key_copy || !loop->window.fresh_state || !loop->key_state || !loop->arena ||
        !loop->offsets || !loop->output_area)
        return false;
    scatter(loop, stride);
    for (uint64_t i = 0; i < loop->slots; i++)
        fill_message(loop->arena + i * stride, request->message_bytes);
    return true;
}

static jm_status set_kept_key(const jm_loop_request *request, void *state) {
    const jm_implementation *self = request->implementation;
    if (self->kind == JM_KIND_MAC)
        return self->mac->set_key(self, state, request->key, request->key_bytes);
    return self->cipher->set_key(self, state, request->key, request->key_bytes);
}

jm_loop_status jm_loop_open(const jm_loop_request *request, jm_loop **opened) {
    const jm_implementation *self = request->implementation;
    if (request->cold && !jm_can_flush()) return JM_LOOP_NO_FLUSH;
    jm_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return JM_LOOP_MEMORY;
    loop->cold = request->cold;
    loop->output_bytes = self->kind == JM_KIND_CIPHER ? request->message_bytes : self->output_bytes;
    if (!allocate(loop, request)) {
        jm_loop_close(loop);
        return JM_LOOP_MEMORY;
    }
    if (request->key_bytes) memcpy(loop->key_copy, request->key, request->key_bytes);
    loop->run = jm_window_for(self->kind, request->fresh_key, request->latency, request->cold);
    loop->window.self = self;
    loop->window.key = loop->key_copy;
    loop->window.key_bytes = request->key_bytes;
    loop->window.message = loop->arena;
    loop->window.message_bytes = request->message_bytes;
    loop->window.offsets = loop->offsets;
    place_output(loop, 0);
    if (self->kind != JM_KIND_HASH) {
        if (set_kept_key(request, loop->key_state) != JM_OK) {
            jm_loop_close(loop);
            return JM_LOOP_KEY;
        }
        loop->window.key_state = loop->key_state;
    }
    *opened = loop;
    return JM_LOOP_OK;
}

void jm_loop_close(jm_loop *loop) {
    const jm_implementation *self = loop->window.self;
    if (loop->window.key_state) {
        if (self->kind == JM_KIND_MAC) self->mac->wipe_key(self, loop->key_state);
        if (self->kind == JM_KIND_CIPHER) self->cipher->wipe_key(self, loop->key_state);
    }
    if (loop->key_copy) jm_wipe(loop->key_copy, loop->window.key_bytes);
    free(loop->key_copy);
    free(loop->window.fresh_state);
    free(loop->key_state);
    free(loop->arena);
    free(loop->offsets);
    free(loop->output_area);
    free(loop);
}

/* Calls the window in stretches that the scattered order allows. */
static unsigned run_messages(const jm_loop *loop, uint64_t messages) {
    if (!loop->cold) return loop->run(&loop->window, messages);
    unsigned status = 0;
    while (messages) {
        const uint64_t stretch = messages < loop->slots ? messages : loop->slots;
        status |= loop->run(&loop->window, stretch);
        messages -= stretch;
    }
    return status;
}

jm_loop_status jm_loop_calibrate(jm_loop *loop, uint64_t window_ns, uint64_t *messages) {
    uint64_t tried = 1;
    for (;;) {
        if (loop->cold) jm_flush(loop->arena, loop->arena_bytes);
        const uint64_t start = jm_monotonic_ns();
        if (run_messages(loop, tried) != JM_OK) return JM_LOOP_REFUSED;
        const uint64_t took = jm_monotonic_ns() - start;
        if (took >= window_ns / 4 || tried > UINT64_MAX / 2) {
            *messages = jm_messages_for_window(window_ns, tried, took);
            return JM_LOOP_OK;
        }
        tried *= 2;
    }
}

typedef struct counters {
    uint64_t wall_ns, thread_cpu_ns, tsc_ticks, perf_core_cycles;
} counters;

/* TSC innermost, then the cycle counter: what is read first is read last. */
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

static void add_delta(uint64_t *sum, uint64_t start, uint64_t end) {
    const uint64_t delta = jm_counter_delta(start, end);
    *sum = *sum == JM_NO_COUNTER || delta == JM_NO_COUNTER ? JM_NO_COUNTER : *sum + delta;
}

static unsigned timed_stretch(const jm_loop *loop, uint64_t messages, jm_sample *sample) {
    const counters start = read_at_start();
    const unsigned status = loop->run(&loop->window, messages);
    const counters end = read_at_end();
    add_delta(&sample->wall_ns, start.wall_ns, end.wall_ns);
    add_delta(&sample->thread_cpu_ns, start.thread_cpu_ns, end.thread_cpu_ns);
    add_delta(&sample->tsc_ticks, start.tsc_ticks, end.tsc_ticks);
    add_delta(&sample->perf_core_cycles, start.perf_core_cycles, end.perf_core_cycles);
    return status;
}

static unsigned timed_messages(const jm_loop *loop, uint64_t messages, jm_sample *sample) {
    if (!loop->cold) return timed_stretch(loop, messages, sample);
    unsigned status = 0;
    while (messages) {
        const uint64_t stretch = messages < loop->slots ? messages : loop->slots;
        jm_flush(loop->arena, loop->arena_bytes);
        status |= timed_stretch(loop, stretch, sample);
        messages -= stretch;
    }
    return status;
}

static void place_buffers(jm_loop *loop, uint64_t placement) {
    const size_t lines = PAGE_BYTES / LINE_BYTES;
    place_output(loop, (placement / lines % lines) * LINE_BYTES);
    if (loop->cold || loop->window.message_bytes > MOVABLE_MESSAGE_BYTES) return;
    loop->window.message = loop->arena + (placement % lines) * LINE_BYTES;
    fill_message(loop->arena + (placement % lines) * LINE_BYTES, loop->window.message_bytes);
}

jm_loop_status jm_loop_sample(jm_loop *loop, uint64_t warm_up, uint64_t messages,
                              uint64_t placement, jm_sample *sample) {
    place_buffers(loop, placement);
    /* Moves the stack by 0..4080 bytes in steps of 16, the alignment the ABI asks for. */
    volatile char *stack = __builtin_alloca((placement >> 12) % 256 * 16 + 16);
    stack[0] = 0;

    memset(sample, 0, sizeof *sample);
    sample->messages = messages;
    sample->chain_adds = JM_CHAIN_ADDS;
    if (run_messages(loop, warm_up) != JM_OK) return JM_LOOP_REFUSED;
    const jm_machine_cpu machine = jm_read_machine_cpu();
    const uint64_t waited = jm_run_queue_wait_ns();
    const jm_context_switches switches = jm_read_context_switches();
    sample->chain_ticks_before = jm_core_chain_ticks(CHAIN_REPEATS);
    sample->wall_start_ns = jm_monotonic_ns();
    const unsigned status = timed_messages(loop, messages, sample);
    sample->chain_ticks_after = jm_core_chain_ticks(CHAIN_REPEATS);
    const jm_context_switches switches_after = jm_read_context_switches();
    const jm_machine_cpu machine_after = jm_read_machine_cpu();
    sample->voluntary_switches = switches_after.voluntary - switches.voluntary;
    sample->involuntary_switches = switches_after.involuntary - switches.involuntary;
    sample->run_queue_wait_ns = jm_counter_delta(waited, jm_run_queue_wait_ns());
    sample->machine_busy_ns = jm_counter_delta(machine.busy_ns, machine_after.busy_ns);
    sample->machine_steal_ns = jm_counter_delta(machine.steal_ns, machine_after.steal_ns);
    return status == JM_OK ? JM_LOOP_OK : JM_LOOP_REFUSED;
}

jm_loop_status jm_loop_run(jm_loop *loop, uint64_t messages) {
    return run_messages(loop, messages) == JM_OK ? JM_LOOP_OK : JM_LOOP_REFUSED;
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

static bool canaries_alive(const jm_loop *loop) {
    const uint8_t *before = loop->window.output - CANARY_BYTES;
    const uint8_t *after = loop->window.output + loop->output_bytes;
    for (size_t i = 0; i < CANARY_BYTES; i++)
        if (before[i] != CANARY || after[i] != CANARY) return false;
    for (size_t i = 0; i < loop->window.message_bytes; i++)
        if (loop->window.message[i] != jm_message_byte(i)) return false;
    return true;
}

jm_loop_status jm_loop_output(jm_loop *loop, const uint8_t **output, size_t *output_bytes) {
    *output = loop->window.output;
    *output_bytes = loop->output_bytes;
    return canaries_alive(loop) ? JM_LOOP_OK : JM_LOOP_OVERRUN;
}
