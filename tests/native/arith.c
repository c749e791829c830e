/* SPDX-License-Identifier: Apache-2.0
 * Counter arithmetic on values that no test machine will ever show. */
#include "arith.h"

#include <inttypes.h>
#include <stdio.h>

static int failures;

static void expect(const char *what, uint64_t got, uint64_t wanted) {
    if (got == wanted) return;
    printf("%s: %" PRIu64 ", not %" PRIu64 "\n", what, got, wanted);
    failures++;
}

/* The division without integers of 128 bits, at the edges and at numbers of all sizes. */
static void check_division_in_halves(void) {
    const uint64_t most = UINT64_MAX;
    expect("division", jm_multiply_divide_in_halves(7, 9, 5, 4), 17);
    expect("division, whole product", jm_multiply_divide_in_halves(most, most, 0, most), most);
    expect("division, rounded down", jm_multiply_divide_in_halves(most, most - 1, most, most),
           most);
    expect("division, too large", jm_multiply_divide_in_halves(most, 2, 0, 1), most);
    expect("division, the largest divisor", jm_multiply_divide_in_halves(most - 1, 3, 7, most), 3);
#if defined(__SIZEOF_INT128__)
    uint64_t state = 1;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t drawn[4];
        for (unsigned j = 0; j < 4; j++) { /* Knuth's generator; the upper bits, of any size */
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            drawn[j] = state >> (state >> 7) % 64;
        }
        const uint64_t by = drawn[3] ? drawn[3] : 1;
        expect("division of random numbers",
               jm_multiply_divide_in_halves(drawn[0], drawn[1], drawn[2], by),
               jm_multiply_divide(drawn[0], drawn[1], drawn[2], by));
    }
#endif
}

int main(void) {
    check_division_in_halves();
    const uint64_t missing = UINT64_MAX;
    expect("timespec zero", jm_timespec_ns(0, 0), 0);
    expect("timespec", jm_timespec_ns(3, 7), UINT64_C(3000000007));
    expect("timespec of the year 2262", jm_timespec_ns(INT64_C(9223372036), 854775807),
           UINT64_C(9223372036854775807));

    expect("delta", jm_counter_delta(10, 25), 15);
    expect("delta zero", jm_counter_delta(7, 7), 0);
    expect("delta of a missing start", jm_counter_delta(missing, 7), missing);
    expect("delta of a missing end", jm_counter_delta(7, missing), missing);
    expect("delta of a counter that ran backwards", jm_counter_delta(8, 7), missing);

    expect("scale, never shared", jm_scale_multiplexed(1000, 50, 50), 1000);
    expect("scale, ran half the time", jm_scale_multiplexed(1000, 100, 50), 2000);
    expect("scale, ran a third", jm_scale_multiplexed(1000, 30, 10), 3000);
    expect("scale, never ran", jm_scale_multiplexed(0, 100, 0), missing);
    expect("scale without overflow",
           jm_scale_multiplexed(UINT64_C(1) << 40, UINT64_C(1) << 41, UINT64_C(1) << 40),
           UINT64_C(1) << 41);
    expect("scale beyond 64 bits", jm_scale_multiplexed(UINT64_C(1) << 63, 4, 1), missing);

    expect("difference, never shared", jm_scaled_difference(1500, 90, 90, 500, 40, 40), 1000);
    expect("difference, shared before the window and not in it",
           jm_scaled_difference(1500, 190, 90, 500, 140, 40), 1000);
    expect("difference, ran half of the window", jm_scaled_difference(1500, 140, 65, 500, 40, 15),
           2000);
    expect("difference, did not run", jm_scaled_difference(500, 140, 40, 500, 40, 40), missing);
    expect("difference, missing", jm_scaled_difference(missing, 0, 0, 500, 40, 40), missing);
    expect("difference of a missing start", jm_scaled_difference(500, 40, 40, missing, 0, 0),
           missing);

    expect("window, exact", jm_messages_for_window(2000, 10, 1000), 20);
    expect("window, to the nearest", jm_messages_for_window(1000, 10, 300), 33);
    expect("window, rounds half up", jm_messages_for_window(5, 1, 2), 3);
    expect("window, one message is longer", jm_messages_for_window(1000, 1, 5000), 1);
    expect("window, the clock did not move", jm_messages_for_window(1000, 7, 0), 7000);
    expect("window, at most 1000 times more", jm_messages_for_window(UINT64_C(1) << 50, 2, 1),
           2000);
    expect("window without overflow",
           jm_messages_for_window(UINT64_MAX, UINT64_MAX / 2, UINT64_MAX), UINT64_MAX / 2);

    expect("picoseconds", jm_picoseconds_each(200000, 1 << 20), 190);
    expect("picoseconds of an hour", jm_picoseconds_each(UINT64_C(3600000000000), 1),
           UINT64_C(3600000000000000));
    expect("picoseconds without overflow", jm_picoseconds_each(UINT64_MAX, 1), missing);

    expect("batches, exact", jm_whole_batches(128, 64), 128);
    expect("batches, down", jm_whole_batches(159, 64), 128);
    expect("batches, half up", jm_whole_batches(160, 64), 192);
    expect("batches, at least one", jm_whole_batches(1, 64), 64);
    expect("batches of one", jm_whole_batches(77, 1), 77);
    expect("batches without overflow", jm_whole_batches(UINT64_MAX, 64), UINT64_MAX - 63);

    expect("slots", jm_cold_slots(1000, 100, 50), 10);
    expect("slots, one huge message", jm_cold_slots(1000, 5000, 50), 1);
    expect("slots, capped", jm_cold_slots(1000, 1, 50), 50);

    if (!failures) printf("arith: all as expected\n");
    return failures != 0;
}
