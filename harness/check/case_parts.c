// SPDX-License-Identifier: Apache-2.0
#include "case_parts.h"

#include <string.h>

const uint8_t jm_canaries[JM_CANARY_BYTES] = {[0 ... JM_CANARY_BYTES - 1] = JM_CANARY_BYTE};

bool jm_found(jm_checker *checker, jm_verdict verdict, size_t part, uint64_t message_bytes) {
    checker->finding->verdict = verdict;
    checker->finding->part = part;
    checker->finding->message_bytes = message_bytes;
    return false;
}

uint8_t *jm_state_at(const jm_checker *checker, size_t index) {
    return checker->memories[JM_IN_STATES].first + index * checker->state_stride;
}

/* The whole stride is filled: the rest behind a state is a canary, and so are bytes not set up. */
uint8_t *jm_fresh_state(const jm_checker *checker, size_t index) {
    return memset(jm_state_at(checker, index), JM_CANARY_BYTE, checker->state_stride);
}

bool jm_states_kept_in(jm_checker *checker, size_t first, size_t count, size_t bytes) {
    for (size_t i = first; i < first + count; i++) {
        const uint8_t *behind = jm_state_at(checker, i) + bytes;
        for (size_t left = checker->state_stride - bytes; left; left--)
            if (behind[left - 1] != JM_CANARY_BYTE)
                return jm_found(checker, JM_WROTE_BEHIND_STATE, i, 0);
    }
    return true;
}

/* Sets key number `seed` up. Its bytes cannot be written meanwhile, and are overwritten afterwards,
 * so that an implementation that keeps a pointer to them fails, and its last byte is the last
 * before a guard page. */
static bool set_key(jm_checker *checker, uint8_t *state, uint64_t seed) {
    const size_t bytes = checker->check_case->key_bytes;
    uint8_t *key = jm_guarded_place(&checker->memories[JM_IN_KEYS], bytes, JM_AT_END);
    jm_case_key(seed, key, bytes);
    jm_guarded_seal(&checker->memories[JM_IN_KEYS]);
    const jm_status status =
        jm_set_key(checker->self, state, key, bytes,
                   jm_nonce_bytes(checker->self, checker->trusted.table, seed));
    jm_guarded_unseal(&checker->memories[JM_IN_KEYS]);
    memset(key, JM_UNUSED_BYTE, bytes);
    return status == JM_OK || jm_found(checker, JM_REFUSED_KEY, 0, bytes);
}

void jm_wipe_keys(jm_checker *checker, size_t count) {
    for (size_t i = 0; i < count; i++) jm_wipe_key(checker->self, jm_state_at(checker, i));
}

/* Wiping and replacing the original of a copy shows a copy that still points into it. */
bool jm_set_keys(jm_checker *checker, size_t keys) {
    const jm_implementation *self = checker->self;
    if (self->kind == JM_KIND_HASH) return true;
    for (size_t k = 0; k < keys; k++) {
        uint8_t *state = jm_fresh_state(checker, k);
        const uint64_t seed = checker->check_case->key_seed + k;
        if (checker->check_case->call != JM_CALL_COPY) {
            if (!set_key(checker, state, seed)) return false;
            continue;
        }
        uint8_t *original = jm_fresh_state(checker, keys);
        if (!set_key(checker, original, seed)) return false;
        if (self->mac->copy_key(self, state, original))
            return jm_found(checker, JM_REFUSED_KEY, k, 0);
        self->mac->wipe_key(self, original);
        if (!set_key(checker, original, seed + JM_CASE_PARTS_MAX)) return false;
        if (k + 1 < keys) self->mac->wipe_key(self, original);
    }
    return true;
}

/* Only messages of at most JM_CHECK_LONGEST bytes fit the memory between guard pages. */
jm_placed jm_place_message(jm_checker *checker, const uint8_t *source, uint64_t bytes) {
    jm_placed placed = {source, (uint8_t *)(uintptr_t)source, bytes};
    if (bytes <= JM_CHECK_LONGEST) {
        placed.at =
            jm_guarded_place(&checker->memories[JM_IN_MESSAGES], bytes, checker->check_case->at);
        memcpy(placed.at, source, bytes);
    }
    return placed;
}

uint8_t *jm_place_output(jm_checker *checker, size_t bytes) {
    const jm_guarded *outputs = &checker->memories[JM_IN_OUTPUTS];
    uint8_t *at = jm_guarded_place(outputs, bytes, checker->check_case->out);
    const size_t behind = checker->check_case->out == JM_AT_END ? 0 : JM_CANARY_BYTES;
    memset(at - JM_CANARY_BYTES, JM_CANARY_BYTE, JM_CANARY_BYTES);
    memset(at, JM_UNUSED_BYTE, bytes);
    memset(at + bytes, JM_CANARY_BYTE, behind);
    return at;
}

bool jm_kept_bounds(jm_checker *checker, size_t part, const jm_placed *m, const uint8_t *output,
                    size_t bytes) {
    const size_t left = (size_t)(checker->memories[JM_IN_OUTPUTS].end - output) - bytes;
    if (memcmp(output - JM_CANARY_BYTES, jm_canaries, JM_CANARY_BYTES))
        return jm_found(checker, JM_WROTE_BEFORE_OUTPUT, part, m->bytes);
    if (left &&
        memcmp(output + bytes, jm_canaries, left < JM_CANARY_BYTES ? left : JM_CANARY_BYTES))
        return jm_found(checker, JM_WROTE_BEHIND_OUTPUT, part, m->bytes);
    return true;
}

void jm_note_outputs(const jm_implementation *self, jm_finding *finding, const uint8_t *got,
                     const uint8_t *expected) {
    size_t wrong = 0;
    while (got[wrong] == expected[wrong]) wrong++;
    wrong -= wrong % self->output_bytes; /* the first wrong block of a cipher */
    finding->verdict = JM_WRONG_OUTPUT;
    finding->output_bytes = self->output_bytes;
    memcpy(finding->got, got + wrong, self->output_bytes);
    memcpy(finding->expected, expected + wrong, self->output_bytes);
}

bool jm_agrees(jm_checker *checker, size_t part, const jm_placed *m, uint64_t key_seed,
               const uint8_t *output, size_t bytes) {
    const uint8_t *expected =
        jm_trusted_output(&checker->trusted, checker->check_case, key_seed, m->source, m->bytes);
    if (m->at != m->source && memcmp(m->at, m->source, m->bytes) &&
        checker->check_case->call != JM_CALL_IN_PLACE)
        return jm_found(checker, JM_WROTE_MESSAGE, part, m->bytes);
    if (!expected || !memcmp(output, expected, bytes)) return true;
    jm_note_outputs(checker->self, checker->finding, output, expected);
    return jm_found(checker, JM_WRONG_OUTPUT, part, m->bytes);
}

bool jm_accepted(jm_checker *checker, jm_status status, size_t part, uint64_t bytes, bool *made) {
    *made = status == JM_OK;
    if (status == JM_ERR_MESSAGE_BYTES && bytes < checker->refused_bytes)
        checker->refused_bytes = bytes;
    if (status == JM_OK || status == JM_ERR_MESSAGE_BYTES) return true;
    return jm_found(checker, JM_REFUSED_MESSAGE, part, bytes);
}
