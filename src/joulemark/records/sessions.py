# SPDX-License-Identifier: Apache-2.0
"""One window of many sessions at once: the counters as they were read.

`harness/sessions.h` says how they are read. Ticks are those of the time-stamp counter, or
nanoseconds where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # workers import this module, and percentiles are computed elsewhere
    from fractions import Fraction

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
