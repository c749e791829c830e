# SPDX-License-Identifier: Apache-2.0
"""The divisions by which raw counters become figures: of samples, and of many sessions.

Those of samples are exact arithmetic, one a function; None means that a counter is not there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from joulemark.judging import off_cpu_share
from joulemark.records.sample import RawSample, SessionCounts, SessionsWindow, percentile
from joulemark.stats import median
from joulemark.stats.clustered import clustered_median_interval, median_interval

_NANOSECOND = 1e9
"""Nanoseconds in a second; dividing by it rounds once, multiplying by 1e-9 twice."""


def seconds_per_message(sample: RawSample) -> float:
    """wall_ns / (messages 10^9), in seconds."""
    return sample.wall_ns / (sample.messages * _NANOSECOND)


def thread_cpu_seconds_per_message(sample: RawSample) -> float:
    """thread_cpu_ns / (messages 10^9), in seconds."""
    return sample.thread_cpu_ns / (sample.messages * _NANOSECOND)


def tsc_ticks_per_message(sample: RawSample) -> float | None:
    """tsc_ticks / messages; None without a time-stamp counter."""
    return None if sample.tsc_ticks is None else sample.tsc_ticks / sample.messages


def measured_core_cycles_per_message(sample: RawSample) -> float | None:
    """perf_core_cycles / messages; None where the kernel does not lend the counter."""
    return None if sample.perf_core_cycles is None else sample.perf_core_cycles / sample.messages


def core_cycles_per_tick(sample: RawSample) -> float | None:
    """Core cycles in one TSC tick, by the clock probes around the window.

    chain_adds / ((chain_ticks_before + chain_ticks_after) / 2): a chain of dependent additions
    takes one core cycle each, so its length over its ticks is the ratio of the two clocks.
    None unless both probes are there and not empty.
    """
    before, after = sample.chain_ticks_before, sample.chain_ticks_after
    if not before or not after or sample.chain_adds <= 0:
        return None
    return 2 * sample.chain_adds / (before + after)


def modelled_core_cycles_per_message(sample: RawSample) -> float | None:
    """tsc_ticks (1 - off_cpu_share) core_cycles_per_tick / messages.

    Ticks run on while another thread has the CPU, core cycles of this thread do not, so only the
    share of the window that the thread was on the CPU counts: the same quantity as
    `measured_core_cycles_per_message`. Supposes that the clock held between the probes. None
    without a time-stamp counter or without both probes.
    """
    ratio = core_cycles_per_tick(sample)
    if sample.tsc_ticks is None or ratio is None:
        return None
    return sample.tsc_ticks * (1 - off_cpu_share(sample)) * ratio / sample.messages


def tsc_hertz(sample: RawSample) -> float | None:
    """tsc_ticks 10^9 / wall_ns: rate of the time-stamp counter seen in this window."""
    if sample.tsc_ticks is None or sample.wall_ns <= 0:
        return None
    return sample.tsc_ticks * _NANOSECOND / sample.wall_ns


def per_byte(value_per_message: float, size_bytes: float) -> float | None:
    """value_per_message / size_bytes; None for the empty message."""
    return value_per_message / size_bytes if size_bytes else None


def bytes_per_second(seconds: float, size_bytes: float) -> float | None:
    """size_bytes / seconds; None for the empty message or an unmeasurably short time."""
    return size_bytes / seconds if size_bytes and seconds > 0 else None


# The precision of one trial's time, by which `--precision` decides when a run may stop.

LOOKED_LEVEL: Final = 0.965
"""Nominal level of the intervals of a run that stops once they are narrow enough. Such a run stops
more often where chance made the interval narrow; at this level the interval still holds the truth
in 95 % of runs, for any precision and for up to eight looks."""


def half_width(samples: Sequence[RawSample], *, level: float = LOOKED_LEVEL) -> float:
    """Half of the interval of the time per message over its median; infinite without a median.

    Args:
        samples: those of one trial that figures stand on, any number.
        level: of the interval, between 0 and 1, exclusive.
    """
    if not samples:
        return math.inf
    seconds = [seconds_per_message(sample) for sample in samples]
    processes = [sample.generation for sample in samples]
    interval = clustered_median_interval(seconds, processes, level=level)
    centre = median(seconds)
    return (interval.high - interval.low) / 2 / centre if centre > 0 else math.inf


# The divisions by which counts of one window become processing, fairness and latencies.
#
# Absolute processing is the time that the sessions' threads spent, apparent processing the time
# that the window took, "as if the function is virtually being executed sequentially by the main
# processor" (rashwan2012, section III.E). Both are per byte of all sessions. On one core that
# others leave alone they agree; on k cores apparent falls towards absolute / k.

PERCENTILES: Final = {"p50": Fraction(1, 2), "p99": Fraction(99, 100), "p99.9": Fraction(999, 1000)}


def ticks_per_ns(window: SessionsWindow) -> float:
    """Rate of the clock that a window was timed with."""
    return window.clock_ticks / window.clock_ns


def absolute_ticks_per_byte(window: SessionsWindow) -> float | None:
    """Thread CPU time of all sessions, in ticks, over their bytes; None without a byte."""
    return per_byte(window.thread_cpu_ns * ticks_per_ns(window), window.tagged_bytes)


def apparent_ticks_per_byte(window: SessionsWindow) -> float | None:
    """Ticks of the window over the bytes of all sessions; None without a byte."""
    return per_byte(window.window_ticks, window.tagged_bytes)


def session_wall_ticks_per_byte(session: SessionCounts) -> float | None:
    """Ticks between a session's readings over its bytes; None without a byte."""
    return per_byte(session.ticks, session.tagged_bytes)


def session_absolute_ticks_per_byte(window: SessionsWindow, session: SessionCounts) -> float | None:
    """CPU time of one session, in ticks, over its bytes; None without a byte."""
    return per_byte(session.thread_cpu_ns * ticks_per_ns(window), session.tagged_bytes)


def session_apparent_ticks_per_byte(window: SessionsWindow, session: SessionCounts) -> float | None:
    """Ticks of the window over n times the bytes of one of n sessions; None without a byte.

    Our reading of figures 8 to 11 of rashwan2012: were all sessions like this one, this were the
    apparent processing of all. A session that is scheduled less has more of it (section V.D).
    """
    return per_byte(window.window_ticks, len(window.sessions) * session.tagged_bytes)


def session_core_cycles_per_tick(window: SessionsWindow) -> float | None:
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
    return max(0.0, ticks - window.clock_pair_ticks) / ticks_per_ns(window) / 1e9


# Figures of one implementation at one length, over repeated windows.

Unit = Literal["core cycles", "TSC ticks", "ns"]


@dataclass(frozen=True, slots=True)
class WindowSpread:
    """Median over windows, with its 95 % interval; one window has an interval of no width."""

    median: float
    low: float
    high: float
    windows: int
    attained: bool
    """Whether so many windows carry a 95 % interval; else `low` and `high` are their range."""

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
    core_seconds_per_message: WindowSpread | None
    """CPU time of the sessions' threads over the messages of all."""
    messages_per_second: WindowSpread | None
    """Of all sessions together."""
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
    return WindowSpread(median(known), interval.low, interval.high, len(known), interval.attained)


def unit_of(windows: Sequence[SessionsWindow]) -> Unit:
    """Core cycles if every window has clock probes, else the ticks that were read."""
    if all(session_core_cycles_per_tick(window) is not None for window in windows):
        return "core cycles"
    return "TSC ticks" if all(window.ticks_are_tsc for window in windows) else "ns"


def session_core_seconds(window: SessionsWindow) -> float | None:
    """CPU time of the sessions' threads over the messages of all; None without a message."""
    return window.thread_cpu_ns / 1e9 / window.messages if window.messages else None


def session_figures(windows: Sequence[SessionsWindow]) -> SessionFigures:
    """Figures from at least one window of the same sessions."""
    unit = unit_of(windows)

    def scaled(ticks: list[float | None]) -> WindowSpread | None:
        if unit != "core cycles":
            return spread(ticks)
        ratios = map(session_core_cycles_per_tick, windows)
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
        core_seconds_per_message=spread([session_core_seconds(window) for window in windows]),
        messages_per_second=per_second(lambda window: window.messages),
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
