# SPDX-License-Identifier: Apache-2.0
"""Whether a figure moved while it was measured: trend and step over the rounds of a run.

Slope and test are rank-based, so a few slow samples neither make nor hide a trend.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from joulemark.stats.location import FloatArray, as_sample, median, normal_cdf

_EXACT_UP_TO: Final = 60
"""Sample size up to which the exact null distribution of S is used; beyond, S is normal to three
digits of p (Kendall, Gibbons: Rank Correlation Methods, 5th ed., 1990, chapter 4)."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Trend of a sample over its rounds."""

    slope_per_round: float
    """Theil-Sen slope over the median: relative change per round."""
    change: float
    """The slope times the rounds from first to last: relative change over the run."""
    step: float
    """Median of the later half over the median of the earlier half, minus 1; the middle value of an
    odd number belongs to neither half."""
    p_value: float
    """Two-sided p of the Mann-Kendall test; 1 for fewer than three values."""


def drift(values: Sequence[float] | FloatArray, rounds: Sequence[float] | FloatArray) -> Drift:
    """Trend and step of `values` over `rounds`, relative to the median of the values.

    Args:
        values: shape (n,), n >= 1, any unit; where the median is 0, relative changes are NaN.
        rounds: shape (n,), the round of each value; they need not be sorted or distinct.
    """
    sample, when = as_sample(values), as_sample(rounds)
    _check_pairs(sample, when)
    order = np.argsort(when, kind="stable")
    sample, when = sample[order], when[order]
    half = sample.size // 2
    centre = median(sample)
    slope = theil_sen_slope(sample, when) / centre if centre else math.nan
    step = math.nan
    if half and (earlier := median(sample[:half])):
        step = median(sample[-half:]) / earlier - 1
    return Drift(
        slope_per_round=slope,
        change=slope * float(when[-1] - when[0]),
        step=step,
        p_value=mann_kendall_p(sample, when),
    )


def theil_sen_slope(values: FloatArray, when: FloatArray) -> float:
    """Median of (y_j - y_i) / (t_j - t_i) over all pairs with t_i < t_j; 0 without such a pair.

    Args:
        values: y, shape (n,).
        when: t, shape (n,).

    Returns:
        Unit of the values per unit of `when`.

    References:
        Sen: Estimates of the regression coefficient based on Kendall's tau, JASA 63, 1968.
    """
    first, second = np.triu_indices(values.size, k=1)
    run = when[second] - when[first]
    rise = values[second] - values[first]
    apart = run != 0
    return float(np.median(rise[apart] / run[apart])) if apart.any() else 0.0


def kendall_s(values: FloatArray, when: FloatArray) -> int:
    """S = number of concordant minus number of discordant pairs.

    S = sum over i < j of sign(y_j - y_i) sign(t_j - t_i), from -n(n-1)/2 to n(n-1)/2.

    References:
        Mann: Nonparametric tests against trend, Econometrica 13, 1945.
    """
    rise = np.sign(values[None, :] - values[:, None])
    run = np.sign(when[None, :] - when[:, None])
    return int(np.sum(rise * run)) // 2


def mann_kendall_p(
    values: Sequence[float] | FloatArray, when: Sequence[float] | FloatArray
) -> float:
    """Two-sided p of "no trend", 0 to 1.

    Without ties and up to n = 60, exact: the number of permutations with k inversions follows
    c_n(k) = c_(n-1)(k) + c_(n-1)(k-1) + ... + c_(n-1)(k-n+1) (Kendall, Biometrika 30, 1938).
    Otherwise normal with continuity correction (|S| - 1) / sqrt(var S) and the variance with ties
    in both variables of Kendall and Gibbons (1990), chapter 4.

    Args:
        values: shape (n,), n >= 1.
        when: shape (n,).
    """
    sample, moments = as_sample(values), as_sample(when)
    _check_pairs(sample, moments)
    n = sample.size
    if n < 3:
        return 1.0
    s = abs(kendall_s(sample, moments))
    value_ties, moment_ties = _tie_sizes(sample), _tie_sizes(moments)
    if n <= _EXACT_UP_TO and max(value_ties) == 1 and max(moment_ties) == 1:
        upper = _inversion_distribution(n)[: (n * (n - 1) // 2 - s) // 2 + 1].sum()
        return float(min(1.0, 2 * upper))
    variance = _variance_of_s(n, value_ties, moment_ties)
    if variance <= 0 or s == 0:
        return 1.0
    return min(1.0, 2 * normal_cdf(-(s - 1) / math.sqrt(variance)))


def _check_pairs(values: FloatArray, when: FloatArray) -> None:
    """Refuse two series of different length."""
    if values.size != when.size:
        raise ValueError(f"{values.size} values cannot belong to {when.size} rounds")


def _tie_sizes(values: FloatArray) -> list[int]:
    """Number of times that each distinct value occurs."""
    return [int(count) for count in np.unique(values, return_counts=True)[1]]


def _inversion_distribution(n: int) -> FloatArray:
    """Probability that a random permutation of n has k inversions; shape (n(n-1)/2 + 1,)."""
    probability = np.ones(1)
    for size in range(2, n + 1):
        probability = np.convolve(probability, np.full(size, 1 / size))
    return probability


def _variance_of_s(n: int, value_ties: list[int], moment_ties: list[int]) -> float:
    """Variance of S under independence, with ties of sizes t (values) and u (moments).

    [n(n-1)(2n+5) - sum t(t-1)(2t+5) - sum u(u-1)(2u+5)] / 18
    + [sum t(t-1)(t-2)] [sum u(u-1)(u-2)] / (9 n(n-1)(n-2))
    + [sum t(t-1)] [sum u(u-1)] / (2 n(n-1)); Kendall, Gibbons (1990), chapter 4. n >= 3.
    """

    def five(sizes: list[int]) -> int:
        return sum(t * (t - 1) * (2 * t + 5) for t in sizes)

    def triples(sizes: list[int]) -> int:
        return sum(t * (t - 1) * (t - 2) for t in sizes)

    def pairs(sizes: list[int]) -> int:
        return sum(t * (t - 1) for t in sizes)

    return (
        (five([n]) - five(value_ties) - five(moment_ties)) / 18
        + triples(value_ties) * triples(moment_ties) / (9 * triples([n]))
        + pairs(value_ties) * pairs(moment_ties) / (2 * pairs([n]))
    )
