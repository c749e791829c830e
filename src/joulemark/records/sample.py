# SPDX-License-Identifier: Apache-2.0
"""Raw observations: the counters of one timed window as they were read, and counts of simulations.

A window times one implementation (`RawSample`), many sessions at once (`SessionsWindow`), or
gatherers, which collect messages of many sessions (`GatherWindow`). `harness/sessions.h` and
`harness/gather.h` say how the last two are read; their ticks are those of the time-stamp counter,
or nanoseconds where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from joulemark.records import Record

if TYPE_CHECKING:
    from fractions import Fraction


LONGEST_WINDOW_NS = 86_400 * 10**9
"""A day: no window of ours takes longer."""


@dataclass(frozen=True, slots=True)
class RawSample(Record):
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


@dataclass(frozen=True, slots=True)
class ClockCount(Record):
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


# The counts of a firmware target's simulator, and the memory that a program takes there.


@dataclass(frozen=True, slots=True)
class Footprint:
    """The bytes that one implementation adds to a program of a target, and its state."""

    code_bytes: int
    """Functions, including those that they need of the compiler's library and of the C library."""
    constant_bytes: int
    """Read-only data, such as tables and round constants."""
    static_ram_bytes: int
    """Variables, and on a target that copies constants to RAM those constants again."""
    state_bytes: int | None
    """The key state, or the key schedule of a cipher; None for a hash."""


@dataclass(frozen=True, slots=True)
class FirmwareCount(Record):
    """The counts of one trial on a firmware target. They are exact, so each trial is counted once.

    The output was held to a reference in the same simulation.
    """

    core_cycles: int
    """Core cycles of one message, at least 1, without the call of the marks around it."""
    instructions: int
    """Instructions executed for one message, at least 1."""
    key_core_cycles: int | None
    """Core cycles of the key set-up, not among `core_cycles`; None without a key."""
    code_bytes: int
    """This field and the next three are as in `Footprint`."""
    constant_bytes: int
    static_ram_bytes: int
    state_bytes: int | None
    stack_bytes: int
    """Deepest stack of key set-up and message, without the caller's."""
    evidence: str
    """Evidence of the core cycles: `simulated` or `modelled`."""
    compiler: str
    flags: str
    simulator: str
    """Name and version of the simulator."""


# Buckets of latencies: the bounds that `harness/latency_buckets.h` counts by, and percentiles.
#
# From 64 on every doubling has 32 buckets of equal width, so that the middle of a bucket is off by
# at most 1/64 (1.6 %) from each value in it; below, each value has a bucket.

_STEPS: Final = 32
RELATIVE_ERROR: Final = 1 / (2 * _STEPS)
"""Largest relative error of the middle of a bucket."""


def bucket_lowest(bucket: int) -> int:
    """The lowest value of a bucket, from bucket 0 on."""
    if bucket < 2 * _STEPS:
        return bucket
    doubling = bucket // _STEPS - 1
    return (bucket % _STEPS + _STEPS) << doubling


def bucket_middle(bucket: int) -> float:
    """The middle between the lowest and the highest value of a bucket."""
    return (bucket_lowest(bucket) + bucket_lowest(bucket + 1) - 1) / 2


def percentile(counts: Sequence[tuple[int, int]], share: Fraction) -> float | None:
    """The least value that at least this share of all values does not exceed, to `RELATIVE_ERROR`.

    Args:
        counts: bucket and count (above 0), the buckets ascending.
        share: above 0 and at most 1.

    Returns:
        The middle of the bucket of the value; None without any value, and where fewer than one
        value is expected above: 999 values say nothing of the 99.9th percentile.
    """
    total = sum(count for _, count in counts)
    if total == 0 or (share < 1 and total * (1 - share) < 1):
        return None
    rank = ceil(share * total)
    for bucket, count in counts:
        rank -= count
        if rank <= 0:
            return bucket_middle(bucket)
    raise AssertionError("ranks end with the last value")


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """One session between its readings at t1 and t2."""

    messages: int
    tagged_bytes: int
    wall_ns: int
    thread_cpu_ns: int
    ticks: int
    voluntary_switches: int
    involuntary_switches: int
    """Preemptions of the thread."""
    migrations: int
    """Fewest changes of the core, as looks some twenty microseconds apart show them."""
    chain_ticks_before: int | None
    """TSC ticks of the clock probe before t1; None but for the first eight sessions."""
    chain_ticks_after: int | None
    last_bytes: int
    """Length of the message that was tagged last."""
    last_nonce: int = 0
    """Nonce of that message as a little-endian number, one more for each message; 0 without
    nonces."""

    @property
    def turns(self) -> int:
        """Fewest times that the session was put on a core; 0 if it did nothing."""
        switches = self.voluntary_switches + self.involuntary_switches
        return switches + 1 if self.messages else 0


@dataclass(frozen=True, slots=True)
class SessionsWindow:
    """One window [t1, t2] of all sessions."""

    cores: tuple[int, ...]
    warm_up_ns: int
    """Requested time from the start to t1."""
    window_ns: int
    """Requested time from t1 to t2."""
    ticks_are_tsc: bool
    window_ticks: int
    """t2 - t1 in ticks."""
    clock_ns: int
    """Time between two readings of both clocks at about t1 and t2; the next field has the ticks."""
    clock_ticks: int
    clock_pair_ticks: int
    """The fewest ticks that two readings with nothing between them take."""
    busy_ns: int | None
    """Time the cores together were busy, with these sessions or others; None if unknown."""
    steal_ns: int | None
    """Time that the hypervisor took from the cores; None if unknown."""
    stretch_messages: int
    """One of this many messages was timed by itself."""
    chain_adds: int
    """Additions in a clock probe."""
    part_bytes: tuple[int, ...]
    """Bytes of all sessions in each of equal parts of the window."""
    latencies: tuple[tuple[int, int], ...]
    """Buckets of the latencies of messages that were timed by themselves, each with its count."""
    sessions: tuple[SessionCounts, ...]

    @property
    def tagged_bytes(self) -> int:
        """Bytes of all sessions."""
        return sum(session.tagged_bytes for session in self.sessions)

    @property
    def messages(self) -> int:
        """Messages of all sessions."""
        return sum(session.messages for session in self.sessions)

    @property
    def thread_cpu_ns(self) -> int:
        """CPU time of all sessions."""
        return sum(session.thread_cpu_ns for session in self.sessions)

    @property
    def wall_ns(self) -> float:
        """t2 - t1 by the monotonic clock."""
        return self.window_ticks * self.clock_ns / self.clock_ticks

    @property
    def cores_in_use(self) -> int:
        """Cores that the sessions can keep busy: no more than there are sessions."""
        return min(len(self.cores), len(self.sessions))


# One window of gatherers.


@dataclass(frozen=True, slots=True)
class GathererCounts:
    """One gatherer, which has a core to itself, between its readings at t1 and t2."""

    messages: int
    tagged_bytes: int
    batches: int
    busy_ticks: int
    """Ticks spent on batches, interruptions included; for the rest of the time it waited."""
    ticks: int
    wall_ns: int
    thread_cpu_ns: int
    """CPU time, waiting included: a gatherer does not sleep."""
    involuntary_switches: int
    backlog_before: int
    """Messages that had arrived and were not tagged, at t1."""
    backlog_after: int
    """Messages that had arrived and were not tagged, at t2."""


@dataclass(frozen=True, slots=True)
class GatherWindow:
    """One window [t1, t2] of all gatherers."""

    cores: tuple[int, ...]
    """Numbers of the cores, each of which has one gatherer."""
    sessions: int
    batch_most: int
    """Most messages of a batch."""
    wait_ns: int
    """Longest wait of the oldest message until its batch is begun."""
    rate_per_s: float | None
    """Messages that arrive at all gatherers together; None: messages always wait."""
    warm_up_ns: int
    window_ns: int
    ticks_are_tsc: bool
    ticks_per_ns: float
    clock_pair_ticks: int
    """The fewest ticks that two readings with nothing between them take."""
    busy_ns: int | None
    """Time the cores together were busy, with these gatherers or others; None if unknown."""
    steal_ns: int | None
    """Time that the hypervisor took from the cores; None if unknown."""
    latencies: tuple[tuple[int, int], ...]
    """Buckets of the latencies of all messages of the window, each with its count."""
    parts: tuple[tuple[int, int, int], ...]
    """Messages, batches and busy ticks of all gatherers in each of equal parts of the window."""
    gatherers: tuple[GathererCounts, ...]

    @property
    def messages(self) -> int:
        """Messages of all gatherers."""
        return sum(gatherer.messages for gatherer in self.gatherers)

    @property
    def batches(self) -> int:
        """Batches of all gatherers."""
        return sum(gatherer.batches for gatherer in self.gatherers)

    @property
    def wall_ns(self) -> int:
        """Wall time of all gatherers together: cores times time."""
        return sum(gatherer.wall_ns for gatherer in self.gatherers)

    @property
    def thread_cpu_ns(self) -> int:
        """CPU time of all gatherers, waiting included."""
        return sum(gatherer.thread_cpu_ns for gatherer in self.gatherers)
