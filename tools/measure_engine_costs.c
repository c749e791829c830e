/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the costs of every variant that kernels/engine plans with, and prints a new
 * kernels/engine/engine_costs.h. `make engine-costs` builds and runs this program, in some minutes;
 * it needs a CPU that runs all variants, and a machine with little other work.
 *
 * Batches have one message to four times the lanes, each message under a separate key; once all of
 * one length, once mixed. All variants take turns, PASSES times; a cell is the least time of its
 * passes. The model of kernels/engine/engine.h is fitted to the cells of a variant by least squares
 * of relative errors, with no negative parameter but one: short messages one by one overlap, so
 * that the cost per message of a variant with one lane may be as low as minus half of its cost per
 * block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "joulemark/kernel.h"

enum {
    PASSES = 100,
    SAMPLE_NS = 30000,
    COUNTS = 5, /* batches of 1/4, 1/2, 1, 2 and 4 times the lanes, at least one message */
    SHAPES = 5, /* number of lengths, and of mixes of lengths */
    CELLS = COUNTS * SHAPES,
    PARAMETERS = 4,
    LANES_MAX = 64,
    MESSAGES_MAX = 4 * LANES_MAX,
    VARIANTS_MAX = 256,
    KEY_STATE_BYTES_MAX = 4608,
    STRIDE = 1536, /* bytes of the longest message, rounded up to a multiple of 64 */
};

/* A mix of lengths: of 12 messages weight[i] have bytes[i] bytes, in an order drawn once. If the
 * weights are 0, all lengths from bytes[0] to bytes[1] are equally likely. */
typedef struct {
    size_t bytes[3];
    unsigned weight[3];
} mix;

static const mix equal_lengths[SHAPES] = {
    {{16}, {12}}, {{64}, {12}}, {{192}, {12}}, {{512}, {12}}, {{1500}, {12}},
};
static const mix mixed_lengths[SHAPES] = {
    {{64, 576, 1500}, {7, 4, 1}}, {{16, 1500}, {0}},   {{16, 256}, {0}},
    {{64, 1500}, {9, 3}},         {{40, 200}, {6, 6}},
};

typedef struct {
    double terms[PARAMETERS]; /* factors of the parameters in the model */
    double ns;
} cell;

typedef struct {
    const jm_implementation *implementation;
    const jm_engine *engine;
    cell equal[CELLS], mixed[CELLS];
} variant;

static variant variants[VARIANTS_MAX];
static size_t variant_count;

static uint8_t contents[MESSAGES_MAX * STRIDE];
static uint8_t tags[MESSAGES_MAX][JM_OUTPUT_BYTES_MAX];
static _Alignas(JM_STATE_ALIGN) uint8_t key_states[MESSAGES_MAX * KEY_STATE_BYTES_MAX];
static jm_mac_message messages[MESSAGES_MAX];

/* Key states lie densely, as a caller keeps them: a large power of two apart they would share cache
 * sets. */
static void *key_state_of(const jm_implementation *self, size_t index) {
    const size_t apart = self->mac->key_state_bytes + JM_STATE_ALIGN - 1;
    return key_states + index * (apart / JM_STATE_ALIGN * JM_STATE_ALIGN);
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* A word that looks random and is the same in every run (splitmix64's output function). */
static uint64_t drawn(uint64_t index) {
    index = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    index = (index ^ index >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    index = (index ^ index >> 27) * UINT64_C(0x94d049bb133111eb);
    return index ^ index >> 31;
}

static size_t length_of(const mix *shape, size_t index) {
    const uint64_t word = drawn(index);
    if (!shape->weight[0]) return shape->bytes[0] + word % (shape->bytes[1] - shape->bytes[0] + 1);
    unsigned at = (unsigned)(word % 12);
    for (unsigned i = 0; i < 2; i++) {
        if (at < shape->weight[i]) return shape->bytes[i];
        at -= shape->weight[i];
    }
    return shape->bytes[2];
}

static void tag_all(const jm_implementation *self, size_t count, const size_t *bytes) {
    const uint8_t *at = contents;
    for (size_t i = 0; i < count; i++) {
        messages[i] = (jm_mac_message){key_state_of(self, i), at, bytes[i], tags[i]};
        at += (bytes[i] + 63) / 64 * 64;
    }
    if (self->mac->tag_batch) {
        self->mac->tag_batch(self, messages, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        self->mac->tag(self, messages[i].key_state, messages[i].message, bytes[i], tags[i]);
}

/* Mean time of a batch over about SAMPLE_NS. Reading the clock costs as much as a short message, so
 * that it is read only before and after all batches; one batch before gives their number. */
static double sample_ns(const jm_implementation *self, size_t count, const size_t *bytes) {
    const double before = now_ns();
    tag_all(self, count, bytes);
    const double start = now_ns();
    const size_t repeats = (size_t)(SAMPLE_NS / (start - before)) + 1;
    for (size_t i = 0; i < repeats; i++) tag_all(self, count, bytes);
    return (now_ns() - start) / (double)repeats;
}

static void measure_cell(const variant *measured, const mix *shape, size_t count, cell *at) {
    const jm_implementation *self = measured->implementation;
    size_t bytes[MESSAGES_MAX];
    jm_engine_part part = {(double)count, 0, 0, 1e300};
    for (size_t i = 0; i < count; i++) {
        bytes[i] = length_of(shape, i);
        const double blocks = (double)jm_engine_blocks(measured->engine, bytes[i]);
        part.total += blocks;
        if (blocks > part.longest) part.longest = blocks;
        if (blocks < part.shortest) part.shortest = blocks;
    }
    const jm_engine_candidate lanes = {.lanes = self->lanes, .inverse_lanes = 1.0 / self->lanes};
    const double terms[PARAMETERS] = {1, part.messages, jm_engine_steps(&lanes, part), part.total};
    memcpy(at->terms, terms, sizeof terms);
    const double ns = sample_ns(self, count, bytes);
    if (at->ns == 0 || ns < at->ns) at->ns = ns;
}

static void measure(variant *measured) {
    const jm_implementation *self = measured->implementation;
    uint8_t key[64];
    for (size_t i = 0; i < MESSAGES_MAX; i++) {
        for (size_t j = 0; j < sizeof key; j++) key[j] = (uint8_t)(i + j);
        if (self->mac->set_key(self, key_state_of(self, i), key, self->key_bytes) != JM_OK) abort();
    }
    for (unsigned c = 0; c < CELLS; c++) {
        const size_t quarters = (size_t)self->lanes << c / SHAPES;
        const size_t count = quarters < 4 ? 1 : quarters / 4;
        measure_cell(measured, &equal_lengths[c % SHAPES], count, &measured->equal[c]);
        measure_cell(measured, &mixed_lengths[c % SHAPES], count, &measured->mixed[c]);
    }
    for (size_t i = 0; i < MESSAGES_MAX; i++) self->mac->wipe_key(self, key_state_of(self, i));
}

enum { CALL, MESSAGE, STEP, BLOCK }; /* the parameters */

/* Fits the parameters in `mask`, with the others 0, by least squares of (model - ns) / ns, with
 * Gaussian elimination of the normal equations. Returns the sum of squares, or -1 if a parameter
 * would be out of range or is not determined. */
static double fit_subset(const cell *cells, uint32_t lanes, unsigned mask, double *found) {
    double normal[PARAMETERS][PARAMETERS + 1] = {{0}};
    for (unsigned c = 0; c < CELLS; c++) {
        const cell *at = &cells[c];
        for (unsigned i = 0; i < PARAMETERS; i++) {
            for (unsigned j = 0; j < PARAMETERS; j++)
                normal[i][j] += at->terms[i] * at->terms[j] / (at->ns * at->ns);
            normal[i][PARAMETERS] += at->terms[i] / at->ns;
        }
    }
    for (unsigned i = 0; i < PARAMETERS; i++) {
        if (mask >> i & 1) continue;
        for (unsigned j = 0; j <= PARAMETERS; j++) normal[i][j] = normal[j % PARAMETERS][i] = 0;
        normal[i][i] = 1;
    }
    for (unsigned i = 0; i < PARAMETERS; i++) {
        if (normal[i][i] < 1e-12) return -1;
        for (unsigned k = 0; k < PARAMETERS; k++) {
            if (k == i) continue;
            const double factor = normal[k][i] / normal[i][i];
            for (unsigned j = i; j <= PARAMETERS; j++) normal[k][j] -= factor * normal[i][j];
        }
    }
    double squares = 0;
    for (unsigned i = 0; i < PARAMETERS; i++) {
        found[i] = normal[i][PARAMETERS] / normal[i][i];
        if (found[i] < 0 && (i != MESSAGE || lanes > 1)) return -1;
    }
    if (found[MESSAGE] < -found[BLOCK] / 2) return -1;
    for (unsigned c = 0; c < CELLS; c++) {
        double model = 0;
        for (unsigned i = 0; i < PARAMETERS; i++) model += found[i] * cells[c].terms[i];
        const double error = model / cells[c].ns - 1;
        squares += error * error;
    }
    return squares;
}

/* Prints the parameters that fit best; returns their largest relative error. */
static double print_fit(const cell *cells, uint32_t lanes) {
    double best = -1, parameters[PARAMETERS] = {0}, found[PARAMETERS];
    for (unsigned mask = 1; mask < 1u << PARAMETERS; mask++) {
        if (!(mask & (1u << STEP | 1u << BLOCK))) continue;
        if (lanes == 1 && (mask & (1u << CALL | 1u << STEP))) continue; /* a step is a block */
        const double squares = fit_subset(cells, lanes, mask, found);
        if (squares < 0 || (best >= 0 && squares >= best)) continue;
        best = squares;
        memcpy(parameters, found, sizeof parameters);
    }
    double worst = 0;
    for (unsigned c = 0; c < CELLS; c++) {
        double model = 0;
        for (unsigned i = 0; i < PARAMETERS; i++) model += parameters[i] * cells[c].terms[i];
        const double error = model / cells[c].ns - 1;
        if (error * error > worst * worst) worst = error;
    }
    printf(", {%.1f, %.2f, %.2f, %.2f}", parameters[0], parameters[1], parameters[2],
           parameters[3]);
    return worst;
}

static void print_row(const variant *measured) {
    const jm_implementation *self = measured->implementation;
    printf("    {\"%s\", \"%s\"", self->algorithm, self->variant);
    const double equal = print_fit(measured->equal, self->lanes);
    const double mixed = print_fit(measured->mixed, self->lanes);
    printf("}, /* %+.0f %%, %+.0f %% */\n", 100 * equal, 100 * mixed);
}

/* Finds the variants and the engine of each algorithm; the engine says how work is counted. */
static void find_variants(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *engine = plugin->implementations[i];
        if (!engine->mac || strcmp(engine->variant, "engine")) continue;
        for (size_t j = 0; j < plugin->count; j++) {
            const jm_implementation *rival = plugin->implementations[j];
            const bool of_engine =
                rival->mac && rival != engine && !strcmp(rival->algorithm, engine->algorithm);
            if (!of_engine || (rival->lanes > 1 && !rival->mac->tag_batch)) continue;
            /* No engine chooses these. */
            if (!strncmp(rival->variant, "mcu", 3) || !strncmp(rival->variant, "castellon2022", 13))
                continue;
            if (rival->cpu_features & ~jm_cpu_features()) {
                fprintf(stderr, "this CPU does not run %s/%s: its row would be lost\n",
                        rival->algorithm, rival->variant);
                exit(1);
            }
            if (variant_count == VARIANTS_MAX || rival->lanes > LANES_MAX ||
                rival->mac->key_state_bytes > KEY_STATE_BYTES_MAX)
                abort();
            variants[variant_count++] =
                (variant){.implementation = rival, .engine = (const jm_engine *)engine};
        }
    }
}

static void print_cpu(void) {
    char line[256];
    FILE *cpus = fopen("/proc/cpuinfo", "r");
    while (cpus && fgets(line, sizeof line, cpus)) {
        if (strncmp(line, "model name", 10) && strncmp(line, "cpu family", 10) &&
            strncmp(line, "model\t", 6))
            continue;
        line[strcspn(line, "\n")] = 0;
        printf(" *   %.*s%s\n", (int)strcspn(line, "\t"), line, strchr(line, ':'));
        if (!strncmp(line, "model name", 10)) break; /* the last of the three lines */
    }
    if (cpus) fclose(cpus);
    printf(" *   compiler: %s\n", jm_builtin_plugin()->compiler);
}

int main(void) {
    find_variants();
    for (size_t i = 0; i < sizeof contents; i++) contents[i] = (uint8_t)(drawn(i) >> 8);
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < variant_count; i++) measure(&variants[i]);

    printf(
        "/* SPDX-License-Identifier: Apache-2.0\n"
        " *\n"
        " * What a batch costs each variant, of equal and of mixed messages: per call, per\n"
        " * message, per step and per block, in nanoseconds; engine.h defines them. The comment\n"
        " * of a row gives the largest error of the model for either.\n"
        " * Generated by tools/measure_engine_costs.c, which tells the conditions. One machine\n"
        " * stands for all: plans need ratios, and a plan is never wrong, only slower.\n");
    print_cpu();
    printf(" */\n"
           "#ifndef JM_ENGINE_COSTS_H\n"
           "#define JM_ENGINE_COSTS_H\n\n"
           "#include \"engine/engine.h\"\n\n"
           "/* clang-format off */\n"
           "static const jm_engine_cost_row engine_costs[] = {\n");
    for (size_t i = 0; i < variant_count; i++) print_row(&variants[i]);
    printf("};\n/* clang-format on */\n\n#endif\n");
    return 0;
}
