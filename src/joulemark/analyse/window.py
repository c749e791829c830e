# SPDX-License-Identifier: Apache-2.0
"""From one raw window to the mean power of one domain, with its standard uncertainty.

A counter that stood at two values at two moments gives P = E / T. What is not known of it, each as
a standard uncertainty (JCGM 100:2008, 4.3.7: a quantity anywhere in a range of width w has
w / sqrt(12)):

- step: each count is the energy rounded down to the instrument's step, or to one update's energy
  where that is less: 2 s^2 / 12 for the difference;
- edges: each moment lies anywhere in its interval: P^2 (w1^2 + w2^2) / 12;
- noise that accumulates: b for each update in the window (`joulemark.judging.domains`);
- noise of the readings that step and edges do not explain: a - (step and polling of the pace).

The window's power is that of load and reading together. The core read the meter for a part r of
the time, at a power that may differ from the load's by up to `READING_POWER`; so the load alone
has P with a further relative uncertainty of r READING_POWER / sqrt(3) (`WindowPower.reading`).

A gauge gives the mean of the samples that lie wholly in the window, with the uncertainty from their
scatter, the number of its refreshes and its resolution. westermann2010 takes the median of all
samples, as the paper does; its uncertainty too counts refreshes, since a repeated sample says
nothing new.

The meter's gain is not in these: no instrument here states it. See docs/limits.md.
"""

from __future__ import annotations

import bisect
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from uncertainties import ufloat

from joulemark.judging.domains import Pace, refreshes, settled
from joulemark.judging.void import FEWEST_GAUGE_SAMPLES, Advance, Void, VoidReason, advance, void_in
from joulemark.records.energy_window import (
    Domain,
    DomainTrace,
    EnergyWindow,
    MeterRecord,
    Quantity,
    TracePoint,
)

READING_POWER: Final = 0.5
"""Reading a file is system calls, the load arithmetic: both keep one core busy, and their powers
differ by less than half."""
_UNIFORM: Final = 12.0
_MEDIAN_FACTOR: Final = math.sqrt(math.pi / 2)
"""Standard error of a median over that of the mean, for normal data."""


@dataclass(frozen=True, slots=True)
class WindowPower:
    """One accepted window of one domain."""

    window: EnergyWindow
    power_w: Any
    """Mean power, an `uncertainties` number: the same window taken twice stays correlated."""
    duration_s: float
    """Between the edges, or from the first to the last sample."""
    wraps: int = 0

    @property
    def reading(self) -> float:
        """Relative standard uncertainty of the load's own power from the reads near the edges."""
        share = self.window.reading_ns / self.window.wall_ns if self.window.wall_ns else 0.0
        return share * READING_POWER / math.sqrt(3)

    @property
    def middle_s(self) -> float:
        """Moment of the middle, in seconds on CLOCK_MONOTONIC."""
        return (self.window.wall_start_ns + self.window.wall_ns / 2) / 1e9

    @property
    def seconds_per_message(self) -> float:
        """Time of one message without the reads between; not for idle windows."""
        window = self.window
        return (window.wall_ns - window.reading_ns) / (window.messages * 1e9)


def pace_in(record: MeterRecord, domain: str) -> Pace | None:
    """The pace that was found before the run; None where there was none."""
    fields = record.paces.get(domain)
    return None if fields is None else Pace.from_dict(fields)


def power_of(window: EnergyWindow, domain: Domain, record: MeterRecord) -> WindowPower | Void:
    """Mean power of one domain over one window, or why there is none."""
    void = void_in(window, domain, record)
    if void is not None:
        return void
    trace = next(domain_trace for domain_trace in window.traces if domain_trace.domain == domain.id)
    if domain.quantity is Quantity.POWER:
        return _of_gauge(window, trace, domain, use_median=record.method == "westermann2010")
    moved = advance(domain, trace.points)
    assert isinstance(moved, Advance)
    first, last = trace.points[0], trace.points[-1]
    duration_s = last.middle_s - first.middle_s
    joules = moved.counts * domain.per_count
    power_w = joules / duration_s
    variance_j2 = _variance_j2(domain, pace_in(record, domain.id), power_w, duration_s)
    variance_j2 += power_w**2 * (_width_s(first) ** 2 + _width_s(last) ** 2) / _UNIFORM
    uncertainty_w = math.sqrt(variance_j2) / duration_s
    return WindowPower(window, ufloat(power_w, uncertainty_w), duration_s, moved.wraps)


def _width_s(point: TracePoint) -> float:
    return float((point.not_after_ns - point.not_before_ns) / 1e9)


def _variance_j2(domain: Domain, pace: Pace | None, power_w: float, duration_s: float) -> float:
    """Step and noise, in joules squared."""
    if pace is None:
        return 2 * domain.resolution**2 / _UNIFORM
    step_j = min(domain.resolution, power_w * pace.period_s)
    pace_step_j = min(domain.resolution, pace.power_w * pace.period_s)
    explained = 2 * (pace_step_j**2 + (pace.power_w * pace.poll_s) ** 2) / _UNIFORM
    # Noise is a share of what is metered: found at one power, it is scaled to the other.
    scale = (power_w / pace.power_w) ** 2 if pace.power_w > 0 else 1.0
    updates = max(1.0, duration_s / pace.period_s)
    return (
        2 * step_j**2 / _UNIFORM
        + scale * max(0.0, pace.white_j2 - explained)
        + scale * pace.walk_j2 * updates
    )


def _of_gauge(
    window: EnergyWindow, trace: DomainTrace, domain: Domain, *, use_median: bool
) -> WindowPower | Void:
    """Mean of what refreshed in the window, or median of the samples."""
    points = list(trace.points) if use_median else settled(trace.points)
    fresh = len(refreshes(points))
    if fresh < FEWEST_GAUGE_SAMPLES:
        return Void(
            VoidReason.TOO_SHORT,
            f"{domain.name} refreshed {fresh} times in this window and {FEWEST_GAUGE_SAMPLES} are "
            "needed; take longer windows (--energy-window)",
        )
    watts = [point.counts * domain.per_count for point in points]
    centre = statistics.median(watts) if use_median else statistics.fmean(watts)
    error = statistics.stdev(watts) / math.sqrt(fresh)
    if use_median:
        error *= _MEDIAN_FACTOR
    uncertainty_w = math.hypot(error, domain.resolution / math.sqrt(_UNIFORM))
    duration_s = trace.points[-1].middle_s - trace.points[0].middle_s
    return WindowPower(window, ufloat(centre, uncertainty_w), duration_s)


# Power at rest, at the moment of a load window.
#
# Baseline windows are interleaved with load windows, because power at rest follows the temperature.
# At any moment it is the line between the baseline windows before and after; beyond the first and
# the last it is theirs. Each baseline window is one uncertain number that all its neighbours share,
# so that its error does not average out over them (`uncertainties` keeps the correlation).
#
# How much power at rest moves from one baseline window to the next is part of its error: the
# standard deviation by successive differences, sqrt(mean (P[i+1] - P[i])^2 / 2), which a slow drift
# does not inflate (J. von Neumann et al., Ann. Math. Stat. 12 (1941) 153).
#
# Idle is never a residual: it is measured, or it is missing.
#
# A core that sleeps must wake to read the meter at its window's edges. The CPU time of the reading
# thread says how long the core was awake. It then takes about the power of active idle, and
# `without_waking` subtracts the energy of that time.

_WITHIN_EDGES: Final = ufloat(0.75, 0.25 / math.sqrt(3))
"""Part of the time awake that lies between the edges. The search for the last edge lies there and
the search for the first does not, so it is anywhere between half and all of that time."""


def without_waking(deep: Sequence[WindowPower], active: Baseline) -> list[WindowPower]:
    """Deep idle windows without the power of waking to read the meter.

    Args:
        deep: accepted windows of deep idle.
        active: power of active idle; without any the windows stay as they are.
    """
    corrected = []
    for window in deep:
        awake_w = active.at(window.middle_s)
        if awake_w is not None and window.window.wall_ns:
            awake = window.window.thread_cpu_ns / window.window.wall_ns
            more_w = max(0.0, awake_w.nominal_value - window.power_w.nominal_value)
            less = window.power_w - more_w * awake * _WITHIN_EDGES
            window = replace(window, power_w=ufloat(less.nominal_value, less.std_dev))  # noqa: PLW2901
        corrected.append(window)
    return corrected


class Baseline:
    """Power at rest over a run.

    Args:
        windows: accepted windows of one kind of idle and one domain, any order.
        preceding: take the window before each moment alone, as westermann2010 does, instead of
            the line between both neighbours.
    """

    def __init__(self, windows: Sequence[WindowPower], *, preceding: bool = False) -> None:
        ordered = sorted(windows, key=lambda window: window.middle_s)
        watts = [window.power_w.nominal_value for window in ordered]
        steps = [(b - a) ** 2 for a, b in pairwise(watts)]
        scatter_w = math.sqrt(math.fsum(steps) / len(steps) / 2) if steps else 0.0
        self._moments = [window.middle_s for window in ordered]
        self._powers = [
            ufloat(window.power_w.nominal_value, max(window.power_w.std_dev, scatter_w))
            for window in ordered
        ]
        self._preceding = preceding

    def __len__(self) -> int:
        return len(self._powers)

    @property
    def powers_w(self) -> list[Any]:
        """Power of every window, in order of time."""
        return list(self._powers)

    def at(self, moment_s: float) -> Any | None:
        """Power at rest at a moment; None without a window."""
        if not self._powers:
            return None
        after = bisect.bisect_left(self._moments, moment_s)
        if self._preceding:
            return self._powers[max(0, after - 1)]
        if after == 0:
            return self._powers[0]
        if after == len(self._powers):
            return self._powers[-1]
        start, end = self._moments[after - 1], self._moments[after]
        share = (moment_s - start) / (end - start) if end > start else 0.5
        return self._powers[after - 1] * (1 - share) + self._powers[after] * share


def void_idle_words(void: Sequence[Void]) -> str:
    """The end of the words of a baseline on its void windows, as in "; void: uneven power 3"."""
    times = sorted(Counter(each.reason.value for each in void).items())
    return f"; void: {', '.join(f'{reason} {count}' for reason, count in times)}" if times else ""


# From the windows of one trial to the power of its load, gross and net of rest.
#
# All are `uncertainties` numbers, so windows stay correlated by all that they share.


@dataclass(frozen=True, slots=True)
class LoadPower:
    """Power of the load in one window, without the reads of the meter."""

    window: WindowPower
    power_w: Any

    @property
    def joules_per_message(self) -> Any:
        """Energy of one message; not for a window without messages."""
        return self.power_w * self.window.seconds_per_message

    @property
    def joule_seconds_per_message(self) -> Any:
        """Energy times delay of one message; not for a window without messages."""
        return self.power_w * self.window.seconds_per_message**2


def gross_powers(kept: Sequence[WindowPower]) -> list[LoadPower]:
    """Power of the load in each window, nothing subtracted."""
    # What reading costs is unknown and the same in every window: one number, shared by all.
    unknown = ufloat(0.0, 1.0)
    return [LoadPower(window, window.power_w * (1 + window.reading * unknown)) for window in kept]


def net_powers(gross: Sequence[LoadPower], rest: Baseline) -> list[LoadPower]:
    """Power less that at rest in the same moment; empty where the power at rest is unknown."""
    pairs = ((load, rest.at(load.window.middle_s)) for load in gross)
    return [
        LoadPower(load.window, load.power_w - at_rest_w)
        for load, at_rest_w in pairs
        if at_rest_w is not None
    ]


def with_messages(loads: Sequence[LoadPower]) -> list[LoadPower]:
    """The powers of windows that have a message: the others give no cost of a message."""
    return [load for load in loads if load.window.window.messages > 0]
