/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "arith.h"
#include "clock/clock.h"

uint64_t jm_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return jm_timespec_ns(now.tv_sec, now.tv_nsec);
}
