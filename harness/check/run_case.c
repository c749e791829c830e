// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "checker.h"

typedef struct message {
    const uint8_t *source; /* what it holds, in jm_pattern */
    uint8_t *at;           /* where it lies */
    uint64_t bytes;
} message;

static const uint8_t canary[JM_CANARY_BYTES] = {[0 ... JM_CANARY_BYTES - 1] = JM_CANARY_BYTE};

static bool found(jm_checker *checker, jm_verdict verdict, size_t part, uint64_t message_bytes) {
    checker->finding->verdict = verdict;
    checker->finding->part = part;
    checker->finding->message_bytes = message_bytes;
    return false;
}

static uint8_t *state_at(const jm_checker *checker, size_t index) {
    return checker->memories[JM_IN_STATES].first + index * checker->state_stride;
}

/* The rest of each state's stride is a canary, and so are bytes that were not set up. */
static uint8_t *fresh_state(const jm_checker *checker, size_t index) {
    return memset(state_at(checker, index), JM_CANARY_BYTE, checker->state_stride);
}

static bool states_kept_in(jm_checker *checker, size_t first, size_t count, size_t bytes) {
    for (size_t i = first; i < first + count; i++) {
        const uint8_t *behind = state_at(checker, i) + bytes;
        for (size_t left = checker->state_stride - bytes; left; left--)
            if (behind[left - 1] != JM_CANARY_BYTE)
                return found(checker, JM_WROTE_BEHIND_STATE, i, 0);
    }
    return true;
}

/* Sets key number `seed` up. The key's bytes are gone afterwards, so that nobody can keep a pointer
 * to them, and its last byte is the last before a guard page. */
static bool set_key(jm_checker *checker, uint8_t *state, uint64_t seed) {
    const size_t bytes = checker->one->key_bytes;
    uint8_t *key = jm_guarded_place(&checker->memories[JM_IN_KEYS], bytes, JM_AT_END);
    for (size_t i = 0; i < bytes; i++) key[i] = jm_case_key_byte(seed, i);
    const jm_status status = jm_set_key(checker->self, state, key, bytes);
    memset(key, JM_UNUSED_BYTE, bytes);
    return status == JM_OK || found(checker, JM_REFUSED_KEY, 0, bytes);
}

static void wipe_keys(jm_checker *checker, size_t count) {
    const jm_implementation *self = checker->self;
    for (size_t i = 0; i < count; i++) {
        if (self->kind == JM_KIND_MAC) self->mac->wipe_key(self, state_at(checker, i));
        if (self->kind == JM_KIND_CIPHER) self->cipher->wipe_key(self, state_at(checker, i));
    }
}

/* States 0 to keys - 1. Of a copy the original is wiped, and another key is set in its place. */
static bool set_keys(jm_checker *checker, size_t keys) {
    const jm_implementation *self = checker->self;
    if (self->kind == JM_KIND_HASH) return true;
    for (size_t k = 0; k < keys; k++) {
        uint8_t *state = fresh_state(checker, k);
        const uint64_t seed = checker->one->key_seed + k;
        if (checker->one->call != JM_CALL_COPY) {
            if (!set_key(checker, state, seed)) return false;
            continue;
        }
        uint8_t *original = fresh_state(checker, keys);
        if (!set_key(checker, original, seed)) return false;
        if (self->mac->copy_key(self, state, original)) return found(checker, JM_REFUSED_KEY, k, 0);
        self->mac->wipe_key(self, original);
        if (!set_key(checker, original, seed + JM_CASE_PARTS_MAX)) return false;
        if (k + 1 < keys) self->mac->wipe_key(self, original);
    }
    return true;
}

/* A long message is read where its pattern lies, which cannot be written to. */
static message place_message(jm_checker *checker, const uint8_t *source, uint64_t bytes) {
    message placed = {source, (uint8_t *)(uintptr_t)source, bytes};
    if (bytes <= JM_CHECK_LONGEST) {
        placed.at = jm_guarded_place(&checker->memories[JM_IN_MESSAGES], bytes, checker->one->at);
        memcpy(placed.at, source, bytes);
    }
    return placed;
}

static uint8_t *place_output(jm_checker *checker, size_t bytes) {
    const jm_guarded *outputs = &checker->memories[JM_IN_OUTPUTS];
    uint8_t *at = jm_guarded_place(outputs, bytes, checker->one->out);
    const size_t behind = checker->one->out == JM_AT_END ? 0 : JM_CANARY_BYTES;
    memset(at - JM_CANARY_BYTES, JM_CANARY_BYTE, JM_CANARY_BYTES);
    memset(at, JM_UNUSED_BYTE, bytes);
    memset(at + bytes, JM_CANARY_BYTE, behind);
    return at;
}

static bool kept_bounds(jm_checker *checker, size_t part, const message *m, const uint8_t *output,
                        size_t bytes) {
    const size_t left = (size_t)(checker->memories[JM_IN_OUTPUTS].end - output) - bytes;
    if (memcmp(output - JM_CANARY_BYTES, canary, JM_CANARY_BYTES))
        return found(checker, JM_WROTE_BEFORE_OUTPUT, part, m->bytes);
    if (left && memcmp(output + bytes, canary, left < JM_CANARY_BYTES ? left : JM_CANARY_BYTES))
        return found(checker, JM_WROTE_BEHIND_OUTPUT, part, m->bytes);
    return true;
}

static bool agrees(jm_checker *checker, size_t part, const message *m, uint64_t key_seed,
                   const uint8_t *output, size_t bytes) {
    const uint8_t *expected =
        jm_trusted_output(&checker->trusted, checker->one, key_seed, m->source, m->bytes);
    if (m->at != m->source && memcmp(m->at, m->source, m->bytes) &&
        checker->one->call != JM_CALL_IN_PLACE)
        return found(checker, JM_WROTE_MESSAGE, part, m->bytes);
    if (!expected || !memcmp(output, expected, bytes)) return true;
    size_t wrong = 0;
    while (output[wrong] == expected[wrong]) wrong++;
    wrong -= wrong % checker->self->output_bytes; /* the first wrong block of a cipher */
    checker->finding->output_bytes = checker->self->output_bytes;
    memcpy(checker->finding->got, output + wrong, checker->self->output_bytes);
    memcpy(checker->finding->expected, expected + wrong, checker->self->output_bytes);
    return found(checker, JM_WRONG_OUTPUT, part, m->bytes);
}

/* Whether the call was made; a message that an outside library does not take is noted. */
static bool accepted(jm_checker *checker, jm_status status, size_t part, uint64_t bytes,
                     bool *made) {
    *made = status == JM_OK;
    if (status == JM_ERR_MESSAGE_BYTES && bytes < checker->refused_bytes)
        checker->refused_bytes = bytes;
    if (status == JM_OK || status == JM_ERR_MESSAGE_BYTES) return true;
    return found(checker, JM_REFUSED_MESSAGE, part, bytes);
}

static bool one_call(jm_checker *checker, size_t part, message *m) {
    const jm_implementation *self = checker->self;
    const jm_case *one = checker->one;
    const size_t key = part % one->keys;
    const bool long_output = self->kind == JM_KIND_CIPHER && one->call != JM_CALL_CHAIN;
    const size_t bytes = long_output ? m->bytes : self->output_bytes;
    uint8_t *output = one->call == JM_CALL_IN_PLACE ? m->at : place_output(checker, bytes);
    const void *state = state_at(checker, key);
    jm_status status = JM_OK;
    bool made;
    if (self->kind == JM_KIND_HASH) status = self->hash->digest(self, m->at, m->bytes, output);
    if (self->kind == JM_KIND_MAC) status = self->mac->tag(self, state, m->at, m->bytes, output);
    if (one->call == JM_CALL_CHAIN) {
        memset(output, 0, bytes);
        self->cipher->chain(self, state, output, m->at, m->bytes / self->block_bytes);
    } else if (self->kind == JM_KIND_CIPHER) {
        self->cipher->encrypt(self, state, m->at, output, m->bytes / self->block_bytes);
    }
    checker->calls++;
    if (!accepted(checker, status, part, m->bytes, &made)) return false;
    if (one->call != JM_CALL_IN_PLACE && !kept_bounds(checker, part, m, output, bytes))
        return false;
    return !made || agrees(checker, part, m, one->key_seed + key, output, bytes);
}

static bool run_calls(jm_checker *checker) {
    const jm_case *one = checker->one;
    const uint8_t *source = jm_pattern(one->pattern, 0) + one->message_start;
    for (size_t i = 0; i < one->parts; i++) {
        if (one->lengths[i] >= checker->refused_bytes) continue;
        message m = place_message(checker, source, one->lengths[i]);
        checker->finding->part = i;
        checker->finding->message_bytes = m.bytes;
        if (!one_call(checker, i, &m)) return false;
    }
    return true;
}

static jm_status begin(const jm_checker *checker, size_t stream) {
    const jm_implementation *self = checker->self;
    uint8_t *state = fresh_state(checker, checker->one->keys + stream);
    if (self->kind == JM_KIND_HASH) return self->hash->init(self, state);
    return self->mac->stream_begin(self, state, state_at(checker, stream));
}

static jm_status feed(const jm_checker *checker, size_t stream, const message *piece) {
    const jm_implementation *self = checker->self;
    uint8_t *state = state_at(checker, checker->one->keys + stream);
    if (self->kind == JM_KIND_HASH) return self->hash->update(self, state, piece->at, piece->bytes);
    return self->mac->stream_update(self, state, piece->at, piece->bytes);
}

static jm_status finish(const jm_checker *checker, size_t stream, uint8_t *output) {
    const jm_implementation *self = checker->self;
    uint8_t *state = state_at(checker, checker->one->keys + stream);
    if (self->kind == JM_KIND_HASH) return self->hash->final(self, state, output);
    return self->mac->stream_finish(self, state, output);
}

/* Each piece lies where the piece before it lay, so that no pointer to it can be of use. */
static bool run_streams(jm_checker *checker) {
    const jm_case *one = checker->one;
    const uint64_t total = jm_case_total_bytes(one);
    const uint8_t *source = jm_pattern(one->pattern, 0) + one->message_start;
    const size_t state_bytes = checker->self->kind == JM_KIND_HASH
                                   ? checker->self->hash->state_bytes
                                   : checker->self->mac->stream_bytes;
    unsigned status = 0;
    bool made;
    if (total >= checker->refused_bytes) return true;
    for (size_t k = 0; k < one->keys; k++) {
        status |= begin(checker, k);
        if (one->call != JM_CALL_ABANDON) continue;
        const message first = place_message(checker, source + k, one->lengths[0]);
        status |= feed(checker, k, &first);
        status |= finish(checker, k, NULL);
        status |= begin(checker, k);
    }
    for (size_t i = 0, at = 0; i < one->parts; at += one->lengths[i++])
        for (size_t k = 0; k < one->keys; k++) {
            const message piece = place_message(checker, source + k + at, one->lengths[i]);
            status |= feed(checker, k, &piece);
            if (piece.at != piece.source && memcmp(piece.at, piece.source, piece.bytes))
                return found(checker, JM_WROTE_MESSAGE, i, piece.bytes);
        }
    if (!states_kept_in(checker, one->keys, one->keys, state_bytes)) return false;
    for (size_t k = 0; k < one->keys; k++) {
        const message whole = {source + k, (uint8_t *)(uintptr_t)(source + k), total};
        uint8_t *output = place_output(checker, checker->self->output_bytes);
        status |= finish(checker, k, output);
        checker->calls++;
        if (!accepted(checker, (jm_status)status, k, total, &made)) return false;
        if (!kept_bounds(checker, k, &whole, output, checker->self->output_bytes)) return false;
        if (made &&
            !agrees(checker, k, &whole, one->key_seed + k, output, checker->self->output_bytes))
            return false;
    }
    return true;
}

/* Messages lie one after the other, the last at the end or each at an address modulo 64; so do
 * tags, with canaries between them unless they end at the guard page. */
static bool run_batch(jm_checker *checker) {
    const jm_implementation *self = checker->self;
    const jm_case *one = checker->one;
    const size_t gap = one->out == JM_AT_END ? 0 : 17;
    const size_t tags_bytes = one->parts * (self->output_bytes + gap);
    const uint8_t *source = jm_pattern(one->pattern, 0) + one->message_start;
    message messages[JM_CASE_PARTS_MAX];
    jm_mac_message list[JM_CASE_PARTS_MAX + 1];
    uint8_t *tags = place_output(checker, tags_bytes);
    uint64_t bytes = 0;
    bool made;
    for (size_t i = 0; i < one->parts; i++)
        bytes += one->at == JM_AT_END ? one->lengths[i] : one->lengths[i] / 64 * 64 + 128;
    uint8_t *at = jm_guarded_place(&checker->memories[JM_IN_MESSAGES], bytes, one->at);
    memset(tags, JM_CANARY_BYTE, tags_bytes);
    for (size_t i = 0; i < one->parts; i++) {
        if (one->at != JM_AT_END) at += (one->at - (uintptr_t)at) % 64;
        messages[i] = (message){source, at, one->lengths[i]};
        memcpy(at, source, one->lengths[i]);
        list[i] = (jm_mac_message){state_at(checker, i % one->keys), at, one->lengths[i],
                                   tags + i * (self->output_bytes + gap)};
        memset(list[i].tag, JM_UNUSED_BYTE, self->output_bytes);
        at += one->lengths[i];
        source += jm_round_up_64(one->lengths[i] + 1);
    }
    const jm_status status = self->mac->tag_batch(self, list, one->parts);
    checker->calls++;
    if (!accepted(checker, status, 0, jm_case_total_bytes(one), &made)) return false;
    for (size_t i = 0; i < one->parts; i++) {
        const message *m = &messages[i];
        const uint8_t *tag = tags + i * (self->output_bytes + gap);
        if (made && !agrees(checker, i, m, one->key_seed + i % one->keys, tag, self->output_bytes))
            return false;
        if (memcmp(tag + self->output_bytes, canary, gap))
            return found(checker, JM_WROTE_BEHIND_OUTPUT, i, m->bytes);
    }
    const message last = {NULL, NULL, one->parts ? one->lengths[one->parts - 1] : 0};
    return kept_bounds(checker, 0, &last, tags, tags_bytes);
}

static void run(void *argument) {
    jm_checker *checker = argument;
    const jm_implementation *self = checker->self;
    const jm_case *one = checker->one;
    const size_t keys =
        one->keys < one->parts || one->call == JM_CALL_STREAM || one->call == JM_CALL_ABANDON
            ? one->keys
            : one->parts;
    const bool copies = one->call == JM_CALL_COPY;
    const size_t state_bytes = self->kind == JM_KIND_MAC      ? self->mac->key_state_bytes
                               : self->kind == JM_KIND_CIPHER ? self->cipher->schedule_bytes
                                                              : 0;
    if (!set_keys(checker, keys)) return;
    if (state_bytes && !states_kept_in(checker, 0, keys, state_bytes)) return;
    bool right;
    if (one->call == JM_CALL_BATCH)
        right = run_batch(checker);
    else if (one->call == JM_CALL_STREAM || one->call == JM_CALL_ABANDON)
        right = run_streams(checker);
    else
        right = run_calls(checker);
    if (right && state_bytes) states_kept_in(checker, 0, keys, state_bytes);
    wipe_keys(checker, keys + (copies ? 1 : 0));
}

static bool offers(const jm_implementation *self, jm_case_call call) {
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
    default:
        return cipher;
    }
}

static bool can_be_run(const jm_checker *checker, const jm_case *one) {
    const jm_implementation *self = checker->self;
    const bool streams = one->call == JM_CALL_STREAM || one->call == JM_CALL_ABANDON;
    const bool lies_there = one->pattern == 'z' && one->call != JM_CALL_BATCH;
    const uint64_t total = jm_case_total_bytes(one);
    if (!offers(self, one->call)) return false;
    if (self->kind != JM_KIND_HASH &&
        (one->key_bytes < self->key_bytes_min || one->key_bytes > self->key_bytes_max))
        return false;
    if (streams && one->keys > JM_STREAMS_MAX) return false;
    if (one->call == JM_CALL_BATCH && total > JM_BATCH_BYTES) return false;
    if (streams && one->message_start + total + JM_STREAMS_MAX > jm_pattern_bytes(one->pattern))
        return false;
    for (size_t i = 0; i < one->parts; i++) {
        if (one->lengths[i] > JM_CHECK_LONGEST && (!lies_there || self->kind == JM_KIND_CIPHER))
            return false;
        if (one->message_start + one->lengths[i] > jm_pattern_bytes(one->pattern)) return false;
        if (self->kind == JM_KIND_CIPHER && one->lengths[i] % self->block_bytes) return false;
    }
    return true;
}

jm_verdict jm_run_case(jm_checker *checker, const jm_case *one, jm_finding *finding) {
    static const jm_verdict beyond[JM_MEMORIES] = {JM_TOUCHED_BEYOND_MESSAGE,
                                                   JM_TOUCHED_BEYOND_OUTPUT, JM_TOUCHED_BEYOND_KEY,
                                                   JM_TOUCHED_BEYOND_STATE};
    if (one != &checker->current) checker->current = *one;
    checker->one = &checker->current;
    checker->finding = finding;
    finding->verdict = JM_RIGHT;
    finding->output_bytes = 0;
    finding->part = 0;
    finding->message_bytes = jm_case_total_bytes(one);
    if (!can_be_run(checker, one)) return finding->verdict = JM_NOT_FOR_THIS;
    /* What a case reads: messages of a batch start at multiples of 64, and streams a byte apart. */
    const uint64_t most = jm_pattern_bytes(one->pattern),
                   read_bytes = one->message_start + jm_case_total_bytes(one) + 64 * one->parts +
                                JM_STREAMS_MAX;
    if (!jm_pattern(one->pattern, read_bytes < most ? read_bytes : most))
        return finding->verdict = JM_NO_MEMORY;
    const void *touched = jm_watched(run, checker);
    for (size_t i = 0; touched && i < JM_MEMORIES; i++)
        if (jm_guarded_touched(&checker->memories[i], touched)) finding->verdict = beyond[i];
    return finding->verdict;
}
