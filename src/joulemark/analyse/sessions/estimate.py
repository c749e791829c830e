# SPDX-License-Identifier: Apache-2.0
"""Figures of one implementation at one length, over repeated windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from joulemark.analyse.sessions.divide import (
    PERCENTILES,
    absolute_ticks_per_byte,
    apparent_ticks_per_byte,
    core_cycles_per_tick,
    jain,
    latency_seconds,
)
from joulemark.records.sample import SessionsWindow
from joulemark.stats import median
from joulemark.stats.clustered import median_interval

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
