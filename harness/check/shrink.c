// SPDX-License-Identifier: Apache-2.0
// Makes a case smaller as long as the smaller case fails with the same verdict: fewer calls, one
// key, plain addresses, shorter messages. Each step is tried alone.
#include "checker.h"

#define SHRINK_NS UINT64_C(1000000000)
#define SETTLING_BYTES 5u   /* message of the call between two cases; see settle */
#define SCANNED_BYTES 8192u /* up to this length every shorter length is tried */

typedef struct shrinker {
    jm_checker *checker;
    jm_finding *finding; /* finding of the smallest case so far */
    uint64_t end_ns;
} shrinker;

/* Makes a short call between two cases, so that the second does not fail because of state that the
 * first left behind: a process that repeats the second case alone runs no first case. */
static void settle(jm_checker *checker) {
    const jm_implementation *self = checker->self;
    const bool cipher = self->kind == JM_KIND_CIPHER;
    const jm_case check_case = {.call = JM_CALL_ONE,
                                .key_bytes = self->key_bytes,
                                .keys = 1,
                                .pattern = 'm',
                                .parts = 1,
                                .lengths = {cipher ? self->block_bytes : SETTLING_BYTES}};
    jm_finding ignored;
    jm_run_case(checker, &check_case, &ignored);
}

/* Takes `check_case` if it fails as the first case did: after a call that was broken off, an
 * implementation may be wrong in any way. */
static bool takes(shrinker *s, const jm_case *check_case) {
    jm_finding tried;
    if (jm_cpu_ns() > s->end_ns) return false;
    settle(s->checker);
    const jm_verdict verdict = jm_run_case(s->checker, check_case, &tried);
    if (verdict != s->finding->verdict) return false;
    tried.smallest = *check_case;
    tried.repeats = true;
    *s->finding = tried;
    return true;
}

static bool drop_parts(shrinker *s) {
    bool dropped = false;
    for (size_t count = s->finding->smallest.parts; count; count /= 2)
        for (size_t from = 0; from + count <= s->finding->smallest.parts;) {
            jm_case check_case = s->finding->smallest;
            check_case.parts -= count;
            for (size_t i = from; i < check_case.parts; i++)
                check_case.lengths[i] = check_case.lengths[i + count];
            if ((check_case.parts || check_case.call == JM_CALL_BATCH) && takes(s, &check_case))
                dropped = true;
            else
                from += count;
        }
    return dropped;
}

static bool plainer(shrinker *s) {
    bool changed = false;
    jm_case check_case = s->finding->smallest;
    if (check_case.call == JM_CALL_ABANDON || check_case.call == JM_CALL_COPY) {
        check_case.call = check_case.call == JM_CALL_COPY ? JM_CALL_ONE : JM_CALL_STREAM;
        changed |= takes(s, &check_case);
    }
    for (size_t keys = 1; keys < s->finding->smallest.keys; keys++) {
        check_case = s->finding->smallest;
        check_case.keys = keys;
        changed |= takes(s, &check_case);
    }
    check_case = s->finding->smallest;
    const size_t usual = s->checker->self->key_bytes;
    for (size_t bytes = 0; bytes <= check_case.key_bytes + 1; bytes++) {
        check_case = s->finding->smallest;
        check_case.key_bytes = bytes ? bytes - 1 : usual;
        if (check_case.key_bytes == s->finding->smallest.key_bytes) break;
        if (takes(s, &check_case)) {
            changed = true;
            break;
        }
    }
    check_case = s->finding->smallest;
    for (uint64_t seed = 0; seed < 16 && seed < s->finding->smallest.key_seed; seed++) {
        check_case.key_seed = seed;
        changed |= takes(s, &check_case);
    }
    check_case = s->finding->smallest;
    if (check_case.pattern == 's' || check_case.pattern == 'f' || check_case.message_start) {
        check_case.pattern = 'm';
        check_case.message_start = 0;
        changed |= takes(s, &check_case);
    }
    return changed;
}

/* Finds the lowest addresses modulo 64 at which the case fails; the guard page comes last. */
static bool lower_addresses(shrinker *s) {
    bool changed = false;
    for (size_t at = 0; at < s->finding->smallest.at; at++) {
        jm_case check_case = s->finding->smallest;
        check_case.at = at;
        changed |= takes(s, &check_case);
    }
    for (size_t out = 0; out < s->finding->smallest.out; out++) {
        jm_case check_case = s->finding->smallest;
        check_case.out = out;
        changed |= takes(s, &check_case);
    }
    return changed;
}

static bool takes_length(shrinker *s, size_t part, uint64_t length) {
    jm_case check_case = s->finding->smallest;
    if (part >= check_case.parts || length >= check_case.lengths[part]) return false;
    check_case.lengths[part] = length;
    return takes(s, &check_case);
}

static bool shorten(shrinker *s) {
    bool changed = false;
    for (size_t part = 0; part < s->finding->smallest.parts; part++) {
        const uint64_t before = s->finding->smallest.lengths[part];
        if (before <= SCANNED_BYTES) {
            for (uint64_t length = 0; length < s->finding->smallest.lengths[part]; length++)
                if (takes_length(s, part, length)) break;
        } else {
            uint64_t step = before / 2;
            for (; step; step /= 2)
                while (s->finding->smallest.lengths[part] >= step &&
                       takes_length(s, part, s->finding->smallest.lengths[part] - step)) {
                }
        }
        changed |= s->finding->smallest.lengths[part] != before;
    }
    return changed;
}

void jm_shrink(jm_checker *checker, jm_finding *finding) {
    shrinker s = {checker, finding, jm_cpu_ns() + SHRINK_NS};
    const jm_case first = finding->smallest;
    finding->repeats = false;
    if (jm_case_total_bytes(&first) > 4 * JM_CHECK_LONGEST) {
        finding->repeats = true; /* trying takes minutes: the case stays as it is */
        return;
    }
    const jm_finding found = *finding;
    if (first.call == JM_CALL_THREADS) { /* tenths of a second each, on other threads' time */
        const size_t part = finding->part;
        jm_case few = first;
        few.lengths[0] = first.lengths[part];
        few.lengths[1] = first.lengths[(part + 1) % first.parts];
        for (few.parts = 1; few.parts <= 2 && !finding->repeats; few.parts++)
            finding->repeats = takes(&s, &few);
        finding->repeats = finding->repeats || takes(&s, &first);
        return;
    }
    if (!takes(&s, &first)) {
        *finding = found;
        return;
    }
    for (bool changed = true; changed && jm_cpu_ns() < s.end_ns;) {
        changed = drop_parts(&s);
        changed |= plainer(&s);
        changed |= shorten(&s);
        changed |= lower_addresses(&s);
    }
}
