/* SPDX-License-Identifier: Apache-2.0
 *
 * How a batch of messages of equal work is divided: looked up, not computed.
 * Technique: dynamic programming over the number of messages, once for each class of work, when
 *   the engine is made. The best division of n messages is a first group and the best division of
 *   the rest; only the first group is kept. A group is all messages, or a multiple of the
 *   candidate's lanes: other sizes leave lanes idle that cost the same. Beyond
 *   JM_ENGINE_PLANNED_MAX messages the candidate with the least cost per message takes so many full
 *   rounds that between half of that number and all of it are left.
 * Constant time: counts and lengths alone.
 * Best for: packets and records of one size; the look-up costs a few core cycles a batch. */
#include "engine/engine.h"

/* Classes are half-octaves, so that a class stands for works that differ by less than 1.5 times. */
static unsigned class_of(uint64_t blocks) {
    if (blocks < 2) return 0;
    if (blocks >= 64) return JM_ENGINE_CLASSES - 1;
    const unsigned octave = 63u - (unsigned)__builtin_clzll(blocks);
    return 2 * octave - 1 + (unsigned)(blocks >> (octave - 1) & 1);
}

static double least_of_class(unsigned class) {
    const unsigned octave = (class + 1) / 2;
    return class == 0 ? 1.0 : (double)((UINT64_C(2) + (class + 1) % 2) << (octave - 1));
}

/* The mean of the works that the class stands for. */
static double work_of_class(unsigned class) {
    return (least_of_class(class) + least_of_class(class + 1) - 1) / 2;
}

static double group_ns(const jm_engine_candidate *candidate, size_t messages, double blocks) {
    const jm_engine_part part = {(double)messages, (double)messages * blocks, blocks, blocks};
    return jm_engine_call_ns(&candidate->equal, part, jm_engine_steps(candidate, part));
}

/* Takes `messages` of n by this candidate as the first group if that is better than the best
 * division known. best_ns[i] is final for i < n. */
static void consider(jm_engine *engine, double *best_ns, unsigned class, size_t n,
                     unsigned candidate, size_t messages) {
    const double ns = best_ns[n - messages] +
                      group_ns(&engine->candidate[candidate], messages, work_of_class(class));
    if (ns >= best_ns[n]) return;
    best_ns[n] = ns;
    engine->first[class][n].candidate = (uint8_t)candidate;
    engine->first[class][n].messages = (uint8_t)messages;
}

static void plan_class(jm_engine *engine, unsigned class) {
    double best_ns[JM_ENGINE_PLANNED_MAX + 1] = {0};
    for (size_t n = 1; n <= JM_ENGINE_PLANNED_MAX; n++) {
        best_ns[n] = 1e300;
        for (unsigned c = 0; c < engine->candidates; c++) {
            const size_t lanes = engine->candidate[c].implementation->lanes;
            consider(engine, best_ns, class, n, c, n);
            if (n > lanes) consider(engine, best_ns, class, n, c, n / lanes * lanes);
        }
    }
}

static void plan_bulk(jm_engine *engine, unsigned class) {
    const double blocks = work_of_class(class);
    double least = 1e300;
    for (unsigned c = 0; c < engine->candidates; c++) {
        const jm_engine_candidate *candidate = &engine->candidate[c];
        const jm_engine_cost *cost = &candidate->equal;
        const double block_ns = cost->per_step_ns * candidate->inverse_lanes + cost->per_block_ns;
        const double ns = cost->per_message_ns + block_ns * blocks;
        if (ns >= least) continue;
        least = ns;
        engine->bulk[class] = (uint8_t)c;
    }
}

/* Drops candidates that no division uses, so that mixed batches need not consider them. The
 * single variant stays, because it is [0] by definition. */
static void drop_unused(jm_engine *engine) {
    bool used[JM_ENGINE_CANDIDATES_MAX] = {true};
    uint8_t renamed[JM_ENGINE_CANDIDATES_MAX] = {0};
    for (unsigned class = 0; class < JM_ENGINE_CLASSES; class++) {
        used[engine->bulk[class]] = true;
        for (size_t n = 1; n <= JM_ENGINE_PLANNED_MAX; n++)
            used[engine->first[class][n].candidate] = true;
    }
    size_t kept = 0;
    for (size_t c = 0; c < engine->candidates; c++) {
        if (!used[c]) continue;
        renamed[c] = (uint8_t)kept;
        engine->candidate[kept++] = engine->candidate[c];
    }
    engine->candidates = kept;
    for (unsigned class = 0; class < JM_ENGINE_CLASSES; class++) {
        engine->bulk[class] = renamed[engine->bulk[class]];
        for (size_t n = 1; n <= JM_ENGINE_PLANNED_MAX; n++)
            engine->first[class][n].candidate = renamed[engine->first[class][n].candidate];
    }
}

void jm_engine_plan_equal(jm_engine *engine) {
    for (unsigned class = 0; class < JM_ENGINE_CLASSES; class++) {
        plan_class(engine, class);
        plan_bulk(engine, class);
    }
    drop_unused(engine);
}

jm_engine_group jm_engine_next_group(const jm_engine *engine, uint64_t blocks, size_t count) {
    const unsigned class = class_of(blocks);
    if (count <= JM_ENGINE_PLANNED_MAX)
        return (jm_engine_group){engine->first[class][count].candidate,
                                 engine->first[class][count].messages};
    const unsigned bulk = engine->bulk[class];
    const size_t lanes = engine->candidate[bulk].implementation->lanes;
    const size_t rounds = (count - JM_ENGINE_PLANNED_MAX / 2) / lanes;
    return (jm_engine_group){bulk, rounds ? rounds * lanes : count};
}
