# SPDX-License-Identifier: Apache-2.0
"""Power at rest, at the moment of a load window.

Baseline windows are interleaved with load windows, because power at rest follows the temperature.
At any moment it is the line between the baseline windows before and after; beyond the first and
the last it is theirs. Each baseline window is one uncertain number that all its neighbours share,
so that its error does not average out over them (`uncertainties` keeps the correlation).

How much power at rest moves from one baseline window to the next is part of its error: the
standard deviation by successive differences, sqrt(mean (P[i+1] - P[i])^2 / 2), which a slow drift
does not inflate (J. von Neumann et al., Ann. Math. Stat. 12 (1941) 153).

Idle is never a residual: it is measured, or it is missing.

A core that sleeps must wake to read the meter at its window's edges. The CPU time of the reading
thread says how long the core was awake. It then takes about the power of active idle, and
`without_waking` subtracts the energy of that time.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from uncertainties import ufloat

from joulemark.analyse.energy.window import WindowPower

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
