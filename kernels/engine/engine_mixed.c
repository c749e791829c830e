/* SPDX-License-Identifier: Apache-2.0
 *
 * How a batch of messages of different work is divided.
 * Technique: lanes are busy for as long as the longest message, however few are that long. So
 *   either all messages go to one candidate, or the k longest go to a candidate with fewer lanes
 *   (which does a block sooner) and the others, whose longest is then shorter, to the lanes. Pairs
 *   of candidates and every k up to JM_ENGINE_LONGEST_MAX are compared by the cost model, as far as
 *   bounds do not rule them out.
 * State: the longest messages' blocks, on the stack; public.
 * Constant time: counts and lengths alone.
 * Best for: traffic with a few long packets among short ones (IMIX). */
#include "engine/engine.h"

/* Pairs are searched only if more than this could be gained: the search itself costs about a fifth
 * of it. */
#define WORTH_SEARCHING_NS 500.0

/* A pair must be better than one candidate by more than the average error of the model. */
#define PAIR_MARGIN 0.95

/* The k longest messages of a batch, and the others, for every k that is tried. */
typedef struct {
    unsigned count;                                    /* k may be 1 to this */
    uint64_t blocks[JM_ENGINE_LONGEST_MAX];            /* longest first */
    jm_engine_part longest[JM_ENGINE_LONGEST_MAX + 1]; /* by k */
    jm_engine_part others[JM_ENGINE_LONGEST_MAX + 1];
} cuts;

static double part_ns(const jm_engine_candidate *candidate, jm_engine_part part) {
    return jm_engine_call_ns(&candidate->mixed, part, jm_engine_steps(candidate, part));
}

/* Writes the blocks of the longest messages, longest first; returns how many these are. */
static unsigned find_longest(const uint64_t *blocks, size_t count, uint64_t *longest) {
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        if (found == JM_ENGINE_LONGEST_MAX && blocks[i] <= longest[found - 1]) continue;
        if (found < JM_ENGINE_LONGEST_MAX) found++;
        unsigned at = found - 1;
        for (; at && longest[at - 1] < blocks[i]; at--) longest[at] = longest[at - 1];
        longest[at] = blocks[i];
    }
    return found;
}

/* If the longest of the others is not known, it is taken to be as long as the last known
 * message. */
static void find_cuts(const uint64_t *blocks, size_t count, jm_engine_part all, cuts *at) {
    const unsigned found = find_longest(blocks, count, at->blocks);
    at->count = found < count ? found : found - 1;
    double taken = 0;
    for (unsigned k = 1; k <= at->count; k++) {
        const double least = (double)at->blocks[k - 1];
        const double next = k < found ? (double)at->blocks[k] : least;
        taken += least;
        at->longest[k] = (jm_engine_part){k, taken, all.longest, least};
        at->others[k] = (jm_engine_part){all.messages - k, all.total - taken, next, all.shortest};
    }
}

static void search_pairs(const jm_engine *engine, const cuts *at, double best_ns,
                         jm_engine_division *best) {
    for (unsigned c = 0; c < engine->candidates; c++) {
        const jm_engine_candidate *for_others = &engine->candidate[c];
        const double least_others_ns = part_ns(for_others, at->others[at->count]);
        for (unsigned d = 0; d < engine->candidates; d++) {
            const jm_engine_candidate *for_longest = &engine->candidate[d];
            if (for_longest->lanes >= for_others->lanes) continue;
            for (unsigned k = 1; k <= at->count; k++) {
                const double longest_ns = part_ns(for_longest, at->longest[k]);
                if (longest_ns + least_others_ns >= best_ns) break; /* longest_ns grows with k */
                const double ns = longest_ns + part_ns(for_others, at->others[k]);
                if (ns >= best_ns) continue;
                best_ns = ns;
                *best = (jm_engine_division){c, d, k, at->blocks[k - 1]};
            }
        }
    }
}

jm_engine_division jm_engine_divide(const jm_engine *engine, const uint64_t *blocks, size_t count) {
    uint64_t total = 0, longest = 0, shortest = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        total += blocks[i];
        if (blocks[i] > longest) longest = blocks[i];
        if (blocks[i] < shortest) shortest = blocks[i];
    }
    const jm_engine_part all = {(double)count, (double)total, (double)longest, (double)shortest};
    jm_engine_division best = {0};
    double best_ns = 1e300, even_ns = 1e300;
    for (unsigned c = 0; c < engine->candidates; c++) {
        const jm_engine_candidate *candidate = &engine->candidate[c];
        const double ns = part_ns(candidate, all);
        const double if_even_ns =
            jm_engine_call_ns(&candidate->mixed, all, all.total * candidate->inverse_lanes);
        if (if_even_ns < even_ns) even_ns = if_even_ns;
        if (ns >= best_ns) continue;
        best_ns = ns;
        best.for_others = c;
    }
    if (best_ns - even_ns < WORTH_SEARCHING_NS) return best;
    cuts at;
    find_cuts(blocks, count, all, &at);
    search_pairs(engine, &at, best_ns * PAIR_MARGIN, &best);
    return best;
}
