/* SPDX-License-Identifier: Apache-2.0
 *
 * An engine's tag_batch.
 * Technique: engine.h has the model. A batch whose messages have equal work is passed on in place,
 * part by part; of a mixed batch the few longest messages are first moved behind the others, in a
 * copy of the array of at most JM_ENGINE_SLICE entries. State: pointers and lengths of one slice on
 * the stack, 10 KiB; no secrets. CPU features: none; it calls variants that the CPU runs. Constant
 * time: as far as its candidates are; this file reads counts and lengths alone. Best for: anybody
 * who does not want to choose. */
#include "engine/engine.h"

static jm_status run(const jm_engine_candidate *candidate, const jm_mac_message *messages,
                     size_t count) {
    const jm_implementation *chosen = candidate->implementation;
    if (chosen->mac->tag_batch) return chosen->mac->tag_batch(chosen, messages, count);
    jm_status status = JM_OK;
    for (; count && status == JM_OK; count--, messages++)
        status = chosen->mac->tag(chosen, messages->key_state, messages->message,
                                  messages->message_bytes, messages->tag);
    return status;
}

static jm_status tag_equal(const jm_engine *engine, const jm_mac_message *messages, size_t count) {
    const uint64_t blocks = jm_engine_blocks(engine, messages->message_bytes);
    jm_status status = JM_OK;
    while (count && status == JM_OK) {
        const jm_engine_group group = jm_engine_next_group(engine, blocks, count);
        status = run(&engine->candidate[group.candidate], messages, group.messages);
        messages += group.messages;
        count -= group.messages;
    }
    return status;
}

/* Tags at most JM_ENGINE_SLICE messages. */
static jm_status tag_mixed(const jm_engine *engine, const jm_mac_message *messages, size_t count) {
    uint64_t blocks[JM_ENGINE_SLICE];
    for (size_t i = 0; i < count; i++)
        blocks[i] = jm_engine_blocks(engine, messages[i].message_bytes);
    const jm_engine_division division = jm_engine_divide(engine, blocks, count);
    const jm_engine_candidate *for_others = &engine->candidate[division.for_others];
    if (!division.longest) return run(for_others, messages, count);

    jm_mac_message ordered[JM_ENGINE_SLICE];
    const size_t others = count - division.longest;
    size_t equal_to_least = division.longest; /* of the longest, those of the least work */
    for (size_t i = 0; i < count; i++) equal_to_least -= blocks[i] > division.least_of_longest;
    jm_mac_message *other = ordered, *longest = ordered + others;
    for (size_t i = 0; i < count; i++) {
        const bool is_least = blocks[i] == division.least_of_longest && equal_to_least;
        equal_to_least -= is_least;
        if (is_least || blocks[i] > division.least_of_longest)
            *longest++ = messages[i];
        else
            *other++ = messages[i];
    }
    const jm_status status = run(for_others, ordered, others);
    if (status != JM_OK) return status;
    return run(&engine->candidate[division.for_longest], ordered + others, division.longest);
}

/* Eight lengths for each branch: the loop's own instructions would show beside 16 messages of 16
 * bytes. */
static bool all_equal(const jm_mac_message *messages, size_t count) {
    const size_t message_bytes = messages->message_bytes;
    size_t i = 1;
    for (; count - i >= 8; i += 8) {
        size_t different = 0;
        for (size_t k = 0; k < 8; k++) different |= messages[i + k].message_bytes ^ message_bytes;
        if (different) return false;
    }
#pragma GCC unroll 8
    for (; i < count; i++)
        if (messages[i].message_bytes != message_bytes) return false;
    return true;
}

jm_status jm_engine_tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                              size_t count) {
    const jm_engine *engine = (const jm_engine *)self;
    if (count <= 1) return run(&engine->candidate[0], messages, count);
    if (all_equal(messages, count)) return tag_equal(engine, messages, count);
    jm_status status = JM_OK;
    while (count && status == JM_OK) {
        const size_t slice = count < JM_ENGINE_SLICE ? count : JM_ENGINE_SLICE;
        status = tag_mixed(engine, messages, slice);
        messages += slice;
        count -= slice;
    }
    return status;
}
