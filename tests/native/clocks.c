/* SPDX-License-Identifier: Apache-2.0
 * Time stamps, clock probes and flushes, on every architecture: there where clock.h says so, and of
 * the rate that they claim. The margins are wide, since qemu and busy machines are slow. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cache_flush.h"
#include "clock/clock.h"
#include "ticks.h"

#if defined(__x86_64__) || defined(__aarch64__)
enum { HAS_TICKS = 1 };
#else
enum { HAS_TICKS = 0 };
#endif

static int failures;

static void expect(bool holds, const char *what) {
    if (holds) return;
    printf("not so: %s\n", what);
    failures++;
}

/* Ticks in a second by CLOCK_MONOTONIC over 2 ms: the nearest to `told_hz` of many tries, since a
 * thread may be interrupted between its readings of two clocks. */
static double counted_hz(uint64_t told_hz) {
    double nearest = 0;
    for (int i = 0; i < 50; i++) {
        const double hz = jm_ticks_per_ns() * 1e9, apart = hz - (double)told_hz;
        const double best = nearest - (double)told_hz;
        if (apart * apart < best * best) nearest = hz;
    }
    return nearest;
}

/* The rate that the counter tells is the rate at which it counts. */
static void check_told_rate(void) {
    const uint64_t told_hz = jm_tsc_told_hz();
#if defined(__aarch64__)
    const double hz = counted_hz(told_hz);
    printf("%.0f ticks in a second, %" PRIu64 " told\n", hz, told_hz);
    expect(told_hz > 0, "the generic timer tells its rate");
    expect(hz > 0.95 * (double)told_hz && hz < 1.05 * (double)told_hz, "the told rate is counted");
#else
    (void)counted_hz;
    expect(told_hz == 0, "a TSC tells no rate");
#endif
}

/* A chain takes no longer by the time stamps than its call by CLOCK_MONOTONIC, and its ticks are
 * enough that one more or less does not matter. Three runs, since qemu translates code in the
 * first. */
static void check_chain(void) {
    const uint64_t adds = jm_core_chain_adds(), start_ns = jm_monotonic_ns();
    const uint64_t ticks = jm_core_chain_ticks(3);
    const uint64_t took_ns = jm_monotonic_ns() - start_ns;
    const double ticks_ns = (double)ticks / jm_ticks_per_ns();
    printf("%" PRIu64 " additions in %" PRIu64 " ticks, %.0f ns of %" PRIu64 "\n", adds, ticks,
           ticks_ns, took_ns);
    expect(adds >= 8192 && adds % 64 == 0, "a chain has 8192 additions or more, in whole passes");
    expect(ticks >= 1000, "a chain takes a thousand ticks or more");
    expect(ticks_ns < 1.01 * (double)took_ns, "a chain takes no longer than the call");
    expect(ticks_ns > 0.01 * (double)adds, "an addition takes a hundredth of a nanosecond or more");
    expect(jm_core_width_adds() == 4 * adds, "sums have four times the additions of a chain");
    uint64_t width_ticks = JM_NO_COUNTER;
    for (int i = 0; i < 3 && width_ticks == JM_NO_COUNTER; i++) width_ticks = jm_core_width_ticks();
    expect(width_ticks != JM_NO_COUNTER, "sums are counted");
}

/* A flush changes no byte, at any alignment, and none beside the range. */
static void check_flush(void) {
    uint8_t bytes[1000], copy[sizeof bytes];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    memcpy(copy, bytes, sizeof bytes);
    for (size_t from = 0; from < 70; from++) {
        jm_flush(bytes + from, 0);
        jm_flush(bytes + from, sizeof bytes - 2 * from);
    }
    expect(!memcmp(bytes, copy, sizeof bytes), "a flush leaves memory as it is");
}

int main(void) {
    const uint64_t first = jm_tsc_start(), second = jm_tsc_end();
    expect(jm_can_flush() == HAS_TICKS, "flushes are there on x86-64 and AArch64 alone");
    check_flush();
    if (!HAS_TICKS) {
        expect(first == JM_NO_COUNTER && second == JM_NO_COUNTER, "there are no time stamps");
        expect(jm_core_chain_ticks(3) == JM_NO_COUNTER, "there is no chain");
        expect(jm_core_width_ticks() == JM_NO_COUNTER, "there are no sums");
        return failures != 0;
    }
    expect(first != JM_NO_COUNTER && second >= first, "time stamps do not run backwards");
    check_told_rate();
    check_chain();
    return failures != 0;
}
