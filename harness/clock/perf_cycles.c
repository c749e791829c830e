/* SPDX-License-Identifier: Apache-2.0
 * PERF_COUNT_HW_CPU_CYCLES of the calling thread in user mode (perf_event_open(2)). */
#define _GNU_SOURCE
#include "clock/clock.h"

#if __has_include(<linux/perf_event.h>)
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int descriptor = -1;

const char *jm_perf_cycles_open(void) {
    if (descriptor >= 0) return NULL;
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    descriptor = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (descriptor >= 0) return NULL;
    switch (errno) {
    case EACCES:
    case EPERM:
        return "the kernel does not allow it; sudo sysctl kernel.perf_event_paranoid=2 would";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine has no cycle counter that the kernel can use (usual in a virtual "
               "machine)";
    case ENOSYS:
        return "this kernel is built without perf events";
    default:
        return "the kernel refused to open the cycle counter";
    }
}

jm_perf_reading jm_perf_cycles(void) {
    jm_perf_reading now; /* fields in the order of attributes.read_format */
    if (descriptor < 0 || read(descriptor, &now, sizeof now) != (ssize_t)sizeof now)
        return (jm_perf_reading){JM_NO_COUNTER, 0, 0};
    return now;
}

#else

const char *jm_perf_cycles_open(void) {
    return "it was built without the Linux kernel's headers";
}

jm_perf_reading jm_perf_cycles(void) {
    return (jm_perf_reading){JM_NO_COUNTER, 0, 0};
}

#endif
