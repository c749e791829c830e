/* SPDX-License-Identifier: Apache-2.0
 * Buckets by the rules that their header states: every value has a bucket, in order, and narrow. */
#include "latency_buckets.h"

#include <inttypes.h>
#include <stdio.h>

static int failures;

static void expect(const char *what, uint64_t value, uint64_t got, uint64_t wanted) {
    if (got == wanted) return;
    printf("%s of %" PRIu64 ": %" PRIu64 ", not %" PRIu64 "\n", what, value, got, wanted);
    failures++;
}

int main(void) {
    /* Computed by hand: 64..127 in steps of 2, 128..255 of 4, 1024..2047 of 32. */
    static const uint64_t by_hand[][2] = {
        {0, 0},    {1, 1},    {63, 63},  {64, 64},    {65, 64},    {66, 65},
        {127, 95}, {128, 96}, {131, 96}, {1024, 192}, {1055, 192}, {1056, 193},
    };
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
        expect("bucket", by_hand[i][0], jm_latency_bucket(by_hand[i][0]), by_hand[i][1]);
    const uint32_t last = JM_LATENCY_BUCKETS - 1;
    expect("bucket", JM_LATENCY_LIMIT - 1, jm_latency_bucket(JM_LATENCY_LIMIT - 1), last);
    expect("bucket", JM_LATENCY_LIMIT, jm_latency_bucket(JM_LATENCY_LIMIT), last);
    expect("bucket", UINT64_MAX, jm_latency_bucket(UINT64_MAX), last);
    expect("end", last, jm_latency_lowest(JM_LATENCY_BUCKETS), JM_LATENCY_LIMIT);
    for (uint32_t bucket = 0; bucket <= last; bucket++) {
        const uint64_t low = jm_latency_lowest(bucket), next = jm_latency_lowest(bucket + 1);
        expect("bucket of the lowest value", low, jm_latency_bucket(low), bucket);
        expect("bucket of the highest value", next - 1, jm_latency_bucket(next - 1), bucket);
        if (next - low > 1 && (next - low) * JM_LATENCY_STEPS > low) {
            printf("bucket %" PRIu32 " is wider than 1/%u of its lowest value\n", bucket,
                   JM_LATENCY_STEPS);
            failures++;
        }
    }
    if (!failures) printf("latency buckets: all as expected\n");
    return failures != 0;
}
