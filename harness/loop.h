/* SPDX-License-Identifier: Apache-2.0
 *
 * The timed loop. It knows no statistics and no units but nanoseconds and ticks: a call runs one
 * window of messages and returns what the counters said.
 */
#ifndef JM_LOOP_H
#define JM_LOOP_H

#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One trial, ready to run. Set up with jm_loop_open, released with jm_loop_close. */
typedef struct jm_loop jm_loop;

typedef struct jm_loop_request {
    const jm_implementation *implementation; /* must outlive the loop */
    const uint8_t *key;                      /* copied; NULL for a hash */
    size_t key_bytes;
    size_t key_count;      /* keys that lie one after the other at `key`: 1, or one for each message
                              of a batch; 1 for a hash */
    size_t message_bytes;  /* 0 allowed; a multiple of block_bytes, not 0, for a cipher */
    size_t batch;          /* messages handed over at a time, at least 1; 1 unless it is a MAC */
    const size_t *lengths; /* mixed lengths in bytes instead of message_bytes, copied; else NULL */
    size_t length_count;   /* a multiple of `batch`, not 0 where there are lengths */
    bool latency;          /* each message's address depends on the output before it; batch 1 */
    bool cold;             /* messages flushed from the caches first; needs CLFLUSH */
    bool fresh_key;        /* key set-up and wipe inside the loop; not for a hash */
} jm_loop_request;

/* Raw counters over one window; JM_NO_COUNTER (clock/clock.h) where there is no such counter.
 * Switches are counted from just before the first message to the end of the probe behind the last.
 */
typedef struct jm_sample {
    uint64_t messages;
    uint64_t wall_start_ns;
    uint64_t wall_ns;
    uint64_t thread_cpu_ns;
    uint64_t tsc_ticks;
    uint64_t perf_core_cycles;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t chain_adds;
    uint64_t chain_ticks_before;
    uint64_t chain_ticks_after;
    uint64_t width_adds;
    uint64_t width_ticks_before;
    uint64_t width_ticks_after;
} jm_sample;

/* Several windows of one trial in a row. */
typedef struct jm_visit_request {
    uint64_t warm_up;  /* messages before the first window, made up to whole batches; 0 allowed */
    uint64_t settle;   /* the same before each later window, which lies elsewhere in memory */
    uint64_t messages; /* of a window, at least 1, a multiple of the quantum */
    const uint64_t *placements; /* one for each window */
    size_t windows;             /* at least 1 */
} jm_visit_request;

/* Counters from before the first warm-up to after the last window: those that are too slow, or
 * move in too large steps, for a single window. */
typedef struct jm_visit {
    uint64_t wall_ns;
    uint64_t thread_cpu_ns;
    uint64_t run_queue_wait_ns;
    uint64_t machine_busy_ns;
    uint64_t machine_steal_ns;
} jm_visit;

typedef enum jm_loop_status {
    JM_LOOP_OK = 0,
    JM_LOOP_MEMORY,   /* not enough memory for the messages */
    JM_LOOP_KEY,      /* the implementation refused the key */
    JM_LOOP_REFUSED,  /* the implementation returned an error while running */
    JM_LOOP_LENGTH,   /* the implementation does not take messages of this length */
    JM_LOOP_NO_FLUSH, /* cold cache asked for on a machine without a flush instruction */
    JM_LOOP_OVERRUN,  /* the implementation wrote outside its output: a canary died */
    JM_LOOP_PARTIAL,  /* `messages` is not a whole number of batches */
    JM_LOOP_NONSENSE, /* a request that breaks the rules beside its fields */
} jm_loop_status;

/* Allocates buffers, fills every message with jm_message_byte, sets the key up. */
jm_loop_status jm_loop_open(const jm_loop_request *request, jm_loop **loop);
void jm_loop_close(jm_loop *loop);

/* Byte `index` of the one stream that every message of the harness is a piece of. It starts at 0,
 * or with the batch; a message is then what lies at its place. A cycle of 251, a prime, so that
 * blocks in the wrong order cannot agree by accident, mixed with the number of the 64-byte line, so
 * that no two messages of a batch are alike (of up to 65536 lines and from three bytes on: the
 * third byte tells the line's number modulo 251, and then the first two tell the number). */
static inline uint8_t jm_message_byte(uint64_t index) {
    return (uint8_t)((index % 251) ^ ((index / 64) >> (index % 4 * 8)));
}

/* Messages in the smallest window: one, a batch, or all the batches of a mix of lengths. */
uint64_t jm_loop_quantum(const jm_loop *loop);

/* Messages that fill about `window_ns`, a multiple of the quantum, and what one of them took, in
 * ps so that a fast one is not rounded away. The number is doubled until a quarter of the window is
 * filled by the fastest of several stretches, so that an interruption, which only ever makes a
 * stretch longer, does not end the search. Runs for about five windows. */
typedef struct jm_calibration {
    uint64_t messages;
    uint64_t message_ps; /* wall time; UINT64_MAX where it does not fit */
} jm_calibration;
jm_loop_status jm_loop_calibrate(jm_loop *loop, uint64_t window_ns, jm_calibration *found);

/* Takes `windows` samples into `samples` and the counters round them all into `visit`. A mix of
 * lengths starts from its beginning in each window. A window's placement chooses where in a 4 KiB
 * page the buffers and the stack lie: layout then shows as spread between samples instead of hiding
 * as a bias of the whole trial. After an error the samples mean nothing. */
jm_loop_status jm_loop_visit(jm_loop *loop, const jm_visit_request *request, jm_sample *samples,
                             jm_visit *visit);

/* Runs `messages` (0 allowed; a multiple of the batch) and reads no counter: one stretch of a
 * longer window whose counters the caller reads. Buffers stay where the last sample put them. */
jm_loop_status jm_loop_run(jm_loop *loop, uint64_t messages);

/* Output of the last message (of a MAC with nonces: with nonce_bytes zeros as nonce, computed now;
 * while it is timed, each message but those of a batch has another nonce, counted up and set inside
 * the window); implementation->output_bytes for a hash or MAC, message_bytes for a
 * cipher. With batches or mixed lengths: of all the messages of the smallest window, in order;
 * those of the last batch are what the last call left, the others are computed now. Valid until the
 * next call on `loop`. Checks the canaries round every output. */
jm_loop_status jm_loop_output(jm_loop *loop, const uint8_t **output, size_t *output_bytes);

/* Wall time in ns of `messages` turns of the loop with no call in it. */
uint64_t jm_loop_without_call_ns(uint64_t messages);

/* A MAC that does nothing, to time the loop with an empty call in it. */
extern const jm_implementation jm_loop_nothing;

#ifdef __cplusplus
}
#endif
#endif
