/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "clock/clock.h"

jm_context_switches jm_read_context_switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (jm_context_switches){(uint64_t)usage.ru_nvcsw, (uint64_t)usage.ru_nivcsw};
}
