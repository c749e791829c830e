# SPDX-License-Identifier: Apache-2.0
"""From raw counts of many sessions to figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from joulemark.analyse.derive import per_byte
from joulemark.records.sessions import SessionCounts, SessionsWindow, percentile
from joulemark.stats.interval import median_interval
from joulemark.stats.location import median

# The divisions by which counts of one window become processing, fairness and latencies.
#
# Absolute processing is the time that the sessions' threads spent, apparent processing the time
# that the window took, "as if the function is virtually being executed sequentially by the main
# processor" (rashwan2012, section III.E). Both are per byte of all sessions. On one core that
# others leave alone they agree; on k cores apparent falls towards absolute / k.

PERCENTILES: Final = {"p50": Fraction(1, 2), "p99": Fraction(99, 100), "p99.9": Fraction(999, 1000)}


def _ticks_per_ns(window: SessionsWindow) -> float:
    return window.clock_ticks / window.clock_ns


def absolute_ticks_per_byte(window: SessionsWindow) -> float | None:
    """Thread CPU time of all sessions, in ticks, over their bytes; None without a byte."""
    return per_byte(window.thread_cpu_ns * _ticks_per_ns(window), window.tagged_bytes)


def apparent_ticks_per_byte(window: SessionsWindow) -> float | None:
    """Ticks of the window over the bytes of all sessions; None without a byte."""
    return per_byte(window.window_ticks, window.tagged_bytes)


def session_wall_ticks_per_byte(session: SessionCounts) -> float | None:
    """Ticks between a session's readings over its bytes; None without a byte."""
    return per_byte(session.ticks, session.tagged_bytes)


def session_absolute_ticks_per_byte(window: SessionsWindow, session: SessionCounts) -> float | None:
    """CPU time of one session, in ticks, over its bytes; None without a byte."""
    return per_byte(session.thread_cpu_ns * _ticks_per_ns(window), session.tagged_bytes)


def session_apparent_ticks_per_byte(window: SessionsWindow, session: SessionCounts) -> float | None:
    """Ticks of the window over n times the bytes of one of n sessions; None without a byte.

    Our reading of figures 8 to 11 of rashwan2012: were all sessions like this one, this were the
    apparent processing of all. A session that is scheduled less has more of it (section V.D).
    """
    return per_byte(window.window_ticks, len(window.sessions) * session.tagged_bytes)


def core_cycles_per_tick(window: SessionsWindow) -> float | None:
    """Core cycles in a tick: the median over the first sessions, which have clock probes.

    Of each of them it is chain_adds / ((chain_ticks_before + chain_ticks_after) / 2), as in
    `joulemark.analyse.derive.core_cycles_per_tick`; None without a time-stamp counter.
    """
    ratios = [
        2 * window.chain_adds / (session.chain_ticks_before + session.chain_ticks_after)
        for session in window.sessions
        if session.chain_ticks_before and session.chain_ticks_after
    ]
    return median(ratios) if ratios and window.ticks_are_tsc else None


def jain(values: Sequence[float]) -> float | None:
    """Jain's index of fairness: (sum x)^2 / (n sum x^2), from 1/n to 1; None where all are 0.

    References:
        Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination, DEC-TR-301, 1984.
    """
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def latency_seconds(window: SessionsWindow, share: Fraction) -> float | None:
    """A percentile of the time of one message, without the time of reading the clock.

    It includes the time in which the session waited for a core in the middle of the message.
    """
    ticks = percentile(window.latencies, share)
    if ticks is None:
        return None
    return max(0.0, ticks - window.clock_pair_ticks) / _ticks_per_ns(window) / 1e9


# Figures of one implementation at one length, over repeated windows.

Unit = Literal["core cycles", "TSC ticks", "ns"]


@dataclass(frozen=True, slots=True)
class WindowSpread:
    """Median over windows, with its 95 % interval; one window has an interval of no width."""

    median: float
    low: float
    high: float
    windows: int

    @property
    def half_width(self) -> float:
        """Half of the interval over the median."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """Costs of many sessions, per byte in `unit`; None where a window has no such figure."""

    unit: Unit
    absolute: WindowSpread | None
    apparent: WindowSpread | None
    absolute_ticks: WindowSpread | None
    """Absolute processing in ticks per byte, whatever `unit` is."""
    apparent_ticks: WindowSpread | None
    bytes_per_second: WindowSpread | None
    fairness: WindowSpread | None
    """Jain's index of the sessions' bytes."""
    latency_s: dict[str, WindowSpread | None]
    """Percentile -> time of one message."""
    migrations_per_second: WindowSpread | None
    """Migrations of all sessions together."""
    preemptions_per_second: WindowSpread | None
    windows: int


def spread(values: Sequence[float | None]) -> WindowSpread | None:
    """The spread over windows; None if a window has no such figure."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    interval = median_interval(known)
    return WindowSpread(median(known), interval.low, interval.high, len(known))


def unit_of(windows: Sequence[SessionsWindow]) -> Unit:
    """Core cycles if every window has clock probes, else the ticks that were read."""
    if all(core_cycles_per_tick(window) is not None for window in windows):
        return "core cycles"
    return "TSC ticks" if all(window.ticks_are_tsc for window in windows) else "ns"


def session_figures(windows: Sequence[SessionsWindow]) -> SessionFigures:
    """Figures from at least one window of the same sessions."""
    unit = unit_of(windows)

    def scaled(ticks: list[float | None]) -> WindowSpread | None:
        if unit != "core cycles":
            return spread(ticks)
        ratios = map(core_cycles_per_tick, windows)
        pairs = zip(ticks, ratios, strict=True)
        return spread([a * b if a is not None and b is not None else None for a, b in pairs])

    def per_second(count: Callable[[SessionsWindow], float]) -> WindowSpread | None:
        return spread([count(window) * 1e9 / window.wall_ns for window in windows])

    absolute = [absolute_ticks_per_byte(window) for window in windows]
    apparent = [apparent_ticks_per_byte(window) for window in windows]
    return SessionFigures(
        unit=unit,
        absolute=scaled(absolute),
        apparent=scaled(apparent),
        absolute_ticks=spread(absolute),
        apparent_ticks=spread(apparent),
        bytes_per_second=per_second(lambda window: window.tagged_bytes),
        fairness=spread([jain([of.tagged_bytes for of in window.sessions]) for window in windows]),
        latency_s={
            name: spread([latency_seconds(window, share) for window in windows])
            for name, share in PERCENTILES.items()
        },
        migrations_per_second=per_second(
            lambda window: sum(of.migrations for of in window.sessions)
        ),
        preemptions_per_second=per_second(
            lambda window: sum(of.involuntary_switches for of in window.sessions)
        ),
        windows=len(windows),
    )
