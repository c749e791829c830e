# SPDX-License-Identifier: Apache-2.0
"""How long a window must be for a stated precision: pure arithmetic on what is known of a counter.

A window of T seconds at power P holds P T joules, with a variance of v + b T / tau, where v is the
part that does not grow with T (step, edges, noise of the readings) and b the noise of each of the T
/ tau updates. The half interval 1.96 sqrt(v + b T / tau) is at most p P T from the larger root of
(p P / 1.96)^2 T^2 - (b / tau) T - v = 0 on.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import ForeignError
from joulemark.records.energy_window import Domain, Quantity, TracePoint

# The pace of a counter: how often it moves, how evenly, and how noisy its steps are.
#
# Documentation gives update periods that hardware does not keep, so each period is found on the
# machine, by `joulemark.meters.window`. Here the observed updates become figures.
#
# Two kinds of noise are told apart by how they grow. Take the energy between two updates that lie L
# updates apart, less mean power times time. Its mean square over the series is V(L). An error of
# each reading alone (the counter's step, the time between two polls) gives V(L) = a; an error of
# each increment accumulates and gives V(L) = b L. The line a + b L is fitted over L = 1, 2, 4, ...
# (the structure function of a random walk with white noise; D. W. Allan, Proc. IEEE 54 (1966) 221,
# uses the same idea).

FEWEST_UPDATES: Final = 6
"""Updates below which no period is stated: five intervals are the fewest with a spread."""
_WIDE_PART: Final = 0.2
"""An edge whose moment is known no better than this part of a period tells nothing of noise."""
_NORMAL_MAD: Final = 1.4826
_ITERATIONS: Final = 6
_VARIANCE_OF_V: Final = 2.7
"""Variance of V(L) in units of V^2 L / n: 2 for independent terms; overlapping ones, which are
used here, have 4/3 of what as many independent ones would have."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How one counter moves, as seen over `updates` updates at steady load."""

    period_s: float
    """Median time between updates."""
    jitter_s: float
    """Spread of the time between updates: 1.4826 MAD, at least 0."""
    poll_s: float
    """Median time within which an update was caught: `jitter_s` holds no finer detail."""
    power_w: float
    """Mean power while it was observed; of a gauge, the mean reading."""
    walk_j2: float
    """Noise that accumulates: variance in joules squared for each update in a window (b)."""
    white_j2: float
    """Noise of a difference of two readings, however far apart, in joules squared (a)."""
    updates: int

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Pace | None:
        """The pace that `as_dict` described; None where a field is missing or no number."""
        try:
            return record_from_json(Pace, dict(values))
        except ForeignError:
            return None


def pace_of(domain: Domain, points: Sequence[TracePoint]) -> Pace | None:
    """The pace behind a series of updates; None for fewer than `FEWEST_UPDATES`."""
    if len(points) < FEWEST_UPDATES:
        return None
    middles = [point.middle_s for point in points]
    intervals = [b - a for a, b in pairwise(middles)]
    widths = [(point.not_after_ns - point.not_before_ns) / 1e9 for point in points]
    poll_s = statistics.median(widths)
    period_s = statistics.median(intervals)
    jitter_s = _NORMAL_MAD * statistics.median(abs(interval - period_s) for interval in intervals)
    if domain.quantity is Quantity.POWER:
        mean_w = statistics.fmean(point.counts for point in points) * domain.per_count
        return Pace(period_s, jitter_s, poll_s, mean_w, 0.0, 0.0, len(points))
    joules = _unwrapped_j(domain, points)
    power_w = (joules[-1] - joules[0]) / (middles[-1] - middles[0])
    residuals = [
        math.nan if width > _WIDE_PART * period_s else e - power_w * (t - middles[0])
        for e, t, width in zip(joules, middles, widths, strict=True)
    ]
    white_j2, walk_j2 = _white_and_walk(residuals)
    return Pace(period_s, jitter_s, poll_s, power_w, walk_j2, white_j2, len(points))


def _unwrapped_j(domain: Domain, points: Sequence[TracePoint]) -> list[float]:
    """Joules since the first point; a step backwards is taken for one wrap, as polling is fast."""
    sign = -1 if domain.falls else 1
    total, joules = 0, [0.0]
    for first, second in pairwise(points):
        step = sign * (second.counts - first.counts)
        if step < 0 and domain.wraps_at_counts:
            step += domain.wraps_at_counts
        total += max(step, 0)
        joules.append(total * domain.per_count)
    return joules


def _white_and_walk(residuals: Sequence[float]) -> tuple[float, float]:
    """The a and b of V(L) = a + b L, both at least 0, by iterated weighted least squares.

    V(L) over n residuals has about n / L independent terms, and a standard deviation proportional
    to its own expectation: the weights are taken from the fit before. Fixing both ends of the
    series takes the part L / n from a random walk's V(L); it is given back. A residual that is not
    a number is left out.
    """
    n = len(residuals)
    lags = [1 << k for k in range(n.bit_length()) if 1 << k <= n // 4]
    squares = [
        [
            (b - a) ** 2
            for a, b in zip(residuals, residuals[lag:], strict=False)
            if not math.isnan(a + b)
        ]
        for lag in lags
    ]
    if not squares or not all(squares) or not any(map(sum, squares)):
        return 0.0, 0.0
    values = [
        math.fsum(found) / (len(found) * (1 - lag / n))
        for lag, found in zip(lags, squares, strict=True)
    ]
    white, walk = 0.0, values[0]
    for _ in range(_ITERATIONS):
        weights = [n / lag / (white + walk * lag) ** 2 for lag in lags]
        white, walk = _line(lags, values, weights)
        if white <= 0 and walk <= 0:
            return 0.0, 0.0
    return white, walk


def _line(
    lags: Sequence[int], values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Weighted least squares of a + b L with a and b at least 0.

    A slope below its own standard error counts as none: its effect grows with the window, and
    chance alone would make a quiet counter look noisy.
    """
    total = math.fsum(weights)
    lag_mean = _weighted(weights, lags) / total
    value_mean = _weighted(weights, values) / total
    spread = math.fsum(w * (lag - lag_mean) ** 2 for w, lag in zip(weights, lags, strict=True))
    if spread <= 0:
        return 0.0, value_mean / lag_mean
    products = [(lag - lag_mean) * v for lag, v in zip(lags, values, strict=True)]
    walk = _weighted(weights, products) / spread
    if walk < math.sqrt(_VARIANCE_OF_V / spread):
        return value_mean, 0.0
    white = value_mean - walk * lag_mean
    if white < 0:
        squares = _weighted(weights, [lag * lag for lag in lags])
        return 0.0, _weighted(
            weights, [lag * v for lag, v in zip(lags, values, strict=True)]
        ) / squares
    return white, walk


def _weighted(weights: Sequence[float], values: Sequence[float]) -> float:
    return math.fsum(w * v for w, v in zip(weights, values, strict=True))


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
