/* SPDX-License-Identifier: Apache-2.0
 * First line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal, summed over
 * all CPUs, in units of 1/sysconf(_SC_CLK_TCK) s. */
#include <inttypes.h>
#include <stdio.h>

#include "clock/clock.h"
#include "clock/proc_file.h"

jm_machine_cpu jm_read_machine_cpu(void) {
    static int descriptor = -1;
    const jm_machine_cpu missing = {JM_NO_COUNTER, JM_NO_COUNTER};
    char text[256];
    uint64_t user, nice, system, irq, softirq, steal;
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    if (ticks_per_s <= 0 || !jm_read_proc("/proc/stat", &descriptor, text, sizeof text))
        return missing;
    if (sscanf(text,
               "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
               &user, &nice, &system, &irq, &softirq, &steal) != 6)
        return missing;
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)ticks_per_s;
    return (jm_machine_cpu){(user + nice + system + irq + softirq) * tick_ns, steal * tick_ns};
}
