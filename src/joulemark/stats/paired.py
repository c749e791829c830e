# SPDX-License-Identifier: Apache-2.0
"""Shift of paired differences: Hodges-Lehmann with exact signed-rank test, and the sign test.

The differences are log ratios of two implementations measured next to each other, so exp(estimate)
is the ratio of their times. The signed-rank test supposes that the differences are symmetric about
their centre, as differences of two similar measurements are; where symmetry is in doubt, there is
the sign test, which supposes a median alone.

Exact means that the null distribution is counted over all 2^n sign patterns, given the ranks that
occurred, ties and zeros included (Pratt 1959; Lehmann: Nonparametrics, 1975, section 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from joulemark.stats.distributions import fair_binomial_cdf, normal_cdf, normal_quantile
from joulemark.stats.location import FloatArray, as_sample, doubled_midranks

_EXACT_UP_TO: Final = 150
"""Pairs up to which sign patterns are counted exactly; beyond, the normal approximation is good to
three digits even at alpha = 0.001, and the count would take longer than the measurement of a
pair."""


@dataclass(frozen=True, slots=True)
class ShiftEstimate:
    """Centre of paired differences, in their unit."""

    estimate: float
    low: float
    high: float
    level: float
    """Confidence that the interval has; at least the requested level where `attained`."""
    attained: bool
    """False where so few pairs cannot carry the level; the interval is then their range."""
    p_value: float
    """Two-sided p of "the centre is 0"."""
    pairs: int

    @staticmethod
    def by_rank(
        ordered: FloatArray, rank: int, level: float, p_value: float, pairs: int
    ) -> ShiftEstimate:
        """Median of sorted values, and the interval from the `rank`-th to the `rank`-th last.

        Rank 0 says that no interval carries the requested level; `level` is then that of the range.
        """
        end = max(rank, 1)
        low, high = float(ordered[end - 1]), float(ordered[-end])
        return ShiftEstimate(float(np.median(ordered)), low, high, level, rank >= 1, p_value, pairs)


def signed_rank(differences: Sequence[float] | FloatArray, *, level: float = 0.95) -> ShiftEstimate:
    """Hodges-Lehmann estimate, exact signed-rank interval and p.

    Interval: with W_(1) <= ... <= W_(M) the M = n(n+1)/2 Walsh averages, [W_(c), W_(M+1-c)], c the
    largest with P(T+ <= c - 1) <= (1 - level)/2 under the tie-free null (Hollander, Wolfe, Chicken:
    Nonparametric Statistical Methods, 3rd ed., 2014, section 3.3). Ties only make it wider than
    it need be.

    Args:
        differences: shape (n,), n >= 1.
        level: between 0 and 1, exclusive.
    """
    sample = as_sample(differences)
    walsh = np.sort(walsh_averages(sample))
    rank, attained = _interval_rank(sample.size, (1 - level) / 2)
    return ShiftEstimate.by_rank(walsh, rank, attained, signed_rank_p(sample), sample.size)


def hodges_lehmann(differences: Sequence[float] | FloatArray) -> float:
    """Median of the Walsh averages (Hodges, Lehmann, Ann. Math. Statist. 34, 1963)."""
    sample = as_sample(differences)
    if sample.size <= 2:  # the average of all, which is the middle one
        return float(sample[0] / 2 + sample[-1] / 2)
    return float(np.median(walsh_averages(sample)))


def walsh_averages(sample: FloatArray) -> FloatArray:
    """(d_i + d_j) / 2 for all i <= j; shape (n(n+1)/2,), unsorted."""
    first, second = np.triu_indices(sample.size)
    return np.asarray(sample[first] / 2 + sample[second] / 2)


def signed_rank_p(differences: Sequence[float] | FloatArray) -> float:
    """Two-sided p of "symmetric about 0", by Wilcoxon's signed ranks.

    T+ is the sum of the ranks of |d_i| over positive d_i; ties share the mean of their ranks;
    zeros are ranked and their ranks then dropped (Pratt: Remarks on zeros and ties in the Wilcoxon
    signed rank procedures, JASA 54, 1959), because dropping them first can make a
    sample more significant when a difference moves towards 0. p = min(1, 2 min(P(T+ <= t),
    P(T+ >= t))). All differences 0: p = 1.

    Args:
        differences: shape (n,), n >= 1.
    """
    sample = as_sample(differences)
    # Doubled midranks are whole numbers, so the distribution lives on a grid.
    doubled = doubled_midranks(np.abs(sample))
    ranks = doubled[sample != 0]
    if ranks.size == 0:
        return 1.0
    observed, total = int(doubled[sample > 0].sum()), int(ranks.sum())
    smaller = min(observed, total - observed)
    if ranks.size <= _EXACT_UP_TO:
        return float(min(1.0, 2 * _rank_sum_distribution(ranks)[: smaller + 1].sum()))
    # In doubled ranks: mean total / 2, variance sum r^2 / 4, continuity half a rank = 1.
    z = (total / 2 - smaller - 1) / math.sqrt(float(np.sum(ranks.astype(np.float64) ** 2)) / 4)
    return min(1.0, 2 * normal_cdf(-z))


def sign_test(differences: Sequence[float] | FloatArray, *, level: float = 0.95) -> ShiftEstimate:
    """Median, its order-statistic interval and the sign test's p; without need of symmetry.

    Interval [d_(c), d_(n+1-c)], c the largest with P(B <= c - 1) <= (1 - level)/2, B binomial
    (n, 1/2); p from the positive among the non-zero differences, two-sided (Conover: Practical
    Nonparametric Statistics, 3rd ed., 1999, sections 3.2 and 3.4).

    Args:
        differences: shape (n,), n >= 1.
        level: between 0 and 1, exclusive.
    """
    sample = np.sort(as_sample(differences))
    cumulated = fair_binomial_cdf(sample.size // 2, sample.size)
    rank = int(np.searchsorted(cumulated, (1 - level) / 2, side="right"))
    attained = float(1 - 2 * cumulated[max(rank, 1) - 1])
    positive, moved = int(np.sum(sample > 0)), int(np.sum(sample != 0))
    p_value = float(min(1.0, 2 * fair_binomial_cdf(min(positive, moved - positive), moved)[-1]))
    return ShiftEstimate.by_rank(sample, rank, attained, p_value, sample.size)


@cache
def _interval_rank(n: int, tail: float) -> tuple[int, float]:
    """Rank c of the interval's lower Walsh average, 0 if none, and the level of the interval."""
    if n > _EXACT_UP_TO:
        mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        rank = max(1, math.floor(mean - 0.5 + normal_quantile(tail) * sd) + 1)
        return rank, 1 - 2 * normal_cdf((rank - 0.5 - mean) / sd)
    cumulated = np.cumsum(_rank_sum_distribution(np.arange(1, n + 1)))
    rank = int(np.searchsorted(cumulated, tail, side="right"))
    return rank, float(1 - 2 * cumulated[max(rank, 1) - 1])


def _rank_sum_distribution(
    ranks: FloatArray | np.ndarray[tuple[int], np.dtype[np.int64]],
) -> FloatArray:
    """P(sum of a random half-and-half choice of the ranks = k); shape (sum of ranks + 1,).

    Each rank enters with probability 1/2: f_i(k) = (f_(i-1)(k) + f_(i-1)(k - r_i)) / 2.
    """
    sizes = [int(rank) for rank in ranks]
    probability = np.zeros(sum(sizes) + 1)
    probability[0] = 1.0
    reached = 0
    for size in sizes:
        shifted = probability[: reached + 1].copy()
        probability[: reached + 1] /= 2
        probability[size : size + reached + 1] += shifted / 2
        reached += size
    return probability
