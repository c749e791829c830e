# SPDX-License-Identifier: Apache-2.0
"""One window of many sessions at once: the counters as they were read.

`harness/sessions.h` says how they are read. Ticks are those of the time-stamp counter, or
nanoseconds where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass


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
