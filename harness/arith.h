/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on counters as pure functions, so that it is tested on machines that lack the
 * counters (tests/native/arith.c). A result that is 5 % low looks exactly like a correct one.
 */
#ifndef JM_ARITH_H
#define JM_ARITH_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of a struct timespec; seconds >= 0, 0 <= nanoseconds < 1e9. Good for 584 years. */
static inline uint64_t jm_timespec_ns(int64_t seconds, int64_t nanoseconds) {
    return (uint64_t)seconds * UINT64_C(1000000000) + (uint64_t)nanoseconds;
}

/* end - start of a cumulative counter; UINT64_MAX (missing) if either reading is missing. A counter
 * that appears to run backwards counts as missing: no figure is better than a wrong figure. */
static inline uint64_t jm_counter_delta(uint64_t start, uint64_t end) {
    if (start == UINT64_MAX || end == UINT64_MAX || end < start) return UINT64_MAX;
    return end - start;
}

/* (a * b + plus) / by, rounded down, for by > 0; UINT64_MAX where that does not fit. By halves of
 * 32 bits, for machines without integers of 128: a product of 128 bits, and a long division bit by
 * bit. */
static inline uint64_t jm_multiply_divide_in_halves(uint64_t a, uint64_t b, uint64_t plus,
                                                    uint64_t by) {
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t one = a1 * b0, other = a0 * b1;
    const uint64_t middle = (a0 * b0 >> 32) + (uint32_t)one + (uint32_t)other;
    uint64_t low = middle << 32 | (uint32_t)(a0 * b0);
    uint64_t high = a1 * b1 + (one >> 32) + (other >> 32) + (middle >> 32);
    low += plus;
    high += low < plus;
    if (high >= by) return UINT64_MAX;
    for (unsigned bit = 0; bit < 64; bit++) { /* `high` is the remainder, below `by` */
        const bool carry = high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= by) {
            high -= by;
            low |= 1;
        }
    }
    return low;
}

static inline uint64_t jm_multiply_divide(uint64_t a, uint64_t b, uint64_t plus, uint64_t by) {
#if defined(__SIZEOF_INT128__)
    const unsigned __int128 quotient = ((unsigned __int128)a * b + plus) / by;
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
#else
    return jm_multiply_divide_in_halves(a, b, plus, by);
#endif
}

/* A perf event that shared its hardware counter ran for a part only of the time it was enabled:
 * value * enabled / running, without overflow. UINT64_MAX when it never ran. */
static inline uint64_t jm_scale_multiplexed(uint64_t value, uint64_t enabled, uint64_t running) {
    if (running == 0) return UINT64_MAX;
    if (enabled == running) return value;
    return jm_multiply_divide(value, enabled, 0, running);
}

/* Events between two readings of a perf event. The differences are scaled, not the totals: a total
 * scaled by the average share of all time before would carry the clock of that time into a window
 * that ran at another clock. UINT64_MAX if a reading is missing or below the reading before it, or
 * if the event never ran in between. */
static inline uint64_t jm_scaled_difference(uint64_t count, uint64_t enabled, uint64_t running,
                                            uint64_t count_then, uint64_t enabled_then,
                                            uint64_t running_then) {
    const uint64_t counted = jm_counter_delta(count_then, count);
    const uint64_t enabled_for = jm_counter_delta(enabled_then, enabled);
    const uint64_t ran_for = jm_counter_delta(running_then, running);
    if (counted == UINT64_MAX || enabled_for == UINT64_MAX || ran_for == UINT64_MAX)
        return UINT64_MAX;
    return jm_scale_multiplexed(counted, enabled_for, ran_for);
}

/* Messages that fill `window_ns`, if `messages` (>= 1) took `took_ns`: rounded to the nearest
 * number, at least 1, at most 1000 * `messages`, so that one bad reading cannot ask for hours. */
static inline uint64_t jm_messages_for_window(uint64_t window_ns, uint64_t messages,
                                              uint64_t took_ns) {
    const uint64_t most = messages > UINT64_MAX / 1000 ? UINT64_MAX : messages * 1000;
    if (took_ns == 0) return most;
    const uint64_t wanted = jm_multiply_divide(window_ns, messages, took_ns / 2, took_ns);
    if (wanted < 1) return 1;
    return wanted > most ? most : wanted;
}

/* Wall time of each of `messages` (>= 1) in ps; UINT64_MAX where it does not fit. */
static inline uint64_t jm_picoseconds_each(uint64_t took_ns, uint64_t messages) {
    return jm_multiply_divide(took_ns, 1000, 0, messages);
}

/* The multiple of `batch` (> 0) nearest to `messages`, at least one batch: a window of whole
 * batches. A tie goes up; `messages` so large that the next multiple overflows goes down. */
static inline uint64_t jm_whole_batches(uint64_t messages, uint64_t batch) {
    const uint64_t whole = messages / batch, rest = messages % batch;
    if (whole == 0) return batch;
    const bool up = rest >= batch - rest && whole < UINT64_MAX / batch;
    return (whole + (up ? 1 : 0)) * batch;
}

/* Slots of a cold-cache arena: as many messages of `stride_bytes` (> 0) as fit `arena_bytes`, at
 * least 1 and at most `most`. */
static inline uint64_t jm_cold_slots(uint64_t arena_bytes, uint64_t stride_bytes, uint64_t most) {
    uint64_t slots = arena_bytes / stride_bytes;
    if (slots < 1) return 1;
    return slots > most ? most : slots;
}

#endif
