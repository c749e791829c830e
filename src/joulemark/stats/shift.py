# SPDX-License-Identifier: Apache-2.0
"""Whether a figure moved: shifts between samples, by Hodges-Lehmann, and drift within a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from joulemark.stats import (
    FloatArray,
    as_sample,
    doubled_midranks,
    fair_binomial_cdf,
    median,
    normal_cdf,
    normal_quantile,
)

# Shift of paired differences: Hodges-Lehmann with exact signed-rank test, and the sign test.
#
# The differences are log ratios of two implementations measured next to each other, so
# exp(estimate) is the ratio of their times. The signed-rank test supposes that the differences are
# symmetric about their centre, as differences of two similar measurements are; where symmetry is in
# doubt, there is the sign test, which supposes a median alone.
#
# Exact means that the null distribution is counted over all 2^n sign patterns, given the ranks that
# occurred, ties and zeros included (Pratt 1959; Lehmann: Nonparametrics, 1975, section 3.2).

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


# Shift between two samples that were not taken side by side, with rank sums.
#
# Exact means that the null distribution is counted over all ways to deal the observed ranks into
# two groups, ties included (Lehmann: Nonparametrics, 1975, sections 1.2 and 1.4).

_EXACT_SUMS_UP_TO: Final = 80
"""Values in both samples together up to which deals are counted exactly."""


def rank_sum(
    before: Sequence[float] | FloatArray,
    after: Sequence[float] | FloatArray,
    *,
    level: float = 0.95,
) -> ShiftEstimate:
    """Hodges-Lehmann shift of `after` against `before`, Moses' interval, exact rank-sum p.

    Estimate: median of the n m differences y_j - x_i. Interval [D_(c), D_(nm+1-c)] of the sorted
    differences, c the largest with P(U <= c - 1) <= (1 - level)/2 under the tie-free null
    (Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 3rd ed., 2014, section 4.3).

    Returns:
        Estimate whose `pairs` is the smaller of n and m.
    """
    first, second = as_sample(before), as_sample(after)
    differences = np.sort((second[:, None] - first[None, :]).ravel())
    rank, attained = _rank_of_sums(first.size, second.size, (1 - level) / 2)
    pairs = min(first.size, second.size)
    return ShiftEstimate.by_rank(differences, rank, attained, rank_sum_p(first, second), pairs)


def rank_sum_p(before: Sequence[float] | FloatArray, after: Sequence[float] | FloatArray) -> float:
    """Two-sided p of "one distribution", by the Wilcoxon-Mann-Whitney rank sum with midranks.

    p = min(1, 2 min(P(W <= w), P(W >= w))), W the rank sum of `before`; above 80 values together,
    normal with continuity and the tie-corrected variance n m / (N (N - 1)) sum (r_i - mean r)^2
    (Lehmann 1975, section 1.4).
    """
    first, second = as_sample(before), as_sample(after)
    doubled = doubled_midranks(np.concatenate((first, second)))
    observed = int(doubled[: first.size].sum())
    n, together = first.size, doubled.size
    if together <= _EXACT_SUMS_UP_TO:
        probability = _deal_distribution(tuple(int(rank) for rank in doubled), n)
        tail = min(probability[: observed + 1].sum(), probability[observed:].sum())
        return float(min(1.0, 2 * tail))
    middle = n * (together + 1)
    ranks = doubled - (together + 1)
    variance = n * second.size / (together * (together - 1)) * float(np.sum(ranks**2))
    if variance == 0:
        return 1.0
    return min(1.0, 2 * normal_cdf(-(abs(observed - middle) - 1) / math.sqrt(variance)))


@lru_cache(maxsize=64)
def _rank_of_sums(n: int, m: int, tail: float) -> tuple[int, float]:
    """Rank c of the interval's lower difference, 0 if none, and the level of the interval."""
    if n + m > _EXACT_SUMS_UP_TO:
        middle, sd = n * m / 2, math.sqrt(n * m * (n + m + 1) / 12)
        rank = max(1, math.floor(middle + 0.5 + normal_quantile(tail) * sd))
        return rank, 1 - 2 * normal_cdf((rank - 0.5 - middle) / sd)
    probability = _deal_distribution(tuple(range(1, n + m + 1)), n)
    cumulated = np.cumsum(probability[n * (n + 1) // 2 :])
    # A hair above the tail, so that rounding in the count cannot exclude an exact equality.
    rank = int(np.searchsorted(cumulated, tail * (1 + 1e-12), side="right"))
    return rank, float(1 - 2 * cumulated[max(rank, 1) - 1])


def _deal_distribution(ranks: tuple[int, ...], chosen: int) -> FloatArray:
    """P(sum of `chosen` ranks drawn without replacement = k); shape (sum of ranks + 1,).

    Going through the ranks, f(j, k) counts the sets of j ranks with sum k, as a share of all sets:
    a rank is taken with the probability (chosen - j) / (ranks left), which keeps f a distribution.
    """
    state = np.zeros((chosen + 1, sum(ranks) + 1))
    state[0, 0] = 1.0
    taken = np.arange(chosen + 1)[:, None]
    for seen, rank in enumerate(ranks):
        take = np.clip((chosen - taken) / (len(ranks) - seen), 0.0, 1.0)
        moved = state[:-1, : state.shape[1] - rank] * take[:-1]
        state *= 1.0 - take
        state[1:, rank:] += moved
    return np.asarray(state[chosen])


# Whether a figure moved while it was measured: trend and step over the rounds of a run.
#
# Slope and test are rank-based, so a few slow samples neither make nor hide a trend.

_EXACT_TREND_UP_TO: Final = 60
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
    """
    sample, moments = as_sample(values), as_sample(when)
    _check_pairs(sample, moments)
    n = sample.size
    if n < 3:
        return 1.0
    s = abs(kendall_s(sample, moments))
    value_ties, moment_ties = _tie_sizes(sample), _tie_sizes(moments)
    if n <= _EXACT_TREND_UP_TO and max(value_ties) == 1 and max(moment_ties) == 1:
        upper = _inversion_distribution(n)[: (n * (n - 1) // 2 - s) // 2 + 1].sum()
        return float(min(1.0, 2 * upper))
    variance = _variance_of_s(n, value_ties, moment_ties)
    if variance <= 0 or s == 0:
        return 1.0
    return min(1.0, 2 * normal_cdf(-(s - 1) / math.sqrt(variance)))


def _check_pairs(values: FloatArray, when: FloatArray) -> None:
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
