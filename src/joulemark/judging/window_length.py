# SPDX-License-Identifier: Apache-2.0
"""How long a window must be for a stated precision: pure arithmetic on what is known of a counter.

A window of T seconds at power P holds P T joules, with a variance of v + b T / tau, where v is the
part that does not grow with T (step, edges, noise of the readings) and b the noise of each of the T
/ tau updates. The half interval 1.96 sqrt(v + b T / tau) is at most p P T from the larger root of
(p P / 1.96)^2 T^2 - (b / tau) T - v = 0 on.
"""

from __future__ import annotations

import math
from typing import Final

from joulemark.judging.pace import Pace
from joulemark.records.domain import Domain

__all__ = ["FEWEST_PERIODS", "free_running_window_s", "window_for_precision_s"]

FEWEST_PERIODS: Final = 4
"""Fewest update periods in a window: finding the edges takes up to one period at each end."""
_EDGE_S: Final = 30e-6
"""Width of an edge: the shortest stretch between two reads, and the read."""
_Z95: Final = 1.96


def window_for_precision_s(domain: Domain, pace: Pace, precision: float) -> float:
    """Shortest window whose gross energy has this relative half interval at the power of the pace.

    Args:
        domain: resolution of the counter.
        pace: as observed; infinite if it shows no power.
        precision: above 0, as in 0.01 for 1 %.
    """
    if pace.power_w <= 0:
        return math.inf
    step_j = min(domain.resolution, pace.power_w * pace.period_s)
    edge_j = pace.power_w * max(_EDGE_S, pace.poll_s)
    explained_j2 = 2 * (step_j**2 + (pace.power_w * pace.poll_s) ** 2) / 12
    fixed_j2 = 2 * (step_j**2 + edge_j**2) / 12 + max(0.0, pace.white_j2 - explained_j2)
    quadratic = (precision * pace.power_w / _Z95) ** 2
    linear = pace.walk_j2 / pace.period_s
    root = (linear + math.sqrt(linear**2 + 4 * quadratic * fixed_j2)) / (2 * quadratic)
    return max(root, FEWEST_PERIODS * pace.period_s)


def free_running_window_s(period_s: float, precision: float) -> float:
    """The same for a window whose ends are not on updates: each may be a whole period late.

    The worst case is period / T, as the Monte-Carlo table of docs/method/energy.md shows.
    """
    return period_s / precision
