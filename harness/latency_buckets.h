/* SPDX-License-Identifier: Apache-2.0
 *
 * A histogram of fixed size with buckets that grow with their values, as pure functions.
 *
 * Values below 2 * JM_LATENCY_STEPS have a bucket each. From there on every doubling is cut into
 * JM_LATENCY_STEPS buckets of equal width, so that a bucket is at most 1/32 of its lowest value
 * wide: the middle of a bucket is off by at most 1/64 (1.6 %) from each value in it. Values from
 * JM_LATENCY_LIMIT on (six minutes at 3 GHz) are counted in the last bucket.
 */
#ifndef JM_LATENCY_BUCKETS_H
#define JM_LATENCY_BUCKETS_H

#include <stdint.h>

#define JM_LATENCY_STEP_BITS 5u
#define JM_LATENCY_STEPS (1u << JM_LATENCY_STEP_BITS)
#define JM_LATENCY_LIMIT (UINT64_C(1) << 40)
#define JM_LATENCY_BUCKETS ((40u - JM_LATENCY_STEP_BITS + 1) * JM_LATENCY_STEPS)

/* The bucket that counts `value`: 0 to JM_LATENCY_BUCKETS - 1; a larger value never has a lower
 * bucket. */
static inline uint32_t jm_latency_bucket(uint64_t value) {
    if (value >= JM_LATENCY_LIMIT) return JM_LATENCY_BUCKETS - 1;
    if (value < 2 * JM_LATENCY_STEPS) return (uint32_t)value;
    const uint32_t doubling = 63u - (uint32_t)__builtin_clzll(value) - JM_LATENCY_STEP_BITS;
    return doubling * JM_LATENCY_STEPS + (uint32_t)(value >> doubling);
}

/* The lowest value of `bucket`, 0 to JM_LATENCY_BUCKETS: for JM_LATENCY_BUCKETS, one past the last
 * bucket, it is JM_LATENCY_LIMIT. */
static inline uint64_t jm_latency_lowest(uint32_t bucket) {
    if (bucket < 2 * JM_LATENCY_STEPS) return bucket;
    const uint32_t doubling = bucket / JM_LATENCY_STEPS - 1;
    return (uint64_t)(bucket % JM_LATENCY_STEPS + JM_LATENCY_STEPS) << doubling;
}

#endif
