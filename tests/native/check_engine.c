/* SPDX-License-Identifier: Apache-2.0
 * Tests of the check in harness/check: it finds all our kernels right, every line that it writes
 * can be read again, lines of any bytes are read or refused, and guard pages catch every access to
 * them.
 *
 *   check_engine          one of our kernels of each form
 *   check_engine whole    all kernels; with sanitizers, where a call costs ten times as much, only
 *                         portable kernels, one of each form and length of block
 */
#include "check/check.h"
#include "check/guarded.h"
#include "native_test.h"
#include "over_hashes.h"
#include "sanitized.h"

#define ROUNDS 20000

#define SPOTS (SANITIZED ? 3 : 5)

static uint64_t seed = 1;

static size_t below(size_t limit) {
    return (size_t)(random_word(&seed) >> 32) % limit;
}

static void demand(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* All facts that decide which calls the check makes and, unless calls cost ten times as much, at
 * which lengths. */
static unsigned form_of(const jm_implementation *self, bool whole) {
    const bool mac = self->kind == JM_KIND_MAC, hash = self->kind == JM_KIND_HASH;
    return (unsigned)self->kind | (unsigned)(hash && self->hash->init) << 4 |
           (unsigned)(mac && self->mac->stream_begin) << 5 |
           (unsigned)(mac && self->mac->tag_batch) << 6 |
           (unsigned)(self->key_bytes_min == self->key_bytes_max) << 7 |
           (SANITIZED && !whole ? 0 : (unsigned)self->block_bytes << 8);
}

/* A portable kernel is compared with itself, any other kernel with the portable kernel. */
static bool is_candidate(const jm_implementation *self) {
    const bool portable = !strcmp(self->variant, "portable");
    return can_run(self) && !is_left_out(self) && portable == SANITIZED;
}

static bool is_tried(const jm_plugin *plugin, size_t at, bool whole) {
    const jm_implementation *self = plugin->implementations[at];
    if (!is_candidate(self)) return false;
    if (whole && !SANITIZED) return true;
    for (size_t i = 0; i < at; i++) {
        const jm_implementation *before = plugin->implementations[i];
        if (is_candidate(before) && form_of(before, whole) == form_of(self, whole)) return false;
    }
    return true;
}

static void check_kernels(bool whole) {
    const jm_plugin *plugin = jm_builtin_plugin();
    const jm_check_request request = {.seed = 1, .cpu_ns = SANITIZED ? 1000000 : 20000000};
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (!is_tried(plugin, i, whole)) continue;
        jm_coverage coverage;
        jm_finding finding;
        char line[JM_CASE_TEXT_BYTES];
        jm_checker *checker = jm_checker_open(self, portable_of(self));
        CHECK(checker, self, "no memory");
        const bool right = jm_check(checker, &request, &coverage, &finding);
        if (!right) jm_case_text(&finding.smallest, line);
        CHECK(right, self, "wrong: %s", line);
        CHECK(coverage.alignments == 64, self, "not all addresses");
        for (uint64_t spot = 0; spot < SPOTS; spot++)
            CHECK(jm_check_spot(checker, spot, &finding) == JM_RIGHT, self, "a spot is wrong");
        jm_checker_close(checker);
    }
}

static jm_case random_case(void) {
    jm_case check_case = {.call = (jm_case_call)below(JM_CALL_COUNT),
                          .key_seed = random_word(&seed) >> below(64),
                          .key_bytes = below(JM_CASE_KEY_BYTES_MAX + 1),
                          .keys = 1 + below(JM_CASE_PARTS_MAX),
                          .pattern = "mfzs"[below(4)],
                          .message_start = below(1 << 20),
                          .at = below(JM_AT_END + 1),
                          .out = below(JM_AT_END + 1)};
    check_case.parts = below(JM_CASE_PARTS_MAX + 1);
    if (!check_case.parts) check_case.call = JM_CALL_BATCH;
    for (size_t i = 0; i < check_case.parts; i++)
        check_case.lengths[i] =
            below(3) && i ? check_case.lengths[i - 1] : random_word(&seed) >> (24 + below(40));
    return check_case;
}

static void check_lines(void) {
    char line[JM_CASE_TEXT_BYTES], again[JM_CASE_TEXT_BYTES];
    jm_case read;
    for (int i = 0; i < ROUNDS; i++) {
        const jm_case check_case = random_case();
        jm_case_text(&check_case, line);
        demand(jm_case_parse(line, &read), line);
        jm_case_text(&read, again);
        demand(!strcmp(line, again), again);
        demand(jm_case_total_bytes(&read) == jm_case_total_bytes(&check_case), line);
        /* A line spoiled in one place or cut is read or refused, and never past its end. */
        const size_t bytes = strlen(line), at = below(bytes);
        char *copy = exact_state(bytes + 1);
        memcpy(copy, line, bytes + 1);
        copy[at] = below(4) ? "0123456789abcdef,*+= endmfzs"[below(27)] : (char)below(256);
        if (!below(4)) copy[below(bytes)] = 0;
        if (jm_case_parse(copy, &read)) jm_case_text(&read, again);
        free(copy);
    }
    demand(!jm_case_parse("", &read) && !jm_case_parse("one", &read), "half a line was read");
}

static void touch(void *address) {
    *(volatile uint8_t *)address;
}

static void check_guards(void) {
    jm_guarded memory;
    const jm_case none = {.keys = 1, .pattern = 'm', .parts = 1};
    demand(jm_guarded_open(&memory, 1000), "no memory");
    demand((memory.end - memory.first) % 4096 == 0, "not whole pages");
    for (size_t at = 0; at <= JM_AT_END; at++) {
        uint8_t *place = jm_guarded_place(&memory, 100, at);
        demand(place >= memory.first && place + 100 <= memory.end, "a place outside");
        demand(at == JM_AT_END ? place + 100 == memory.end : (uintptr_t)place % 64 == at, "where");
    }
    jm_watch_begin(&memory, 1, &none);
    demand(!jm_watched(touch, memory.end - 1), "the last byte may be touched");
    demand(jm_watched(touch, memory.end) == memory.end, "the byte behind was touched in silence");
    demand(jm_watched(touch, memory.first - 1) != NULL, "the byte before was touched in silence");
    demand(!jm_watched(touch, memory.first), "the first byte may be touched");
    jm_watch_end();
    jm_guarded_close(&memory);
}

int main(int argc, char **argv) {
    check_guards();
    check_lines();
    check_kernels(argc > 1 && !strcmp(argv[1], "whole"));
    return 0;
}
