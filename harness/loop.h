/* SPDX-License-Identifier: Apache-2.0
 *
 * The timed loop. It computes no statistics and knows no units but nanoseconds and ticks: a call
 * runs windows of messages and returns the counters as they were read.
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
    size_t batch;          /* messages handed over at a time, at least 1; 1 for a hash or cipher */
    const size_t *lengths; /* mixed lengths in bytes instead of message_bytes, copied; else NULL */
    size_t length_count;   /* a multiple of `batch`, not 0 where there are lengths */
    bool latency;          /* each message's address depends on the output before; needs batch 1 */
    bool cold;             /* messages flushed from the caches first; needs CLFLUSH */
    bool fresh_key;        /* key set-up and wipe inside the loop; not for a hash */
} jm_loop_request;

/* Raw counters over one window; JM_NO_COUNTER (clock/clock.h) where the machine lacks the counter.
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
    uint64_t warm_up; /* messages before the first window, rounded up to whole batches; 0 allowed */
    uint64_t settle;  /* the same before each later window, which lies elsewhere in memory */
    uint64_t messages;          /* messages of a window, at least 1, a multiple of the quantum */
    const uint64_t *placements; /* a placement for each window */
    size_t windows;             /* at least 1 */
} jm_visit_request;

/* Counters from before the first warm-up to after the last window. Some of them are too slow, or
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
    JM_LOOP_NONSENSE, /* the request breaks a rule stated beside its fields */
} jm_loop_status;

/* Allocates buffers, fills every message with jm_message_byte, sets the key up. */
jm_loop_status jm_loop_open(const jm_loop_request *request, jm_loop **loop);
void jm_loop_close(jm_loop *loop);

/* Byte `index` of the one stream that every message of the harness is a piece of. A single message
 * or a batch starts at byte 0; a message of a batch is the piece at its place. The stream is a
 * cycle of 251 bytes, a prime, so that blocks in the wrong order cannot agree by accident, mixed
 * with the number of the 64-byte line, so that no two messages of a batch are alike (of up to 65536
 * lines and from three bytes on: the third byte gives the line's number modulo 251, and with it the
 * first two bytes give the number). */
static inline uint8_t jm_message_byte(uint64_t index) {
    return (uint8_t)((index % 251) ^ ((index / 64) >> (index % 4 * 8)));
}

/* Messages in the smallest window: one message, a batch, or all batches of a mix of lengths. */
uint64_t jm_loop_quantum(const jm_loop *loop);

/* Messages that fill about `window_ns`, a multiple of the quantum, and the time of one message, in
 * ps so that a fast message is not rounded to 0. The number is doubled until the fastest of several
 * stretches fills a quarter of the window, so that an interruption, which can only make a stretch
 * longer, does not end the search. Calibration takes about five windows. */
typedef struct jm_calibration {
    uint64_t messages;
    uint64_t message_ps; /* wall time; UINT64_MAX where it does not fit */
} jm_calibration;
jm_loop_status jm_loop_calibrate(jm_loop *loop, uint64_t window_ns, jm_calibration *found);

/* Takes `windows` samples into `samples` and the counters round all windows into `visit`. A mix of
 * lengths starts from its beginning in each window. A window's placement chooses where in a 4 KiB
 * page the buffers and the stack lie: layout then shows as spread between samples instead of hiding
 * as a bias of the whole trial. After an error the samples are undefined. */
jm_loop_status jm_loop_visit(jm_loop *loop, const jm_visit_request *request, jm_sample *samples,
                             jm_visit *visit);

/* Runs `messages` (0 allowed; a multiple of the batch) and reads no counter: one stretch of a
 * longer window whose counters the caller reads. Buffers stay where the last sample put them. */
jm_loop_status jm_loop_run(jm_loop *loop, uint64_t messages);

/* Output of the last message: implementation->output_bytes for a hash or MAC, message_bytes for a
 * cipher. A MAC with nonces computes this output now, with nonce_bytes zeros as nonce; while it is
 * timed, each message but those of a batch has another nonce, counted up and set inside the window.
 * With batches or mixed lengths: the outputs of all messages of the smallest window, in order; the
 * last call left the outputs of the last batch, the others are computed now. Valid until the next
 * call on `loop`. Checks the canaries round every output. */
jm_loop_status jm_loop_output(jm_loop *loop, const uint8_t **output, size_t *output_bytes);

/* Wall time in ns of `messages` turns of the loop with no call in it. */
uint64_t jm_loop_without_call_ns(uint64_t messages);

/* A MAC that does nothing, to time the loop with an empty call in it. */
extern const jm_implementation jm_loop_nothing;

#ifdef __cplusplus
}
#endif
#endif
