// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "case_parts.h"

static jm_status begin(const jm_checker *checker, size_t stream) {
    const jm_implementation *self = checker->self;
    uint8_t *state = jm_fresh_state(checker, checker->check_case->keys + stream);
    if (self->kind == JM_KIND_HASH) return self->hash->init(self, state);
    return self->mac->stream_begin(self, state, jm_state_at(checker, stream));
}

static jm_status feed(const jm_checker *checker, size_t stream, const jm_placed *piece) {
    const jm_implementation *self = checker->self;
    uint8_t *state = jm_state_at(checker, checker->check_case->keys + stream);
    if (self->kind == JM_KIND_HASH) return self->hash->update(self, state, piece->at, piece->bytes);
    return self->mac->stream_update(self, state, piece->at, piece->bytes);
}

static jm_status finish(const jm_checker *checker, size_t stream, uint8_t *output) {
    const jm_implementation *self = checker->self;
    uint8_t *state = jm_state_at(checker, checker->check_case->keys + stream);
    if (self->kind == JM_KIND_HASH) return self->hash->final(self, state, output);
    return self->mac->stream_finish(self, state, output);
}

/* A whole message, as others may send it while a stream waits for its next piece. */
static void between_pieces(const jm_checker *checker, size_t key) {
    const jm_implementation *self = checker->self;
    const uint8_t *message = jm_case_source(checker->check_case);
    uint8_t output[JM_OUTPUT_BYTES_MAX];
    if (self->kind == JM_KIND_HASH)
        self->hash->digest(self, message, JM_STREAMS_MAX, output);
    else
        self->mac->tag(self, jm_state_at(checker, key), message, JM_STREAMS_MAX, output);
}

/* Each piece overwrites the piece before it, so that an implementation that keeps a pointer into a
 * piece fails. Between the pieces of two streams, whole messages are tagged under the key of the
 * other. */
bool jm_run_streams(jm_checker *checker) {
    const jm_case *check_case = checker->check_case;
    const uint64_t total = jm_case_total_bytes(check_case);
    const uint8_t *source = jm_case_source(check_case);
    const size_t state_bytes = checker->self->kind == JM_KIND_HASH
                                   ? checker->self->hash->state_bytes
                                   : checker->self->mac->stream_bytes;
    unsigned status = 0;
    bool made;
    if (total >= checker->refused_bytes) return true;
    for (size_t k = 0; k < check_case->keys; k++) {
        status |= begin(checker, k);
        if (check_case->call != JM_CALL_ABANDON) continue;
        const jm_placed first = jm_place_message(checker, source + k, check_case->lengths[0]);
        status |= feed(checker, k, &first);
        status |= finish(checker, k, NULL);
        status |= begin(checker, k);
    }
    for (size_t i = 0, at = 0; i < check_case->parts; at += check_case->lengths[i++])
        for (size_t k = 0; k < check_case->keys; k++) {
            const jm_placed piece =
                jm_place_message(checker, source + k + at, check_case->lengths[i]);
            status |= feed(checker, k, &piece);
            if (piece.at != piece.source && memcmp(piece.at, piece.source, piece.bytes))
                return jm_found(checker, JM_WROTE_MESSAGE, i, piece.bytes);
            if (check_case->keys > 1) between_pieces(checker, check_case->keys - 1 - k);
        }
    if (!jm_states_kept_in(checker, check_case->keys, check_case->keys, state_bytes)) return false;
    for (size_t k = 0; k < check_case->keys; k++) {
        const jm_placed whole = {source + k, (uint8_t *)(uintptr_t)(source + k), total};
        uint8_t *output = jm_place_output(checker, checker->self->output_bytes);
        status |= finish(checker, k, output);
        checker->calls++;
        if (!jm_accepted(checker, (jm_status)status, k, total, &made)) return false;
        if (!jm_kept_bounds(checker, k, &whole, output, checker->self->output_bytes)) return false;
        if (made && !jm_agrees(checker, k, &whole, check_case->key_seed + k, output,
                               checker->self->output_bytes))
            return false;
    }
    return true;
}
