/* SPDX-License-Identifier: Apache-2.0
 * Sessions: each has a separate key, message and tag; counts agree with the calls made; every
 * failure is reported, and leaves no thread behind. No test depends on how long a call takes. */
#define _GNU_SOURCE
#include "sessions.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop.h"

#define MOST JM_SESSIONS_MAX
#define TAG_BYTES 16u
#define MS UINT64_C(1000000)

typedef enum fault { NONE, BAD_KEY, REFUSES, BAD_LENGTH, WRITES_ON, WRITES_BACK } fault;

static fault planted;
static int failures;
static uint64_t calls, wrong; /* atomic */
static uint64_t nonces[MOST]; /* the nonce that is set, by session */
static size_t lengths[3];
static size_t length_count;
static jm_session_counts counts[MOST];
static uint8_t tags[MOST * TAG_BYTES];
static uint8_t keys[MOST * 16];
static jm_sessions_window window;
static int core;

static void expect(bool right, const char *what) {
    if (right) return;
    printf("%s: not so (fault %d)\n", what, planted);
    failures++;
}

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    if (planted == BAD_KEY || key_bytes != 16) return JM_ERR_KEY_BYTES;
    memcpy(state, key, 16);
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *state) {
    (void)self;
    memset(state, 0, 16);
}

/* The tag says whose key and which length made it. */
static jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
                     size_t bytes, uint8_t *to) {
    (void)self;
    uint64_t number;
    memcpy(&number, state, sizeof number);
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    const bool known = bytes == lengths[0] || (length_count > 1 && bytes == lengths[1]) ||
                       (length_count > 2 && bytes == lengths[2]);
    if (number >= MOST || !known) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    /* Fails in the thread of one session alone: all other sessions must stop too. */
    if (planted == REFUSES && number == 3 && gettid() != getpid()) return JM_ERR_LIBRARY;
    if (planted == BAD_LENGTH) return JM_ERR_MESSAGE_BYTES;
    if (planted == WRITES_ON) to[TAG_BYTES] = 1;
    if (planted == WRITES_BACK)
        ((uint8_t *)(uintptr_t)message)[0] = (uint8_t)~jm_message_byte(64 * number);
    memset(to, message[bytes - 1], TAG_BYTES);
    memcpy(to, &number, sizeof number);
    return JM_OK;
}

/* Each session counts its nonces up, and sets another one for each message. */
static jm_status set_nonce(const jm_implementation *self, void *state, const uint8_t *nonce,
                           size_t nonce_bytes) {
    (void)self;
    uint64_t number, given;
    memcpy(&number, state, sizeof number);
    memcpy(&given, nonce, sizeof given);
    if (nonce_bytes != 8 || given != nonces[number] + 1)
        __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    nonces[number] = given;
    return JM_OK;
}

static const jm_mac_functions functions = {
    .key_state_bytes = 16, .set_key = set_key, .wipe_key = wipe_key, .tag = tag};
static const jm_implementation counting = {.algorithm = "count",
                                           .variant = "sessions",
                                           .kind = JM_KIND_MAC,
                                           .block_bytes = 16,
                                           .output_bytes = TAG_BYTES,
                                           .mac = &functions};

static const jm_mac_functions functions_with_nonces = {.key_state_bytes = 16,
                                                       .set_key = set_key,
                                                       .wipe_key = wipe_key,
                                                       .tag = tag,
                                                       .set_nonce = set_nonce};
static const jm_implementation with_nonces = {.algorithm = "count",
                                              .variant = "nonces",
                                              .kind = JM_KIND_MAC,
                                              .block_bytes = 16,
                                              .output_bytes = TAG_BYTES,
                                              .nonce_bytes_min = 8,
                                              .nonce_bytes_max = 8,
                                              .nonce_bytes = 8,
                                              .mac = &functions_with_nonces};
static const jm_implementation *measured = &counting;

static size_t threads_now(void) {
    DIR *folder = opendir("/proc/self/task");
    size_t found = 0;
    while (folder && readdir(folder)) found++;
    if (folder) closedir(folder);
    return found - 2;
}

static jm_sessions_status run(size_t sessions, uint64_t warm_up_ns, uint64_t window_ns,
                              int on_core) {
    const jm_sessions_request request = {.implementation = measured,
                                         .keys = keys,
                                         .key_bytes = 16,
                                         .sessions = sessions,
                                         .lengths = lengths,
                                         .length_count = length_count,
                                         .cores = &on_core,
                                         .core_count = 1,
                                         .warm_up_ns = warm_up_ns,
                                         .window_ns = window_ns};
    calls = wrong = 0;
    memset(nonces, 0, sizeof nonces);
    const size_t before = threads_now();
    const jm_sessions_status status = jm_sessions_run(&request, counts, tags, &window);
    expect(threads_now() == before, "every thread has ended");
    expect(wrong == 0, "every call has a session's key and a length that was asked for");
    return status;
}

static uint64_t messages_of(size_t sessions) {
    uint64_t messages = 0;
    for (size_t i = 0; i < sessions; i++) messages += counts[i].messages;
    return messages;
}

/* On a busy machine the sessions may have no turn in a short window; a longer one has some. */
static void all_counts_agree(size_t sessions, uint64_t warm_up_ns, uint64_t window_ns) {
    for (unsigned doubled = 0; doubled <= 6; doubled++) {
        const jm_sessions_status status = run(sessions, warm_up_ns, window_ns << doubled, core);
        expect(status == JM_SESSIONS_OK, "a run ends well");
        if (messages_of(sessions)) break;
    }
    uint64_t messages = 0, bytes = 0, in_parts = 0, sampled = 0, all_nonces = 0;
    bool own = true, whole = true;
    for (size_t i = 0; i < sessions; i++) {
        uint64_t number;
        memcpy(&number, tags + i * TAG_BYTES, sizeof number);
        const uint8_t end = jm_message_byte(i * JM_SESSION_APART + counts[i].last_bytes - 1);
        own &= number == i && tags[i * TAG_BYTES + TAG_BYTES - 1] == end;
        whole &= counts[i].messages % window.stretch_messages == 0;
        whole &= length_count > 1 || counts[i].bytes == counts[i].messages * lengths[0];
        expect((counts[i].chain_ticks_before != UINT64_MAX) ==
                   (i < JM_SESSIONS_PROBED && window.ticks_are_tsc),
               "the first sessions alone probe the clock");
        expect(counts[i].last_nonce == nonces[i], "the last nonce is told");
        if (measured == &with_nonces) all_nonces += nonces[i];
        messages += counts[i].messages;
        bytes += counts[i].bytes;
    }
    for (unsigned part = 0; part < JM_SESSION_PARTS; part++) in_parts += window.part_bytes[part];
    for (unsigned bucket = 0; bucket < JM_LATENCY_BUCKETS; bucket++)
        sampled += window.latencies[bucket];
    expect(measured != &with_nonces || all_nonces == calls, "each message has another nonce");
    expect(own, "each session made its tags with its own key from its own message");
    expect(whole, "messages are whole stretches, bytes are those of the messages");
    expect(messages > 0 && messages < calls, "the window lies within the run");
    expect(bytes == in_parts, "the parts hold all bytes of the window");
    expect(sampled * window.stretch_messages == messages, "one latency in every stretch");
    expect(window.ticks > 0 && window.clock_ticks > 0, "the clocks ran");
}

int main(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    while (!CPU_ISSET((size_t)core, &allowed)) core++;
    for (uint64_t i = 0; i < MOST; i++) memcpy(keys + 16 * i, &i, sizeof i);
    lengths[0] = 64;
    lengths[1] = 576;
    lengths[2] = 1500;
    length_count = 1;
    all_counts_agree(1, 0, 5 * MS);
    all_counts_agree(17, 20 * MS, 60 * MS);
    all_counts_agree(MOST, 20 * MS, 20 * MS);
    length_count = 3;
    all_counts_agree(9, 5 * MS, 30 * MS);
    measured = &with_nonces;
    all_counts_agree(9, 5 * MS, 30 * MS);
    length_count = 1;
    all_counts_agree(9, 5 * MS, 30 * MS);
    measured = &counting;
    length_count = 3;

    expect(run(0, 0, MS, core) == JM_SESSIONS_NONSENSE, "no session is refused");
    expect(run(MOST + 1, 0, MS, core) == JM_SESSIONS_NONSENSE, "too many are refused");
    expect(run(3, 0, 0, core) == JM_SESSIONS_NONSENSE, "a window of no length is refused");
    expect(run(3, 0, MS, CPU_SETSIZE - 1) == JM_SESSIONS_CORES, "a core that is not here");
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
        const uint64_t window_ns = planted == REFUSES ? 60000 * MS : 5 * MS;
        expect(run(5, 0, window_ns, core) == faults[i].told, "the fault is told");
    }
    planted = NONE;
#ifndef __SANITIZE_ADDRESS__
    /* Memory for messages and keys, and for the stacks of some threads, not of all. */
    length_count = 1;
    struct rlimit usual, narrow;
    getrlimit(RLIMIT_AS, &usual);
    narrow = usual;
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) return 1;
    fclose(file);
    narrow.rlim_cur = (rlim_t)pages * 4096 + (64u << 20);
    setrlimit(RLIMIT_AS, &narrow);
    expect(run(MOST, 0, MS, core) == JM_SESSIONS_THREAD, "no more threads is told");
    narrow.rlim_cur = (rlim_t)pages * 4096 + (1u << 20);
    setrlimit(RLIMIT_AS, &narrow);
    lengths[0] = 1u << 20;
    expect(run(MOST, 0, MS, core) == JM_SESSIONS_MEMORY, "no more memory is told");
    setrlimit(RLIMIT_AS, &usual);
#endif
    if (!failures) printf("sessions: all as expected\n");
    return failures != 0;
}
