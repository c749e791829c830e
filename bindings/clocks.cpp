// SPDX-License-Identifier: Apache-2.0
// Single counters, for `joulemark doctor`.
#include <nanobind/stl/string.h>

#include "binding.h"
#include "clock/clock.h"

namespace jm {

nb::object counter(uint64_t value) {
    if (value == JM_NO_COUNTER) return nb::none();
    return nb::int_(value);
}

namespace {

/* Smallest step seen between two different readings of CLOCK_MONOTONIC. */
uint64_t monotonic_step_ns(unsigned tries) {
    uint64_t smallest = UINT64_MAX;
    for (unsigned i = 0; i < tries; i++) {
        const uint64_t start = jm_monotonic_ns();
        uint64_t now = start;
        while (now == start) now = jm_monotonic_ns();
        if (now - start < smallest) smallest = now - start;
    }
    return smallest;
}

} // namespace

void bind_clocks(nb::module_ &module) {
    module.attr("CHAIN_ADDS") = jm_core_chain_adds();
    module.def("monotonic_ns", jm_monotonic_ns);
    module.def("thread_cpu_ns", jm_thread_cpu_ns);
    module.def("tsc_ticks", [] { return counter(jm_tsc_start()); });
    module.def("run_queue_wait_ns", [] { return counter(jm_run_queue_wait_ns()); });
    module.def(
        "core_chain_ticks", [](unsigned repeats) { return counter(jm_core_chain_ticks(repeats)); },
        nb::arg("repeats"));
    module.def("monotonic_step_ns", monotonic_step_ns, nb::arg("tries"));
    module.def("machine_busy_ns", [] { return counter(jm_read_machine_cpu().busy_ns); });
    module.def("machine_steal_ns", [] { return counter(jm_read_machine_cpu().steal_ns); });
    module.def(
        "pause_for_ns", [](uint64_t duration_ns) { jm_pause_for_ns(duration_ns); },
        nb::arg("duration_ns"));
    module.def("open_perf_cycles", []() -> nb::object {
        const char *reason = jm_perf_cycles_open();
        return reason ? nb::object(nb::str(reason)) : nb::none();
    });
}

} // namespace jm
