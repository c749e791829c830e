/* SPDX-License-Identifier: Apache-2.0
 * Reads the lines "cpuN" of /proc/stat (proc(5)); their columns are those of machine_cpu.c. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "clock/clock.h"

static bool asked_for(int core, const int *cores, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (cores[i] == core) return true;
    return false;
}

jm_machine_cpu jm_read_cores_cpu(const int *cores, size_t count) {
    const jm_machine_cpu missing = {JM_NO_COUNTER, JM_NO_COUNTER};
    const long ticks_per_s = sysconf(_SC_CLK_TCK);
    FILE *file = ticks_per_s > 0 ? fopen("/proc/stat", "re") : NULL;
    if (!file) return missing;
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)ticks_per_s;
    jm_machine_cpu sum = {0, 0};
    size_t found = 0;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        int core;
        uint64_t user, nice, system, irq, softirq, steal;
        if (sscanf(line,
                   "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64
                   " %" SCNu64,
                   &core, &user, &nice, &system, &irq, &softirq, &steal) != 7 ||
            !asked_for(core, cores, count))
            continue;
        sum.busy_ns += (user + nice + system + irq + softirq) * tick_ns;
        sum.steal_ns += steal * tick_ns;
        found++;
    }
    fclose(file);
    return found == count ? sum : missing;
}
