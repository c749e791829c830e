/* SPDX-License-Identifier: Apache-2.0
 * A spin-wait loop as the vendors advise it: PAUSE on x86-64 (Intel SDM vol. 2, "PAUSE"), YIELD on
 * AArch64 (Arm ARM, C6.2 "YIELD"). The clock is read once in PAUSES turns, so that nearly the whole
 * loop is pauses: every 0.6 to 3 us on x86-64, where a pause takes some 40 to 65 core cycles on AMD
 * and on Intel before Skylake, and some 140 on Intel since. */
#include "clock/clock.h"
#include "clock/pause_once.h"

enum { PAUSES = 64 };

void jm_pause_for_ns(uint64_t duration_ns) {
    const uint64_t start = jm_monotonic_ns();
    while (jm_monotonic_ns() - start < duration_ns)
        for (int i = 0; i < PAUSES; i++) jm_pause_once();
}
