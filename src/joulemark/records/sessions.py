# SPDX-License-Identifier: Apache-2.0
"""What many sessions did at once: counters as they were read, of one window.

`harness/sessions.h` says how they are taken. Ticks are those of the time-stamp counter, or
nanoseconds where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SessionCounts", "SessionsWindow"]


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
    """Preemptions."""
    migrations: int
    """Changes of the core, as seen some twenty microseconds apart: at least so many."""
    chain_ticks_before: int | None
    """Clock probe before t1; None unless it is one of the first eight sessions."""
    chain_ticks_after: int | None
    last_bytes: int
    """Length of the message that was tagged last."""
    last_nonce: int = 0
    """Its nonce as a little-endian number, counted up for each message; 0 without nonces."""

    @property
    def turns(self) -> int:
        """Times the session was put on a core, at least; 0 where it did nothing."""
        switches = self.voluntary_switches + self.involuntary_switches
        return switches + 1 if self.messages else 0


@dataclass(frozen=True, slots=True)
class SessionsWindow:
    """One window [t1, t2] of all sessions."""

    cores: tuple[int, ...]
    warm_up_ns: int
    """From the start to t1, as asked for."""
    window_ns: int
    """From t1 to t2, as asked for."""
    ticks_are_tsc: bool
    window_ticks: int
    """t2 - t1."""
    clock_ns: int
    """Between two readings of both clocks, at about t1 and t2."""
    clock_ticks: int
    clock_pair_ticks: int
    """The least that two readings with nothing between them take."""
    busy_ns: int | None
    """Time the cores together were busy, with these sessions or others; None if unknown."""
    steal_ns: int | None
    """Time that the hypervisor took from them."""
    stretch_messages: int
    """One message of so many was timed by itself."""
    chain_adds: int
    """Additions of a clock probe."""
    part_bytes: tuple[int, ...]
    """Of all sessions, in equal parts of the window."""
    latencies: tuple[tuple[int, int], ...]
    """Bucket and count, of the messages that were timed by themselves."""
    sessions: tuple[SessionCounts, ...]

    @property
    def tagged_bytes(self) -> int:
        """Of all sessions."""
        return sum(session.tagged_bytes for session in self.sessions)

    @property
    def messages(self) -> int:
        """Of all sessions."""
        return sum(session.messages for session in self.sessions)

    @property
    def thread_cpu_ns(self) -> int:
        """Of all sessions."""
        return sum(session.thread_cpu_ns for session in self.sessions)

    @property
    def wall_ns(self) -> float:
        """t2 - t1 by the monotonic clock."""
        return self.window_ticks * self.clock_ns / self.clock_ticks

    @property
    def cores_in_use(self) -> int:
        """Cores that the sessions can keep busy: no more than there are sessions."""
        return min(len(self.cores), len(self.sessions))
