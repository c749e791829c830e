/* SPDX-License-Identifier: Apache-2.0
 * The messages that the timed loop passes on in batches: every message once, in its place, with its
 * bytes and key, in one call if there is tag_batch; no call may be removed or hoisted. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cache_flush.h"
#include "clock/clock.h"
#include "loop.h"

#define LONGEST_CYCLE 24u
#define KEY_BYTES 2u

static const uint8_t keys[2 * LONGEST_CYCLE] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* The request to the loop under test. */
static jm_loop_request asked;
static size_t lengths[LONGEST_CYCLE];
static size_t cycle_messages;

/* Messages that are timed: from the warm-up on. */
static uint64_t timed_from, timed_to;

static uint64_t tagged, calls, set_keys, wipes, wrong;
static const uint8_t *batch_start;
static const uint8_t *batch_end;
enum { NO_FAULT, LONG_TAG, WRITES_GAP, REFUSES_THIRD_KEY } fault;

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    if (key_bytes != KEY_BYTES) return JM_ERR_KEY_BYTES;
    if (fault == REFUSES_THIRD_KEY && set_keys % 3 == 2) {
        set_keys++;
        return JM_ERR_LIBRARY;
    }
    set_keys++;
    memcpy(state, key, KEY_BYTES);
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *state) {
    (void)self;
    memset(state, 0, KEY_BYTES);
    wipes++;
}

/* The tag says which key and which bytes it was made from: a sum over the whole message. */
static void expected_tag(const uint8_t *key, uint64_t from, size_t bytes, uint8_t *to) {
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes; i++) sum = sum * 31 + jm_message_byte(from + i);
    memcpy(to, key, KEY_BYTES);
    memcpy(to + KEY_BYTES, &sum, 6);
}

static jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
                     size_t bytes, uint8_t *output) {
    (void)self;
    const size_t in_batch = tagged % asked.batch;
    if (in_batch == 0) batch_start = batch_end = message;
    wrong += message < batch_end || (message - batch_start) % 64 != 0;
    wrong += in_batch && message == batch_start;
    batch_end = message + bytes;
    if (asked.lengths && tagged >= timed_from && tagged < timed_to)
        wrong += bytes != lengths[(tagged - timed_from) % cycle_messages];
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes; i++) sum = sum * 31 + message[i];
    memcpy(output, state, KEY_BYTES);
    memcpy(output + KEY_BYTES, &sum, 6);
    if (fault == LONG_TAG && in_batch == 1) output[8] = 0;
    if (fault == WRITES_GAP && in_batch == 1) ((uint8_t *)(uintptr_t)message)[-1] ^= 1;
    tagged++;
    return JM_OK;
}

static jm_status tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                           size_t count) {
    calls++;
    wrong += count != asked.batch;
    for (size_t i = 0; i < count; i++)
        tag(self, messages[i].key_state, messages[i].message, messages[i].message_bytes,
            messages[i].tag);
    return JM_OK;
}

static const jm_mac_functions one_by_one = {
    .key_state_bytes = KEY_BYTES, .set_key = set_key, .wipe_key = wipe_key, .tag = tag};
static const jm_mac_functions in_one_call = {.key_state_bytes = KEY_BYTES,
                                             .set_key = set_key,
                                             .wipe_key = wipe_key,
                                             .tag = tag,
                                             .tag_batch = tag_batch};
static const jm_implementation implementations[] = {
    {.kind = JM_KIND_MAC, .block_bytes = 1, .output_bytes = 8, .mac = &one_by_one},
    {.kind = JM_KIND_MAC, .block_bytes = 1, .output_bytes = 8, .mac = &in_one_call},
};

/* The tags of a cycle as they must come out. */
static void expected_cycle(uint8_t *to) {
    uint64_t from = 0;
    for (size_t i = 0; i < cycle_messages; i++) {
        const size_t in_batch = i % asked.batch;
        const size_t bytes = asked.lengths ? lengths[i] : asked.message_bytes;
        if (in_batch == 0) from = 0;
        expected_tag(keys + (asked.key_count > 1 ? in_batch * KEY_BYTES : 0), from, bytes,
                     to + 8 * i);
        from += bytes ? (bytes + 63) / 64 * 64 : 64;
    }
}

/* One window. */
static jm_loop_status visit(jm_loop *loop, uint64_t warm_up, uint64_t messages, jm_sample *sample) {
    const uint64_t placement = 0x54321;
    const jm_visit_request request = {warm_up, 0, messages, &placement, 1};
    jm_visit round_it;
    return jm_loop_visit(loop, &request, sample, &round_it);
}

static bool check(size_t batch, size_t batches, bool mixed, int bits) {
    const bool cold = bits & 1, fresh = bits & 2, distinct = bits & 4, whole = bits & 8;
    cycle_messages = mixed ? batch * batches : batch;
    asked = (jm_loop_request){.implementation = &implementations[whole],
                              .key = keys,
                              .key_bytes = KEY_BYTES,
                              .key_count = distinct ? batch : 1,
                              .message_bytes = 65,
                              .batch = batch,
                              .lengths = mixed ? lengths : NULL,
                              .length_count = mixed ? cycle_messages : 0,
                              .cold = cold,
                              .fresh_key = fresh};
    jm_loop *loop;
    jm_sample sample;
    const uint8_t *output;
    size_t output_bytes;
    uint8_t expected[8 * LONGEST_CYCLE];
    if (jm_loop_open(&asked, &loop) != JM_LOOP_OK) return false;
    tagged = calls = set_keys = wipes = wrong = 0;
    const uint64_t messages = 40 * cycle_messages, warm_up = 2 * batch - 1;
    const uint64_t warmed = (warm_up + batch - 1) / batch * batch;
    timed_from = warmed;
    timed_to = warmed + messages;
    bool right = jm_loop_quantum(loop) == cycle_messages;
    right &= visit(loop, warm_up, messages, &sample) == JM_LOOP_OK;
    right &= tagged == warmed + messages && sample.messages == messages && wrong == 0;
    right &= calls == (whole && batch > 1 ? tagged / batch : 0);
    right &= set_keys == (fresh ? tagged : 0) && wipes == set_keys;
    expected_cycle(expected);
    right &= jm_loop_output(loop, &output, &output_bytes) == JM_LOOP_OK;
    right &= output_bytes == 8 * cycle_messages && memcmp(output, expected, output_bytes) == 0;
    right &= jm_loop_run(loop, batch) == JM_LOOP_OK;
    right &= jm_loop_output(loop, &output, &output_bytes) == JM_LOOP_OK;
    right &= memcmp(output, expected, output_bytes) == 0 && wrong == 0;
    if (batch > 1) right &= jm_loop_run(loop, batch + 1) == JM_LOOP_PARTIAL;
    if (cycle_messages > 1) right &= visit(loop, 0, cycle_messages + 1, &sample) == JM_LOOP_PARTIAL;
    jm_calibration calibrated = {0, 0};
    right &= jm_loop_calibrate(loop, 1000, &calibrated) == JM_LOOP_OK;
    right &= calibrated.messages != 0 && calibrated.messages % cycle_messages == 0;
    right &= calibrated.message_ps != 0;
    jm_loop_close(loop);
    if (!right)
        printf("batch of %zu, %zu batches, mixed %d, cold %d, fresh %d, distinct %d, one call %d: "
               "wrong\n",
               batch, batches, mixed, cold, fresh, distinct, whole);
    return right;
}

/* The status of a batch of three of these messages under a fault. */
static jm_loop_status under_fault(int chosen, bool fresh) {
    asked = (jm_loop_request){.implementation = &implementations[1],
                              .key = keys,
                              .key_bytes = KEY_BYTES,
                              .key_count = 1,
                              .message_bytes = 65,
                              .batch = 3,
                              .fresh_key = fresh};
    jm_loop *loop;
    jm_sample sample;
    const uint8_t *output;
    size_t output_bytes;
    if (jm_loop_open(&asked, &loop) != JM_LOOP_OK) return JM_LOOP_MEMORY;
    tagged = set_keys = wipes = 0;
    fault = chosen;
    jm_loop_status status = visit(loop, 0, 3, &sample);
    fault = NO_FAULT;
    if (status == JM_LOOP_OK) status = jm_loop_output(loop, &output, &output_bytes);
    jm_loop_close(loop);
    return status;
}

static jm_loop_status opened(size_t batch, size_t key_count, size_t length_count, bool latency) {
    jm_loop *loop = NULL;
    const jm_loop_request request = {.implementation = &implementations[0],
                                     .key = keys,
                                     .key_bytes = KEY_BYTES,
                                     .key_count = key_count,
                                     .batch = batch,
                                     .lengths = length_count ? lengths : NULL,
                                     .length_count = length_count,
                                     .latency = latency};
    const jm_loop_status status = jm_loop_open(&request, &loop);
    if (loop) jm_loop_close(loop);
    return status;
}

/* No two messages that start on different lines agree in their first three bytes. */
static bool messages_differ(void) {
    static uint8_t seen[1u << 21];
    for (uint64_t line = 0; line < 65536; line++) {
        uint32_t start = 0;
        for (uint64_t i = 0; i < 3; i++)
            start |= (uint32_t)jm_message_byte(64 * line + i) << (8 * i);
        if (seen[start >> 3] & 1u << (start & 7)) return false;
        seen[start >> 3] |= (uint8_t)(1u << (start & 7));
    }
    return true;
}

static int failures;

static void expect(const char *what, bool right) {
    if (right) return;
    printf("%s: wrong\n", what);
    failures++;
}

int main(void) {
    for (size_t i = 0; i < LONGEST_CYCLE; i++) lengths[i] = i * i % 7 * 40;
    static const size_t batches[] = {1, 2, 3, 8};
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
        for (int bits = 0; bits < 16; bits++) {
            if ((bits & 1) && !jm_can_flush()) continue;
            if ((bits & 4) && ((bits & 2) || batches[b] == 1)) continue;
            if (batches[b] > 1) failures += !check(batches[b], 1, false, bits);
            failures += !check(batches[b], 3, true, bits);
            failures += !check(batches[b], 1, true, bits);
        }
    expect("a tag that is too long", under_fault(LONG_TAG, false) == JM_LOOP_OVERRUN);
    expect("a write between messages", under_fault(WRITES_GAP, false) == JM_LOOP_OVERRUN);
    expect("no fault", under_fault(NO_FAULT, true) == JM_LOOP_OK && wipes == set_keys);
    expect("a key that is refused", under_fault(REFUSES_THIRD_KEY, true) == JM_LOOP_REFUSED);
    expect("the keys before it are wiped", wipes == 2 && tagged == 0);
    expect("no message at a time", opened(0, 1, 0, false) == JM_LOOP_NONSENSE);
    expect("two keys for three messages", opened(3, 2, 0, false) == JM_LOOP_NONSENSE);
    expect("a batch and a half", opened(4, 1, 6, false) == JM_LOOP_NONSENSE);
    expect("a latency of a batch", opened(2, 1, 0, true) == JM_LOOP_NONSENSE);
    expect("a latency of mixed lengths", opened(1, 1, 6, true) == JM_LOOP_OK);
    expect("messages of different lines", messages_differ());
    if (!failures) printf("batches: every message was handed over\n");
    return failures != 0;
}
