/* SPDX-License-Identifier: Apache-2.0
 *
 * Making an engine: which variants it may choose from, and what each costs. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_KEY_BYTES_MAX = 256, PROBE_STATE_BYTES_MAX = 2048 };

/* Whether both variants make the same key state, by a trial with one public key. States are zeroed
 * first, since set_key need not write padding. Variants whose sizes exceed the buffers count as
 * different. */
static bool sets_same_key(const jm_implementation *implementation, const jm_implementation *other) {
    _Alignas(JM_STATE_ALIGN) uint8_t state[PROBE_STATE_BYTES_MAX] = {0};
    _Alignas(JM_STATE_ALIGN) uint8_t other_state[PROBE_STATE_BYTES_MAX] = {0};
    uint8_t key[PROBE_KEY_BYTES_MAX];
    const size_t bytes = implementation->mac->key_state_bytes;
    if (implementation == other) return true;
    if (bytes != other->mac->key_state_bytes || bytes > sizeof state) return false;
    if (implementation->key_bytes != other->key_bytes || implementation->key_bytes > sizeof key)
        return false;
    for (size_t i = 0; i < implementation->key_bytes; i++) key[i] = (uint8_t)(i + 1);
    const bool set =
        implementation->mac->set_key(implementation, state, key, implementation->key_bytes) ==
            JM_OK &&
        other->mac->set_key(other, other_state, key, implementation->key_bytes) == JM_OK;
    return set && !memcmp(state, other_state, bytes);
}

/* Without a row in the table of costs, a step is taken to need 1 + lanes/8 times the single
 * variant's time for a block, and the single variant half a nanosecond a byte: right enough to fill
 * lanes when there are messages for them, until the costs are measured again. */
static jm_engine_candidate candidate_of(const jm_implementation *implementation,
                                        const jm_engine_candidate *single,
                                        const jm_engine_cost_row *rows, size_t row_count) {
    jm_engine_candidate made = {.implementation = implementation,
                                .lanes = implementation->lanes,
                                .inverse_lanes = 1.0 / implementation->lanes};
    for (size_t i = 0; i < row_count; i++) {
        if (strcmp(rows[i].algorithm, implementation->algorithm) ||
            strcmp(rows[i].variant, implementation->variant))
            continue;
        made.equal = rows[i].equal;
        made.mixed = rows[i].mixed;
        return made;
    }
    if (single) {
        made.equal.per_call_ns = 100;
        made.equal.per_message_ns =
            single->equal.per_message_ns > 0 ? single->equal.per_message_ns : 0;
        made.equal.per_step_ns =
            (single->equal.per_step_ns + single->equal.per_block_ns) * (1.0 + made.lanes / 8);
    } else {
        made.equal.per_message_ns = 10;
        made.equal.per_block_ns = 0.5 * (double)implementation->block_bytes;
    }
    made.mixed = made.equal;
    return made;
}

static void write_note(jm_engine *engine) {
    size_t at = 0;
    for (size_t c = 0; c < engine->candidates && at < sizeof engine->note; c++)
        at += (size_t)snprintf(engine->note + at, sizeof engine->note - at, "%s%s",
                               c ? ", " : "Chooses by the batch's size and lengths; here among: ",
                               engine->candidate[c].implementation->variant);
}

static const jm_implementation *last_single(const char *algorithm,
                                            const jm_implementation *const *implementations,
                                            size_t count, uint32_t cpu_features) {
    const jm_implementation *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const jm_implementation *implementation = implementations[i];
        if (implementation->mac && implementation->lanes == 1 &&
            !strcmp(implementation->algorithm, algorithm) &&
            !(implementation->cpu_features & ~cpu_features))
            found = implementation;
    }
    return found;
}

/* An engine keeps secrets if all of its candidates do. */
static uint8_t worse_timing(uint8_t one, uint8_t other) {
    if (one == JM_TIMING_VARIABLE || other == JM_TIMING_VARIABLE) return JM_TIMING_VARIABLE;
    return one == JM_TIMING_CONSTANT ? other : one;
}

static void add_candidate(jm_engine *engine, jm_engine_candidate candidate) {
    if (engine->candidates == JM_ENGINE_CANDIDATES_MAX) abort();
    engine->candidate[engine->candidates++] = candidate;
}

bool jm_engine_make(jm_engine *engine, const jm_engine_work *work,
                    const jm_implementation *const *implementations, size_t count,
                    uint32_t cpu_features, const jm_engine_cost_row *rows, size_t row_count) {
    const jm_implementation *single =
        last_single(work->algorithm, implementations, count, cpu_features);
    if (!single) return false;
    *engine = (jm_engine){.implementation = *single, .functions = *single->mac, .work = *work};
    engine->block_shift = (unsigned)__builtin_ctzll(single->block_bytes);
    engine->block_odd = (uint32_t)(single->block_bytes >> engine->block_shift);
    add_candidate(engine, candidate_of(single, NULL, rows, row_count));
    for (size_t i = 0; i < count; i++) {
        const jm_implementation *implementation = implementations[i];
        if (!implementation->mac || !implementation->mac->tag_batch || implementation->lanes < 2 ||
            strcmp(implementation->algorithm, work->algorithm) ||
            (implementation->cpu_features & ~cpu_features) ||
            !sets_same_key(single, implementation))
            continue;
        add_candidate(engine, candidate_of(implementation, &engine->candidate[0], rows, row_count));
    }
    jm_engine_plan_equal(engine);

    engine->functions.tag_batch = jm_engine_tag_batch;
    engine->implementation.variant = "engine";
    engine->implementation.mac = &engine->functions;
    engine->implementation.note = engine->note;
    engine->implementation.cpu_features = 0; /* this CPU runs all candidates */
    for (size_t c = 0; c < engine->candidates; c++) {
        const jm_implementation *implementation = engine->candidate[c].implementation;
        if (implementation->lanes > engine->implementation.lanes)
            engine->implementation.lanes = implementation->lanes;
        engine->implementation.constant_time =
            worse_timing(engine->implementation.constant_time, implementation->constant_time);
    }
    write_note(engine);
    return true;
}
