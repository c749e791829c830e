// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <time.h>

#include "checker.h"

uint64_t jm_cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

jm_checker *jm_checker_open(const jm_implementation *self, const jm_implementation *trusted) {
    /* Room for canaries and alignment round a message, and round each message of a batch. */
    const size_t long_bytes = JM_CHECK_LONGEST + JM_CASE_PARTS_MAX * 128 + 512;
    jm_checker *checker = calloc(1, sizeof *checker);
    if (!checker) return NULL;
    checker->self = self;
    checker->refused_bytes = UINT64_MAX;
    checker->stops = JM_STOPS;
    checker->state_stride = jm_round_up_64(jm_state_bytes(self)) + JM_CANARY_BYTES;
    if (jm_trusted_open(&checker->trusted, trusted, self) &&
        jm_guarded_open(&checker->memories[JM_IN_MESSAGES], long_bytes) &&
        jm_guarded_open(&checker->memories[JM_IN_OUTPUTS], long_bytes) &&
        jm_guarded_open(&checker->memories[JM_IN_KEYS], JM_CASE_KEY_BYTES_MAX) &&
        jm_guarded_open(&checker->memories[JM_IN_STATES],
                        (JM_CASE_PARTS_MAX + JM_STREAMS_MAX) * checker->state_stride))
        return checker;
    jm_checker_close(checker);
    return NULL;
}

void jm_checker_keep_to_one_thread(jm_checker *checker) {
    checker->one_thread = true;
}

void jm_checker_let_keys_change(jm_checker *checker) {
    checker->keys_change = true;
}

void jm_checker_close(jm_checker *checker) {
    for (size_t i = 0; i < JM_MEMORIES; i++) jm_guarded_close(&checker->memories[i]);
    jm_trusted_close(&checker->trusted);
    free(checker);
}

jm_verdict jm_check_replay(jm_checker *checker, const jm_case *check_case, jm_finding *finding) {
    jm_watch_begin(checker->memories, JM_MEMORIES, &checker->current);
    finding->smallest = *check_case;
    finding->repeats = true;
    jm_run_case(checker, check_case, finding);
    jm_watch_end();
    return finding->verdict;
}

jm_verdict jm_check_spot(jm_checker *checker, uint64_t number, jm_finding *finding) {
    const jm_implementation *self = checker->self;
    uint64_t chance = 0;
    for (uint64_t i = 0; i < 8; i++) chance |= (uint64_t)jm_case_key_byte(number + 1, i) << (8 * i);
    const uint64_t unit = self->kind == JM_KIND_CIPHER ? self->block_bytes : 1;
    const jm_case check_case = {
        .call = JM_CALL_ONE,
        .key_bytes = self->key_bytes,
        .keys = 1,
        .pattern = 'm',
        .at = chance % JM_AT_END,
        .out = chance / 128 % JM_AT_END,
        .parts = 1,
        .lengths = {chance / 8192 % (JM_CHECK_EVERY_LENGTH / unit + 1) * unit}};
    return jm_check_replay(checker, &check_case, finding);
}
