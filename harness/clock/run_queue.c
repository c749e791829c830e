/* SPDX-License-Identifier: Apache-2.0
 * /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst): time on the CPU, time
 * waiting in the run queue, number of time slices; both times in ns. */
#include <inttypes.h>
#include <stdio.h>

#include "clock/clock.h"
#include "clock/proc_file.h"

uint64_t jm_run_queue_wait_ns(void) {
    static _Thread_local int descriptor = -1;
    char text[96];
    uint64_t wait_ns;
    if (!jm_read_proc("/proc/thread-self/schedstat", &descriptor, text, sizeof text))
        return JM_NO_COUNTER;
    return sscanf(text, "%*u %" SCNu64, &wait_ns) == 1 ? wait_ns : JM_NO_COUNTER;
}
