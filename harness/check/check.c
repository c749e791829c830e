// SPDX-License-Identifier: Apache-2.0
// Chooses the cases and their order: the cases that fail most often come first.
#include "check.h"

#include <string.h>

#include "checker.h"

#define RANDOM_PARTS_MAX 12u
/* Stops of a thread in a check: a few, and one more for each of these. A stop takes about 0.1 ms,
 * of which most is waiting. */
#define STOPS_LEAST 50u
#define STOP_CPU_NS UINT64_C(2000000)

typedef struct check {
    jm_checker *checker;
    jm_coverage *coverage;
    jm_finding *finding;
    uint64_t chance; /* state of the generator */
    uint64_t next_key;
    bool slack;
    bool right;
    jm_case before; /* the case before this one */
    uint64_t key_lengths_seen[JM_CASE_KEY_BYTES_MAX / 64 + 1];
} check;

static uint64_t below(check *c, uint64_t limit) {
    c->chance ^= c->chance >> 12; /* xorshift64*; not 0 */
    c->chance ^= c->chance << 25;
    c->chance ^= c->chance >> 27;
    return (c->chance * UINT64_C(0x2545f4914f6cdd1d) >> 32) % limit;
}

static uint64_t whole_blocks(const check *c, uint64_t bytes) {
    const jm_implementation *self = c->checker->self;
    return self->kind == JM_KIND_CIPHER ? bytes / self->block_bytes * self->block_bytes : bytes;
}

static jm_case plain_case(const check *c, uint64_t bytes) {
    jm_case check_case = {.call = JM_CALL_ONE,
                          .key_bytes = c->checker->self->key_bytes,
                          .keys = 1,
                          .pattern = 'm',
                          .parts = 1};
    check_case.lengths[0] = whole_blocks(c, bytes);
    return check_case;
}

static bool taken(const check *c, uint64_t bytes) {
    return bytes < c->checker->refused_bytes;
}

static void count(check *c, const jm_case *check_case) {
    for (size_t i = 0; i < check_case->parts; i++)
        if (check_case->lengths[i] > c->coverage->longest_bytes && taken(c, check_case->lengths[i]))
            c->coverage->longest_bytes = check_case->lengths[i];
    if (check_case->call == JM_CALL_BATCH) c->coverage->batches++;
    if (check_case->call == JM_CALL_STREAM || check_case->call == JM_CALL_ABANDON)
        c->coverage->streams += check_case->keys;
    if (check_case->pattern == 's') {
        c->coverage->structured++;
    } else if (check_case->key_seed >= c->next_key) {
        c->coverage->keys += check_case->keys;
        c->next_key = check_case->key_seed + check_case->keys;
    }
    uint64_t *seen = &c->key_lengths_seen[check_case->key_bytes / 64];
    const uint64_t bit = UINT64_C(1) << check_case->key_bytes % 64;
    if (c->checker->self->kind != JM_KIND_HASH && !(*seen & bit)) c->coverage->key_lengths++;
    *seen |= bit;
}

/* A fault that does not repeat may need the calls of the case before, which are added to it. */
static void after_the_one_before(check *c) {
    const jm_finding alone = *c->finding;
    const jm_case *before = &c->before;
    jm_case *check_case = &c->finding->smallest;
    if (check_case->call == before->call &&
        check_case->parts + before->parts <= JM_CASE_PARTS_MAX) {
        memmove(check_case->lengths + before->parts, check_case->lengths,
                check_case->parts * sizeof *check_case->lengths);
        memcpy(check_case->lengths, before->lengths, before->parts * sizeof *check_case->lengths);
        check_case->parts += before->parts;
        jm_shrink(c->checker, c->finding);
    }
    if (!c->finding->repeats) *c->finding = alone;
}

/* Runs a case; false after a fault, which ends the check. */
static bool holds(check *c, const jm_case *wanted) {
    jm_case *const check_case = &c->checker->current;
    *check_case = *wanted;
    if (c->slack && check_case->at == JM_AT_END) check_case->at = 0;
    const jm_verdict verdict = jm_run_case(c->checker, check_case, c->finding);
    if (verdict == JM_NOT_FOR_THIS) return true;
    if (verdict == JM_RIGHT) {
        count(c, check_case);
        c->before = *check_case;
        return true;
    }
    c->right = false;
    c->finding->smallest = *check_case;
    if (verdict == JM_NO_MEMORY) return false;
    jm_shrink(c->checker, c->finding);
    if (!c->finding->repeats) after_the_one_before(c);
    return false;
}

/* Gives the case a new key, of any length that the implementation takes, up to `most` bytes. */
static void new_key(check *c, jm_case *check_case, size_t most) {
    const jm_implementation *self = c->checker->self;
    if (self->kind == JM_KIND_HASH) return;
    const size_t longest = self->key_bytes_max < most ? self->key_bytes_max : most;
    check_case->key_seed = c->next_key;
    if (longest > self->key_bytes_min)
        check_case->key_bytes = self->key_bytes_min + below(c, longest - self->key_bytes_min + 1);
}

/* Each message ends at its memory's end; short messages run twice, since a first call may leave
 * state behind. */
static void every_length(check *c) {
    for (uint64_t n = 0; c->right && n <= JM_CHECK_EVERY_LENGTH; n++) {
        jm_case check_case = plain_case(c, n);
        if (check_case.lengths[0] != n) continue;
        check_case.at = JM_AT_END;
        check_case.out = n % (JM_AT_END + 1);
        if (n <= 300) check_case.lengths[check_case.parts++] = n;
        if (holds(c, &check_case) && taken(c, n)) c->coverage->lengths++;
    }
}

static void every_alignment(check *c) {
    const uint64_t block = c->checker->self->block_bytes;
    const uint64_t lengths[] = {1, block, 3 * block + 5, 200};
    for (size_t place = 0; c->right && place < JM_AT_END; place++) {
        jm_case check_case = plain_case(c, 0);
        check_case.parts = 4;
        for (size_t i = 0; i < check_case.parts; i++)
            check_case.lengths[i] = whole_blocks(c, lengths[i]);
        check_case.at = place;
        if (!holds(c, &check_case)) return;
        check_case.at = 0;
        check_case.out = place;
        if (holds(c, &check_case)) c->coverage->alignments++;
    }
}

static void many_keys(check *c, size_t keys) {
    const jm_implementation *self = c->checker->self;
    if (self->kind == JM_KIND_HASH) return;
    for (size_t i = 0; c->right && i < keys; i++) {
        jm_case check_case = plain_case(c, 1 + i % 100 + self->block_bytes);
        check_case.call = i % 4 == 3 ? JM_CALL_COPY : JM_CALL_ONE;
        check_case.key_seed = c->next_key;
        check_case.keys = 1 + i % 3;
        while (check_case.parts < 4) check_case.lengths[check_case.parts++] = check_case.lengths[0];
        holds(c, &check_case);
    }
    const size_t most = 2 * self->block_bytes + 3;
    const size_t longer[] = {255, 256, 257, 1000, 1024, 4096, 4200};
    for (size_t n = 0; c->right && n < most + sizeof longer / sizeof *longer; n++) {
        jm_case check_case = plain_case(c, 50);
        check_case.key_bytes = n < most ? n : longer[n - most];
        check_case.key_seed = c->next_key;
        holds(c, &check_case);
    }
}

/* A message cut at every place of its first blocks, and cut into equal pieces. */
static void every_split(check *c) {
    const uint64_t block = c->checker->self->block_bytes, whole = 3 * block + 7;
    for (uint64_t first = 0; c->right && first <= 2 * block + 1; first++) {
        jm_case check_case = plain_case(c, first);
        check_case.call = first % 8 == 7 ? JM_CALL_ABANDON : JM_CALL_STREAM;
        check_case.keys = 1 + first % 2;
        check_case.at = JM_AT_END;
        check_case.parts = 3;
        check_case.lengths[1] = first % 3 ? 0 : block;
        check_case.lengths[2] = whole - first;
        if (!holds(c, &check_case)) return;
        if (first == 0) continue;
        check_case.parts = 0;
        for (uint64_t done = 0; done < whole && check_case.parts < JM_CASE_PARTS_MAX; done += first)
            check_case.lengths[check_case.parts++] = first;
        holds(c, &check_case);
    }
    jm_case empty = plain_case(c, 0);
    empty.call = JM_CALL_STREAM;
    if (c->right) holds(c, &empty);
}

static uint64_t random_length(check *c, uint64_t most) {
    const uint64_t block = c->checker->self->block_bytes, kind = below(c, 6);
    uint64_t length = below(c, 4 * block + 3);
    if (kind == 0) length = 0;
    if (kind == 1) length = block * below(c, 6) + below(c, 3);
    if (kind == 2 && length) length = below(c, most);
    return whole_blocks(c, length > most ? most : length);
}

static void random_places(check *c, jm_case *check_case) {
    check_case->at = below(c, JM_AT_END + 1);
    check_case->out = below(c, JM_AT_END + 1);
    check_case->message_start = below(c, 3) ? below(c, 1 << 19) : 0;
    if (below(c, 16) == 0) check_case->pattern = 'f';
}

static jm_case batch_of(check *c, size_t messages, unsigned layout, bool own_keys) {
    jm_case check_case = plain_case(c, 0);
    const uint64_t block = c->checker->self->block_bytes;
    const uint64_t equal = random_length(c, 1024);
    check_case.call = JM_CALL_BATCH;
    check_case.parts = messages;
    check_case.keys = own_keys && messages ? messages : 1;
    for (size_t i = 0; i < messages; i++) {
        const uint64_t steps[] = {equal, 7 * i, 7 * (messages - i), random_length(c, 600),
                                  i % 5 ? 0 : 3 * block + i};
        check_case.lengths[i] = steps[layout % 5];
    }
    return check_case;
}

static void every_batch(check *c) {
    const jm_implementation *self = c->checker->self;
    if (self->kind != JM_KIND_MAC || !self->mac->tag_batch) return;
    const size_t lanes = self->lanes;
    const size_t sizes[] = {0,  1,  2,         3,     4,         5,         7,  8,  9,  15,
                            16, 17, lanes - 1, lanes, lanes + 1, 2 * lanes, 31, 32, 33, 67};
    for (size_t i = 0; c->right && i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned layout = 0; c->right && layout < 5; layout++) {
            if (sizes[i] > JM_CASE_PARTS_MAX) break;
            jm_case check_case = batch_of(c, sizes[i], layout, layout % 2 == i % 2);
            check_case.key_seed = c->next_key;
            if (layout == 3) random_places(c, &check_case);
            holds(c, &check_case);
        }
}

static void add_part(const check *c, jm_case *check_case, uint64_t bytes) {
    const bool cipher = c->checker->self->kind == JM_KIND_CIPHER;
    const uint64_t most = cipher ? JM_THREAD_BYTES : JM_CHECK_LONGEST;
    const uint64_t length = whole_blocks(c, bytes);
    const size_t parts = check_case->parts;
    const bool again = parts && check_case->lengths[parts - 1] == length;
    if (parts == JM_CASE_PARTS_MAX || again || length > most) return;
    check_case->lengths[check_case->parts++] = length;
}

/* Short messages first, since more of their time is spent where a call begins and ends. Then some
 * long ones, and every length up to two blocks, as far as a case has room: a buffer that threads
 * share may serve certain lengths alone. */
static void two_threads(check *c) {
    const uint64_t block = c->checker->self->block_bytes;
    const uint64_t few[] = {1, block, block + 1, 3 * block + 5};
    const uint64_t more[] = {255, 257, 511, 512, 1023, 4097 + block, 8191, 8192, 16387};
    jm_case check_case = plain_case(c, block);
    check_case.call = JM_CALL_THREADS;
    check_case.key_seed = c->next_key;
    check_case.keys = 2;
    check_case.parts = 0;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) add_part(c, &check_case, few[i]);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (!taken(c, more[i])) continue;
        const jm_case alone = plain_case(c, more[i]);
        /* What is wrong without a second thread must not be blamed on it. */
        if (more[i] > JM_CHECK_EVERY_LENGTH && !holds(c, &alone)) return;
        add_part(c, &check_case, more[i]);
    }
    for (uint64_t bytes = 0; bytes <= 2 * block && taken(c, bytes); bytes++)
        add_part(c, &check_case, bytes);
    holds(c, &check_case);
}

static void structured_cases(check *c) {
    for (uint64_t i = 0; c->right && i < jm_structured_count(c->checker->self); i++) {
        const jm_case check_case = jm_structured_case(c->checker->self, i);
        holds(c, &check_case);
    }
}

static void random_structured_case(check *c) {
    jm_case check_case = jm_structured_case(c->checker->self, below(c, UINT32_MAX));
    if (below(c, 4) == 0) {
        check_case.at = below(c, JM_AT_END + 1);
        check_case.out = below(c, JM_AT_END + 1);
    }
    holds(c, &check_case);
}

static void random_case(check *c) {
    const jm_implementation *self = c->checker->self;
    const unsigned kind = (unsigned)below(c, 10);
    if (below(c, jm_can_be_steered(self) ? 2 : 16) == 0) {
        random_structured_case(c);
        return;
    }
    jm_case check_case = plain_case(c, 0);
    if (kind < 3 && self->kind == JM_KIND_MAC && self->mac->tag_batch)
        check_case = batch_of(c, below(c, 100), (unsigned)below(c, 5), below(c, 2));
    else {
        const jm_case_call calls[] = {JM_CALL_ONE,    JM_CALL_COPY,     JM_CALL_STREAM,
                                      JM_CALL_STREAM, JM_CALL_IN_PLACE, JM_CALL_CHAIN,
                                      JM_CALL_STREAM, JM_CALL_ABANDON};
        check_case.call = calls[below(c, 8)];
        check_case.parts = 1 + below(c, RANDOM_PARTS_MAX);
        check_case.keys = 1 + below(c, 2);
        for (size_t i = 0; i < check_case.parts; i++)
            check_case.lengths[i] = random_length(c, JM_CHECK_EVERY_LENGTH);
    }
    new_key(c, &check_case, below(c, 8) ? 2 * self->block_bytes + 3 : 1024);
    random_places(c, &check_case);
    holds(c, &check_case);
}

/* Powers of two, their neighbours and round thousands: buffers and loops of programs end there. */
static void long_lengths(check *c, uint64_t end_ns) {
    uint64_t lengths[256];
    size_t found = 0;
    for (uint64_t power = 8192; power <= JM_CHECK_LONGEST; power *= 2)
        for (int more = -1; more <= 1; more++)
            if (power < JM_CHECK_LONGEST || more <= 0) lengths[found++] = power + (uint64_t)more;
    for (uint64_t thousand = 5000; thousand <= 64000; thousand += 1000) lengths[found++] = thousand;
    for (uint64_t thousand = 70000; thousand <= 1000000; thousand = thousand * 10 / 9 / 1000 * 1000)
        lengths[found++] = thousand;
    /* Short lengths come first, so that a short budget leaves out long lengths only. */
    for (size_t i = 1; i < found; i++)
        for (size_t k = i; k && lengths[k - 1] > lengths[k]; k--) {
            const uint64_t other = lengths[k];
            lengths[k] = lengths[k - 1];
            lengths[k - 1] = other;
        }
    for (size_t i = 0; c->right && i < found && jm_cpu_ns() < end_ns; i++) {
        jm_case check_case = plain_case(c, lengths[i]);
        check_case.at = below(c, JM_AT_END + 1);
        if (holds(c, &check_case) && taken(c, lengths[i])) c->coverage->long_lengths++;
    }
}

static void huge_lengths(check *c) {
    const uint64_t lengths[] = {(UINT64_C(1) << 29) + 7, (UINT64_C(1) << 32) + 77};
    for (size_t i = 0; c->right && i < 2 && lengths[i] <= jm_pattern_bytes('z'); i++) {
        jm_case check_case = plain_case(c, 0);
        check_case.pattern = 'z';
        check_case.lengths[0] = lengths[i];
        if (holds(c, &check_case) && taken(c, lengths[i]) &&
            c->checker->self->kind != JM_KIND_CIPHER)
            c->coverage->long_lengths++;
        /* A piece of all lengths that 29 or 32 bits hold comes before and behind a short piece. */
        const uint64_t most = (i ? UINT64_C(1) << 32 : UINT64_C(1) << 29) - 1;
        check_case.call = JM_CALL_STREAM;
        check_case.parts = 2;
        for (size_t first = 0; c->right && first < 2; first++) {
            check_case.lengths[first] = most;
            check_case.lengths[!first] = lengths[i] - most;
            holds(c, &check_case);
        }
    }
}

bool jm_check(jm_checker *checker, const jm_check_request *request, jm_coverage *coverage,
              jm_finding *finding) {
    const uint64_t end_ns = jm_cpu_ns() + request->cpu_ns;
    check c = {.checker = checker,
               .coverage = coverage,
               .finding = finding,
               .chance = 2 * request->seed + 1,
               .slack = request->slack,
               .right = true};
    memset(coverage, 0, sizeof *coverage);
    memset(finding, 0, sizeof *finding);
    checker->calls = checker->thread_calls = 0;
    checker->trusted.every = jm_every_output(checker->trusted.table);
    jm_watch_begin(checker->memories, JM_MEMORIES, &checker->current);
    every_length(&c);
    if (c.right) every_alignment(&c);
    if (c.right) many_keys(&c, 64);
    if (c.right) every_split(&c);
    if (c.right) every_batch(&c);
    checker->stops = STOPS_LEAST + request->cpu_ns / STOP_CPU_NS;
    if (c.right) two_threads(&c);
    checker->stops = JM_STOPS;
    if (c.right) structured_cases(&c);
    if (c.right && request->huge) huge_lengths(&c);
    /* Long messages get a third of the time that is left. */
    const uint64_t now_ns = jm_cpu_ns();
    if (c.right && now_ns < end_ns) long_lengths(&c, now_ns + (end_ns - now_ns) / 3);
    while (c.right && jm_cpu_ns() < end_ns)
        for (int i = 0; c.right && i < 8; i++) random_case(&c);
    jm_watch_end();
    if (c.right) finding->verdict = JM_RIGHT;
    coverage->calls = checker->calls;
    coverage->thread_calls = checker->thread_calls;
    if (checker->refused_bytes != UINT64_MAX) coverage->refused_bytes = checker->refused_bytes;
    return c.right;
}
