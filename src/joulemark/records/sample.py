# SPDX-License-Identifier: Apache-2.0
"""Raw observations: the counters of one timed window, and the clocks of a simulation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

LONGEST_WINDOW_NS = 86_400 * 10**9
"""A day: no window of ours takes longer."""


@dataclass(frozen=True, slots=True)
class RawSample:
    """One raw observation: counters over one timed window of `messages` messages.

    None means that the counter does not exist here; it never means zero. Times are in nanoseconds.
    The window holds nothing but the messages, except in cold-cache trials, where it is the sum of
    the timed stretches between cache flushes. The windows that a trial gets in one round are its
    visit; the counters of the visit run from before the first warm-up to after the last window, and
    are the same for all its samples.
    """

    round_index: int
    """Round of the run, from 0; samples of one round are neighbours in time and can be paired."""
    position: int
    """Place in the order of the round, from 0."""
    generation: int
    """How often the worker process had been started again, from 0."""
    messages: int
    """Messages processed in the window, at least 1."""
    wall_start_ns: int
    """CLOCK_MONOTONIC at the start of the window."""
    wall_ns: int
    thread_cpu_ns: int
    """CLOCK_THREAD_CPUTIME_ID consumed in the window."""
    tsc_ticks: int | None
    perf_core_cycles: int | None
    """Core cycles by the performance counter; None where the kernel does not allow it."""
    voluntary_switches: int
    involuntary_switches: int
    run_queue_wait_ns: int | None
    """Time in the visit in which this thread was ready but another ran on its CPU."""
    machine_busy_ns: int | None
    """CPU time in the visit of all threads on all CPUs, ours included; the kernel counts it in
    steps of one scheduler tick (10 ms or 4 ms)."""
    machine_steal_ns: int | None
    """Time in the visit for which the hypervisor gave our CPUs to other guests; same steps."""
    chain_adds: int
    """Dependent additions (one core cycle each) in each of the two clock probes."""
    chain_ticks_before: int | None
    """TSC ticks of the fastest clock probe just before the window."""
    chain_ticks_after: int | None
    """TSC ticks of the fastest clock probe just after the window."""
    window_index: int = 0
    """Place of the window in its visit, from 0; windows taken again come last."""
    visit_wall_ns: int | None = None
    """Wall time of the visit; None in older samples, which had no visits of several windows."""
    visit_thread_cpu_ns: int | None = None
    """CPU time of this thread in the visit; None in the same samples."""
    width_adds: int = 0
    """Independent additions in each of the two probes of how much of the core the thread gets."""
    width_ticks_before: int | None = None
    """TSC ticks of these additions just before the window; None in older samples."""
    width_ticks_after: int | None = None
    """TSC ticks of these additions just after the window; None in older samples."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ClockCount:
    """The clocks of one trial in the simulation of a core. They are exact, so it is counted once.

    A clock is one period of the core's only clock, whatever its frequency: neither a TSC tick nor
    a core cycle of a CPU. Every output was held to a reference in the same simulation.
    """

    messages: int
    """Messages of the count, at least 1. Throughput: back to back, as the difference between a
    batch and one twice as long, so that filling and emptying the core is not among the clocks.
    Latency: 1, alone in an idle core."""
    clocks: int
    """Clocks of these messages together, at least 1. Latency: from the first period in which a word
    could be offered to the period in which the last word of the result was taken."""
    key_clocks: int | None
    """Clocks in which the core took and prepared a key, not among `clocks`; None without a key."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)
