# SPDX-License-Identifier: Apache-2.0
"""One window of gatherers, which collect messages of many sessions: the counters as they were read.

`harness/gather.h` says how they are read. Ticks are those of the time-stamp counter, or
nanoseconds where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass


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
