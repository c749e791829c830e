// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "case_parts.h"

static bool one_call(jm_checker *checker, size_t part, jm_placed *m) {
    const jm_implementation *self = checker->self;
    const jm_case *check_case = checker->check_case;
    const size_t key = part % check_case->keys;
    const bool long_output = self->kind == JM_KIND_CIPHER && check_case->call != JM_CALL_CHAIN;
    const size_t bytes = long_output ? m->bytes : self->output_bytes;
    uint8_t *output =
        check_case->call == JM_CALL_IN_PLACE ? m->at : jm_place_output(checker, bytes);
    const void *state = jm_state_at(checker, key);
    jm_status status = JM_OK;
    bool made;
    if (self->kind == JM_KIND_HASH) status = self->hash->digest(self, m->at, m->bytes, output);
    if (self->kind == JM_KIND_MAC) status = self->mac->tag(self, state, m->at, m->bytes, output);
    if (check_case->call == JM_CALL_CHAIN) {
        memset(output, 0, bytes);
        self->cipher->chain(self, state, output, m->at, m->bytes / self->block_bytes);
    } else if (self->kind == JM_KIND_CIPHER) {
        self->cipher->encrypt(self, state, m->at, output, m->bytes / self->block_bytes);
    }
    checker->calls++;
    if (!jm_accepted(checker, status, part, m->bytes, &made)) return false;
    if (check_case->call != JM_CALL_IN_PLACE && !jm_kept_bounds(checker, part, m, output, bytes))
        return false;
    return !made || jm_agrees(checker, part, m, check_case->key_seed + key, output, bytes);
}

static bool run_calls(jm_checker *checker) {
    const jm_case *check_case = checker->check_case;
    const uint8_t *source = jm_case_source(check_case);
    for (size_t i = 0; i < check_case->parts; i++) {
        if (check_case->lengths[i] >= checker->refused_bytes) continue;
        jm_placed m = jm_place_message(checker, source, check_case->lengths[i]);
        checker->finding->part = i;
        checker->finding->message_bytes = m.bytes;
        if (!one_call(checker, i, &m)) return false;
    }
    return true;
}

static void run(void *argument) {
    jm_checker *checker = argument;
    const jm_implementation *self = checker->self;
    const jm_case *check_case = checker->check_case;
    const bool streams = check_case->call == JM_CALL_STREAM || check_case->call == JM_CALL_ABANDON;
    const size_t keys =
        check_case->keys < check_case->parts || streams ? check_case->keys : check_case->parts;
    const bool copies = check_case->call == JM_CALL_COPY;
    if (check_case->call == JM_CALL_THREADS) {
        jm_run_threads(checker);
        return;
    }
    const size_t state_bytes = self->kind == JM_KIND_MAC      ? self->mac->key_state_bytes
                               : self->kind == JM_KIND_CIPHER ? self->cipher->schedule_bytes
                                                              : 0;
    if (!jm_set_keys(checker, keys)) return;
    if (state_bytes && !jm_states_kept_in(checker, 0, keys, state_bytes)) return;
    bool right;
    /* Other threads may use a key at the same time, so that no call writes to its state, not even
     * what it wrote back. States of streams lie beside those of keys, and are written. */
    jm_guarded *states = &checker->memories[JM_IN_STATES];
    if (state_bytes && !streams && !checker->keys_change) jm_guarded_seal(states);
    if (check_case->call == JM_CALL_BATCH)
        right = jm_run_batch(checker);
    else if (check_case->call == JM_CALL_STREAM || check_case->call == JM_CALL_ABANDON)
        right = jm_run_streams(checker);
    else
        right = run_calls(checker);
    jm_guarded_unseal(states);
    if (right && state_bytes) jm_states_kept_in(checker, 0, keys, state_bytes);
    jm_wipe_keys(checker, keys + (copies ? 1 : 0));
}

static bool offers(const jm_checker *checker, jm_case_call call) {
    const jm_implementation *self = checker->self;
    const bool mac = self->kind == JM_KIND_MAC, cipher = self->kind == JM_KIND_CIPHER;
    const bool streams = mac ? self->mac->stream_bytes != 0 : !cipher && self->hash->init;
    switch (call) {
    case JM_CALL_ONE:
        return true;
    case JM_CALL_COPY:
        return mac;
    case JM_CALL_STREAM:
        return streams;
    case JM_CALL_ABANDON:
        return mac && streams;
    case JM_CALL_BATCH:
        return mac && self->mac->tag_batch;
    case JM_CALL_THREADS:
        return !checker->one_thread;
    default:
        return cipher;
    }
}

/* Bytes of its pattern that a case reads: messages of a batch start at multiples of 64, streams a
 * byte apart, and all other messages at the same byte. */
static uint64_t read_bytes(const jm_case *check_case) {
    const bool apart = check_case->call == JM_CALL_STREAM || check_case->call == JM_CALL_ABANDON ||
                       check_case->call == JM_CALL_BATCH || check_case->call == JM_CALL_THREADS;
    uint64_t longest = 0;
    if (apart) return jm_case_total_bytes(check_case) + 64 * check_case->parts + JM_STREAMS_MAX;
    for (size_t i = 0; i < check_case->parts; i++)
        if (check_case->lengths[i] > longest) longest = check_case->lengths[i];
    return longest;
}

static bool can_be_run(const jm_checker *checker, const jm_case *check_case) {
    const jm_implementation *self = checker->self;
    const bool streams = check_case->call == JM_CALL_STREAM || check_case->call == JM_CALL_ABANDON;
    const bool lies_there = check_case->pattern == 'z' && check_case->call != JM_CALL_BATCH;
    const uint64_t total = jm_case_total_bytes(check_case);
    if (!offers(checker, check_case->call)) return false;
    if (self->kind != JM_KIND_HASH && (check_case->key_bytes < self->key_bytes_min ||
                                       check_case->key_bytes > self->key_bytes_max))
        return false;
    if (streams && check_case->keys > JM_STREAMS_MAX) return false;
    if (check_case->call == JM_CALL_BATCH && total > JM_BATCH_BYTES) return false;
    const uint64_t start = check_case->pattern == 's' ? 0 : check_case->message_start;
    if (streams && start + total + JM_STREAMS_MAX > jm_pattern_bytes(check_case->pattern))
        return false;
    if (check_case->call == JM_CALL_THREADS &&
        (check_case->keys != JM_STREAMS_MAX || !check_case->parts))
        return false;
    if (check_case->pattern == 's' && read_bytes(check_case) > JM_STRUCTURED_BYTES) return false;
    for (size_t i = 0; i < check_case->parts; i++) {
        if (check_case->lengths[i] > JM_CHECK_LONGEST &&
            (!lies_there || self->kind == JM_KIND_CIPHER))
            return false;
        if (start + check_case->lengths[i] > jm_pattern_bytes(check_case->pattern)) return false;
        if (self->kind == JM_KIND_CIPHER && check_case->lengths[i] % self->block_bytes)
            return false;
        if (check_case->call == JM_CALL_THREADS &&
            check_case->lengths[i] >
                (self->kind == JM_KIND_CIPHER ? JM_THREAD_BYTES : JM_CHECK_LONGEST))
            return false;
    }
    return true;
}

jm_verdict jm_run_case(jm_checker *checker, const jm_case *check_case, jm_finding *finding) {
    static const jm_verdict beyond[JM_MEMORIES] = {JM_TOUCHED_BEYOND_MESSAGE,
                                                   JM_TOUCHED_BEYOND_OUTPUT, JM_TOUCHED_BEYOND_KEY,
                                                   JM_TOUCHED_BEYOND_STATE};
    if (check_case != &checker->current) checker->current = *check_case;
    checker->check_case = &checker->current;
    checker->finding = finding;
    finding->verdict = JM_RIGHT;
    finding->output_bytes = 0;
    finding->part = 0;
    finding->message_bytes = jm_case_total_bytes(check_case);
    if (!can_be_run(checker, check_case)) return finding->verdict = JM_NOT_FOR_THIS;
    const uint64_t most = jm_pattern_bytes(check_case->pattern), bytes = read_bytes(check_case),
                   end = check_case->message_start + bytes;
    if (check_case->pattern == 's')
        jm_write_structured(checker->self, check_case, bytes);
    else if (!jm_pattern(check_case->pattern, end < most ? end : most))
        return finding->verdict = JM_NO_MEMORY;
    const uint8_t *touched = jm_watched(run, checker);
    for (size_t i = 0; touched && i < JM_MEMORIES; i++) {
        const jm_guarded *memory = &checker->memories[i];
        if (!jm_guarded_touched(memory, touched)) continue;
        const bool within = touched >= memory->first && touched < memory->end;
        finding->verdict = within ? JM_WROTE_KEY : beyond[i];
    }
    for (size_t i = 0; i < JM_MEMORIES; i++) jm_guarded_unseal(&checker->memories[i]);
    return finding->verdict;
}
