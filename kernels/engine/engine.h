/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine: the implementation of an algorithm that chooses among its other variants.
 *
 * An engine is made together with the registry, from the variants that the registry holds and this
 * CPU runs:
 *   - The last runnable variant with one lane, as `auto` prefers them, is its `single`. The engine
 *     is a copy of that implementation under the name "engine", so that key set-up, streams and
 *     `tag` are the single variant's own functions and cost nothing more. (A kernel's functions may
 *     ask `self` for its facts, `mac` and `over`, all of which are copied.)
 *   - Its candidates for batches are the runnable variants with several lanes whose set_key makes,
 *     byte for byte, the key state that the single variant makes. They are found by this test, not
 *     by name: a new variant needs no line here, only a row in engine_costs.h.
 *   - `tag_batch` divides a batch among the candidates by a model of their cost.
 *
 * Cost model of one call with m messages, in nanoseconds of the machine that was measured (only
 * ratios matter):
 *     per_call + per_message * m + per_step * steps + per_block * blocks,
 * where `steps` is the makespan, in blocks, of the messages over the lanes, and `blocks` their sum.
 * Vector lanes cost the same however many are at work (per_block is nearly 0), interleaved streams
 * cost less when some are idle. The parameters differ between messages of equal work, which finish
 * together, and mixed ones, which must be ordered and refilled.
 *
 * Nothing here reads keys or messages: lengths and counts decide everything. An engine is constant
 * after jm_engine_make, so any number of threads may use it. */
#ifndef JM_ENGINE_H
#define JM_ENGINE_H

#include "common/table.h"

enum {
    JM_ENGINE_CANDIDATES_MAX = 16,
    JM_ENGINE_PLANNED_MAX = 128, /* messages of equal work whose division is tabled */
    JM_ENGINE_CLASSES = 12,      /* of work: 1, 2, 3, 4, 6, 8, 12, ... 48, 64 blocks and more */
    JM_ENGINE_LONGEST_MAX = 12,  /* messages of a mixed batch that may leave the lanes */
    JM_ENGINE_SLICE = 256,       /* messages of a mixed batch planned together */
    JM_ENGINE_NOTE_BYTES = 192,
};

/* How an algorithm's work follows from a message's length, in blocks:
 *     max(1, ceil((message_bytes + padding_bytes) / block_bytes)) + closing_blocks.
 * A block's cost may differ between candidates, not between blocks. */
typedef struct jm_engine_work {
    const char *algorithm;
    uint8_t padding_bytes;  /* the least that is appended: 0x80 and the length, for HMAC */
    uint8_t closing_blocks; /* after the message: the outer hash of HMAC */
} jm_engine_work;

typedef struct jm_engine_cost {
    /* >= 0, not all 0; with one lane per_message_ns >= -per_block_ns / 2: short messages overlap */
    double per_call_ns, per_message_ns, per_step_ns, per_block_ns;
} jm_engine_cost;

typedef struct jm_engine_cost_row {
    const char *algorithm, *variant;
    jm_engine_cost equal, mixed;
} jm_engine_cost_row;

typedef struct jm_engine_candidate {
    const jm_implementation *implementation;
    double lanes, inverse_lanes;
    jm_engine_cost equal, mixed;
} jm_engine_candidate;

/* Messages that are planned together: their number, and their work in blocks. Whole numbers. */
typedef struct jm_engine_part {
    double messages, total, longest, shortest;
} jm_engine_part;

/* The makespan of a part, in blocks, estimated by the largest of three lower bounds: the longest
 * message; all blocks spread evenly; the rounds that the count needs, each of the shortest
 * message. Exact for messages of equal work. */
static inline double jm_engine_steps(const jm_engine_candidate *candidate, jm_engine_part part) {
    const double evenly = part.total * candidate->inverse_lanes;
    const double full = (double)(int64_t)(part.messages * candidate->inverse_lanes + 1e-9);
    const bool is_full = full * candidate->lanes >= part.messages;
    const double rounds = (is_full ? full : full + 1) * part.shortest;
    const double most = evenly > rounds ? evenly : rounds;
    return most > part.longest ? most : part.longest;
}

static inline double jm_engine_call_ns(const jm_engine_cost *cost, jm_engine_part part,
                                       double steps) {
    return cost->per_call_ns + cost->per_message_ns * part.messages + cost->per_step_ns * steps +
           cost->per_block_ns * part.total;
}

/* The next `messages` of a batch are for one candidate. */
typedef struct jm_engine_group {
    unsigned candidate;
    size_t messages;
} jm_engine_group;

typedef struct jm_engine {
    jm_implementation implementation; /* the first member: `self` of its functions */
    jm_mac_functions functions;
    char note[JM_ENGINE_NOTE_BYTES];
    jm_engine_work work;
    unsigned block_shift; /* how often 2 divides block_bytes */
    uint32_t block_odd;   /* the odd factor of block_bytes: 1 but for hashes of the Keccak family */
    size_t candidates;
    jm_engine_candidate candidate[JM_ENGINE_CANDIDATES_MAX]; /* [0] is the single variant */
    uint8_t bulk[JM_ENGINE_CLASSES]; /* least cost per message of a large batch */
    /* The first group of the best division of n messages of one class. The messages left are looked
     * up again. */
    struct {
        uint8_t candidate, messages;
    } first[JM_ENGINE_CLASSES][JM_ENGINE_PLANNED_MAX + 1];
} jm_engine;

/* Makes the engine of `work->algorithm` from `count` implementations, of which those with other
 * algorithms are passed over. Returns false, and makes no engine, if none runs with `cpu_features`.
 * The implementations must outlive the engine; the other arguments need not. Aborts rather than
 * pass over a candidate for which there is no room. */
bool jm_engine_make(jm_engine *engine, const jm_engine_work *work,
                    const jm_implementation *const *implementations, size_t count,
                    uint32_t cpu_features, const jm_engine_cost_row *rows, size_t row_count);

/* `engine`'s work for one message, in blocks. */
static inline uint64_t jm_engine_blocks(const jm_engine *engine, uint64_t message_bytes) {
    const uint64_t padded = message_bytes + engine->work.padding_bytes;
    uint64_t before_last = (padded - (padded != 0)) >> engine->block_shift;
    if (engine->block_odd != 1) before_last /= engine->block_odd;
    return before_last + 1 + engine->work.closing_blocks;
}

/* engine_equal.c: messages of equal work. */
void jm_engine_plan_equal(jm_engine *engine);
/* The group of the first of `count` >= 1 messages of `blocks` each; 1 <= messages <= count. */
jm_engine_group jm_engine_next_group(const jm_engine *engine, uint64_t blocks, size_t count);

/* engine_mixed.c: messages of different work. `longest` of them, the longest, go to candidate
 * `for_longest` and the others to `for_others`; longest 0: all go to `for_others`. */
typedef struct jm_engine_division {
    unsigned for_others, for_longest, longest;
    uint64_t least_of_longest; /* blocks of the shortest of the `longest` messages */
} jm_engine_division;

/* Divides a batch of `count` messages, 1 <= count <= JM_ENGINE_SLICE, of blocks[i] each. */
jm_engine_division jm_engine_divide(const jm_engine *engine, const uint64_t *blocks, size_t count);

/* engine.c */
jm_status jm_engine_tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                              size_t count);

/* engine_table.c: the engines of the implementations that the registry holds so far, made once. */
const jm_table *jm_engines_over(const jm_implementation *const *implementations, size_t count);

#endif
