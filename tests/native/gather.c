/* SPDX-License-Identifier: Apache-2.0
 * Gatherers: each message has its session's key and length, in the order of arrival; batches are as
 * large as allowed; counts agree with the calls made; every failure is reported. No test depends on
 * how long a call takes. */
#define _GNU_SOURCE
#include "gather.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "common/words.h"
#include "loop.h"

#define TAG_BYTES 16u
#define SESSIONS 7u
#define ARRIVALS 64u
#define MS UINT64_C(1000000)

typedef enum fault { NONE, BAD_KEY, REFUSES, BAD_LENGTH, WRITES_ON, WRITES_BACK } fault;

static fault planted;
static int failures, core;
static uint64_t batch_calls, single_calls, tagged, largest, smallest, nonces_set, wrong;
static uint64_t next_nonce[SESSIONS], gaps_ps[ARRIVALS];
static uint32_t senders[ARRIVALS];
static uint8_t keys[SESSIONS * 16];
static size_t lengths[2] = {64, 100}, length_count;
static jm_gather_counts counts;
static jm_gather_last last[JM_GATHER_BATCH_MAX];
static uint8_t tags[JM_GATHER_BATCH_MAX * TAG_BYTES];
static size_t last_count;
static jm_gather_window window;

static void expect(bool right, const char *what) {
    if (right) return;
    printf("%s: not so (fault %d)\n", what, planted);
    failures++;
}

typedef struct key_state {
    uint64_t number, nonce;
} key_state;

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    if (planted == BAD_KEY || key_bytes != 16) return JM_ERR_KEY_BYTES;
    *(key_state *)state = (key_state){load_le64(key), 0};
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *state) {
    (void)self;
    memset(state, 0, sizeof(key_state));
}

/* Sessions count their nonces up, each by itself. */
static jm_status set_nonce(const jm_implementation *self, void *state, const uint8_t *nonce,
                           size_t nonce_bytes) {
    (void)self;
    key_state *own = state;
    own->nonce = load_le64(nonce);
    nonces_set++;
    if (nonce_bytes != 8 || own->nonce != ++next_nonce[own->number]) wrong++;
    return JM_OK;
}

/* The tag says whose key, which nonce and which length made it. */
static jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
                     size_t bytes, uint8_t *to) {
    (void)self;
    const key_state *own = state;
    const uint64_t turn = tagged++;
    single_calls++;
    if (own->number != senders[turn % ARRIVALS] % SESSIONS || bytes != lengths[turn % length_count])
        wrong++;
    if (planted == REFUSES) return JM_ERR_LIBRARY;
    if (planted == BAD_LENGTH) return JM_ERR_MESSAGE_BYTES;
    if (planted == WRITES_ON) to[TAG_BYTES] = 1;
    if (planted == WRITES_BACK)
        ((uint8_t *)(uintptr_t)message)[0] = (uint8_t)~jm_message_byte(64 * own->number);
    store_le64(to, own->number);
    store_le64(to + 8, own->nonce << 32 | (uint64_t)message[bytes - 1]);
    return JM_OK;
}

static jm_status tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                           size_t count) {
    jm_status status = JM_OK;
    batch_calls++;
    if (count > largest) largest = count;
    if (count < smallest) smallest = count;
    for (size_t i = 0; i < count; i++) {
        const jm_mac_message *m = &messages[i];
        const jm_status answer = tag(self, m->key_state, m->message, m->message_bytes, m->tag);
        if (answer != JM_OK) status = answer;
    }
    single_calls -= count;
    return status;
}

static const jm_mac_functions together = {.key_state_bytes = sizeof(key_state),
                                          .set_key = set_key,
                                          .wipe_key = wipe_key,
                                          .tag = tag,
                                          .tag_batch = tag_batch};
static const jm_mac_functions one_by_one = {.key_state_bytes = sizeof(key_state),
                                            .set_key = set_key,
                                            .wipe_key = wipe_key,
                                            .tag = tag,
                                            .set_nonce = set_nonce};
static const jm_implementation batches = {.algorithm = "count",
                                          .variant = "batches",
                                          .kind = JM_KIND_MAC,
                                          .block_bytes = 16,
                                          .output_bytes = TAG_BYTES,
                                          .mac = &together};
static const jm_implementation with_nonces = {.algorithm = "count",
                                              .variant = "nonces",
                                              .kind = JM_KIND_MAC,
                                              .block_bytes = 16,
                                              .output_bytes = TAG_BYTES,
                                              .nonce_bytes_min = 8,
                                              .nonce_bytes_max = 8,
                                              .nonce_bytes = 8,
                                              .mac = &one_by_one};

static jm_sessions_status run(const jm_implementation *implementation, bool saturated,
                              size_t batch_most, uint64_t wait_ns, uint64_t window_ns) {
    const jm_gather_request request = {.implementation = implementation,
                                       .keys = keys,
                                       .key_bytes = 16,
                                       .sessions = SESSIONS,
                                       .lengths = lengths,
                                       .length_count = length_count,
                                       .gaps_ps = saturated ? NULL : gaps_ps,
                                       .senders = senders,
                                       .arrivals = ARRIVALS,
                                       .batch_most = batch_most,
                                       .wait_ns = wait_ns,
                                       .cores = &core,
                                       .core_count = 1,
                                       .warm_up_ns = 2 * MS,
                                       .window_ns = window_ns};
    batch_calls = single_calls = tagged = largest = nonces_set = wrong = 0;
    smallest = UINT64_MAX;
    memset(next_nonce, 0, sizeof next_nonce);
    const jm_sessions_status status =
        jm_gather_run(&request, &counts, &last_count, last, tags, &window);
    expect(planted != NONE || wrong == 0, "each message has its session's key, nonce and length");
    return status;
}

/* Repeats a run in which other programs had the core for the whole window. */
static void run_well(const jm_implementation *implementation, bool saturated, size_t batch_most,
                     uint64_t wait_ns) {
    for (unsigned attempt = 0; attempt < 20; attempt++) {
        expect(run(implementation, saturated, batch_most, wait_ns, 10 * MS) == JM_SESSIONS_OK,
               "a run ends well");
        if (counts.messages) return;
    }
    expect(false, "a window has messages");
}

static void counts_agree(void) {
    uint64_t sampled = 0, in_parts = 0, batches_in_parts = 0, busy = 0;
    for (unsigned bucket = 0; bucket < JM_LATENCY_BUCKETS; bucket++)
        sampled += window.latencies[bucket];
    for (unsigned part = 0; part < JM_GATHER_PARTS; part++) {
        in_parts += window.part_messages[part];
        batches_in_parts += window.part_batches[part];
        busy += window.part_busy_ticks[part];
    }
    expect(counts.messages > 0 && counts.messages <= tagged, "the window lies within the run");
    expect(sampled == counts.messages, "every message of the window has a latency");
    expect(batches_in_parts <= counts.batches && in_parts <= counts.messages &&
               busy <= counts.busy_ticks,
           "parts are of the window");
    expect(length_count > 1 || counts.bytes == counts.messages * lengths[0], "bytes are right");
    expect(counts.busy_ticks <= counts.ticks, "a gatherer is busy no longer than it runs");
    bool own = true;
    for (size_t i = 0; i < last_count; i++) {
        const uint64_t end =
            jm_message_byte(last[i].session * JM_SESSION_APART + last[i].message_bytes - 1);
        own &= load_le64(tags + i * TAG_BYTES) == last[i].session;
        own &= load_le64(tags + i * TAG_BYTES + 8) == (last[i].nonce << 32 | end);
    }
    expect(last_count > 0 && own, "the tags that are left are those of the last batch");
}

static void refusals(void) {
    jm_gather_request request = {.implementation = &batches,
                                 .keys = keys,
                                 .key_bytes = 16,
                                 .sessions = SESSIONS,
                                 .lengths = lengths,
                                 .length_count = 1,
                                 .gaps_ps = gaps_ps,
                                 .senders = senders,
                                 .arrivals = ARRIVALS,
                                 .batch_most = ARRIVALS + 1,
                                 .cores = &core,
                                 .core_count = 1,
                                 .window_ns = MS};
    const uint64_t none[ARRIVALS] = {0};
    const int absent = CPU_SETSIZE - 1;
    jm_sessions_status told = jm_gather_run(&request, &counts, &last_count, last, tags, &window);
    expect(told == JM_SESSIONS_NONSENSE, "a batch of more than the arrivals is refused");
    request.batch_most = 0;
    told = jm_gather_run(&request, &counts, &last_count, last, tags, &window);
    expect(told == JM_SESSIONS_NONSENSE, "a batch of nothing is refused");
    request.batch_most = 1;
    request.gaps_ps = none;
    told = jm_gather_run(&request, &counts, &last_count, last, tags, &window);
    expect(told == JM_SESSIONS_NONSENSE, "gaps of nothing are refused");
    request.gaps_ps = gaps_ps;
    request.cores = &absent;
    told = jm_gather_run(&request, &counts, &last_count, last, tags, &window);
    expect(told == JM_SESSIONS_CORES, "a core that is not here");
}

int main(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    while (!CPU_ISSET((size_t)core, &allowed)) core++;
    for (uint64_t i = 0; i < SESSIONS; i++) store_le64(keys + 16 * i, i);
    for (unsigned i = 0; i < ARRIVALS; i++) {
        senders[i] = i * i + 3;
        gaps_ps[i] = UINT64_C(5000000) + i * 1000; /* 5 us and more */
    }
    length_count = 1;
    run_well(&batches, true, 16, 0);
    counts_agree();
    expect(largest == 16 && smallest == 16 && single_calls == 0, "saturated batches are full");
    expect(counts.backlog_before == 0 && counts.backlog_after == 0, "and no backlog is known");

    /* A minute's patience: a batch is begun only when it is full. */
    run_well(&batches, false, 16, 60000 * MS);
    counts_agree();
    expect(largest == 16 && smallest == 16 && single_calls == 0, "patient batches are full");
    expect(counts.messages == 16 * counts.batches, "messages are those of the batches");
    expect(tagged % 16 == 0, "whole batches were tagged");

    length_count = 2;
    run_well(&batches, false, 16, 20000);
    counts_agree();
    expect(batch_calls + single_calls > 0 && largest <= 16, "no batch is too large");
    run_well(&batches, false, 1, 0);
    counts_agree();
    expect(batch_calls == 0 && single_calls == tagged, "a batch of one is a single message");

    run_well(&with_nonces, false, 8, 20000);
    counts_agree();
    expect(nonces_set == tagged, "each message has another nonce of its session");

    refusals();
    static const struct {
        fault fault;
        jm_sessions_status told;
    } faults[] = {{BAD_KEY, JM_SESSIONS_KEY},
                  {REFUSES, JM_SESSIONS_REFUSED},
                  {BAD_LENGTH, JM_SESSIONS_LENGTH},
                  {WRITES_ON, JM_SESSIONS_OVERRUN},
                  {WRITES_BACK, JM_SESSIONS_OVERRUN}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        planted = faults[i].fault;
        /* A minute's window: an implementation that refuses ends it at once. */
        const bool ends = planted == REFUSES || planted == BAD_LENGTH;
        expect(run(&batches, true, 8, 0, ends ? 60000 * MS : 2 * MS) == faults[i].told,
               "the fault is told");
    }
    if (!failures) printf("gather: all as expected\n");
    return failures != 0;
}
