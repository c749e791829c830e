# SPDX-License-Identifier: Apache-2.0
"""Intervals for a median, and for shifts of differences that come in clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joulemark.stats import (
    FloatArray,
    as_sample,
    mean,
    median,
    normal_cdf,
    standard_deviation,
    student_quantile,
    student_tail,
)
from joulemark.stats.shift import ShiftEstimate, hodges_lehmann, signed_rank

# Interval for the median of one sample, by a seeded, expanded percentile bootstrap.
#
# Why percentile and not BCa: BCa corrects with an acceleration from the jackknife, and the
# jackknife of the median is inconsistent (Efron, Tibshirani: An Introduction to the Bootstrap,
# 1993, section 10.6): for even n it takes two values and the acceleration is always 0, for odd n it
# hangs on the gaps around the middle value alone. What is left of BCa is its bias term, which ties
# distort. The percentile interval of the median is, up to Monte Carlo noise, an interval between
# order statistics whose coverage is binomial whatever the distribution (Efron: Bootstrap methods,
# Ann. Statist. 7(1), 1979, section 3).
#
# Why expanded: for small n the plain percentile interval is too narrow by the factor between the
# normal and Student's t and by sqrt((n - 1) / n); its coverage of a median falls to 86 % at n = 7
# and 92 % at n = 15. Hesterberg's expanded tail area corrects that and leaves the interval of large
# n as it is. tests/stats/test_interval.py simulates the coverage.
#
# Why not Monte Carlo per figure: the ranks in the middle of a resample depend on n and the seed
# only, so they are drawn once per n and every figure of a run shares them.
#
# The interval covers what these samples can show. Samples that follow each other in one process are
# not independent, so a new run may well fall outside it; that is what comparisons between process
# generations are for.

RESAMPLES: Final = 10_000
"""Bootstrap resamples: the 2.5 % point then has a Monte Carlo error of 0.16 % of probability."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends, in the unit of the sample, and the confidence in them."""

    low: float
    high: float
    level: float
    """Requested level of confidence."""
    degenerate: bool
    """Whether both ends agree, since there is one value or all values tie. No uncertainty was seen
    then, which is not the same as certainty."""
    attained: bool
    """Whether n values can carry this level at all; see `highest_level`."""


def highest_level(n: int) -> float:
    """Largest confidence that any interval inside the range of n values has for the median.

    1 - 2^(1-n): the median lies outside the range only if all values fall on one side of it.
    For 95 % n must be at least 6.

    References:
        Conover: Practical Nonparametric Statistics, 3rd ed., 1999, section 3.2.
    """
    return 1.0 - 2.0 ** (1 - n)


def median_interval(
    values: Sequence[float] | FloatArray, *, level: float = 0.95, seed: int = 0
) -> Interval:
    """Expanded percentile bootstrap interval for the median.

    The ends are the a and 1 - a quantiles of the medians of `RESAMPLES` samples of n values drawn
    with replacement (Efron, Tibshirani 1993, chapter 13), with the expanded tail area
    a = Phi(-sqrt(n / (n - 1)) t((1 + level) / 2; n - 1)), Phi the standard normal distribution and
    t Student's quantile with n - 1 degrees of freedom (Hesterberg: What Teachers Should Know About
    the Bootstrap, Am. Stat. 69(4), 2015, "expanded percentile interval"). Each quantile
    inverts the empirical distribution function, so an end is a median that occurred.

    Args:
        values: shape (n,), n >= 1.
        level: between 0 and 1, exclusive.
        seed: not negative; the same seed gives the same interval.

    Returns:
        Interval in the unit of the values; for n = 1 that value twice, flagged degenerate.
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level}")
    ordered = np.sort(as_sample(values))
    lower_rank, upper_rank = _middle_ranks(ordered.size, seed)
    # Half-sums of halves, because the sum of two large values may overflow.
    medians = ordered[lower_rank] / 2 + ordered[upper_rank] / 2
    tail = expanded_tail(ordered.size, level)
    low = float(np.quantile(medians, tail, method="inverted_cdf"))
    high = float(np.quantile(medians, 1 - tail, method="inverted_cdf"))
    return Interval(
        low=low,
        high=high,
        level=level,
        degenerate=low == high,
        attained=level <= highest_level(ordered.size),
    )


def expanded_tail(n: int, level: float) -> float:
    """Tail area a of `median_interval`, at most (1 - level) / 2; 0 for n = 1.

    Args:
        n: at least 1.
        level: between 0 and 1, exclusive.
    """
    if n == 1:
        return 0.0
    student = student_quantile((1 + level) / 2, n - 1)
    return normal_cdf(-math.sqrt(n / (n - 1)) * student)


@lru_cache(maxsize=32)
def _middle_ranks(n: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Ranks, from 0, of the two middle values of each resample of n; equal for odd n.

    Returns:
        Two arrays of shape (RESAMPLES,), values 0 to n - 1.
    """
    generator = np.random.default_rng([seed, n])
    lower, upper = (n - 1) // 2, n // 2
    drawn = generator.integers(0, n, size=(RESAMPLES, n), dtype=np.int32)
    drawn.partition(sorted({lower, upper}), axis=1)
    return drawn[:, lower].astype(np.intp), drawn[:, upper].astype(np.intp)


# Shift of differences that come in clusters: rounds measured by the same pair of processes.
#
# Each start of a process lays out code and data in a new way, and the layout alone moves a figure
# by some tenths of a percent, sometimes by percents (Mytkowicz et al.: Producing wrong data without
# doing anything obviously wrong, ASPLOS 2009, sections 4 and 5). All rounds of one process share
# its offset, so twenty rounds of one process are far fewer than twenty independent observations.
# The same holds for all else that changes slowly while a process lives.
#
# The rule: signed ranks over all rounds, where they form one cluster or clusters of one round each.
# (The effect of one cluster's layout cannot be told from that of the code; the caller must say so.)
# Otherwise each cluster is reduced to its Hodges-Lehmann estimate. Signed ranks are applied to
# these centres where there are enough of them to carry the level (six for 95 %), and Student's t
# where there are fewer.
#
# Why ranks before t: centres have heavy tails, since a neighbour on the machine may be there for
# one process and not for the next. Then t rarely rejects: of 800 comparisons of equal code on four
# busy and quiet test benches 2.4 % had p < 0.05 by t and 4.6 % by signed ranks.
#
# Why not pool when a pre-test sees no cluster effect: simulated at 5 %, pooling after a
# Kruskal-Wallis p above 0.25 called 12 % of equal pairs different at an intra-class correlation of
# 0.3 with two clusters, and 10 % with three; t on cluster centres called 3 to 7 % at every
# correlation from 0 to 0.9. The price is a wide interval when clusters are few.


def clustered_shift(
    differences: Sequence[float] | FloatArray, clusters: Sequence[Hashable], *, level: float = 0.95
) -> ShiftEstimate:
    """Centre of the differences with an interval that allows for cluster offsets.

    Args:
        differences: shape (n,), n >= 1.
        clusters: n labels; equal labels share an offset.
        level: between 0 and 1, exclusive.

    Returns:
        Estimate whose `pairs` is n, not the number of clusters.
    """
    sample = as_sample(differences)
    centres = cluster_centres(sample, clusters)
    if centres.size in {1, sample.size}:
        return signed_rank(sample, level=level)
    return centres_shift(centres, level=level, pairs=sample.size)


def clustered_median_interval(
    values: Sequence[float] | FloatArray,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Interval for the median of values that come in clusters with an offset each.

    The interval is that of `centres_shift` over the medians of the clusters, or over their
    logarithms where all medians are above 0. It is widened where needed to hold the median of all
    values, beside which it is shown. Values in one cluster get `median_interval`, which cannot know
    of offsets; so do values in clusters of one value each, since they are independent.

    Args:
        values: shape (n,), n >= 1.
        clusters: n labels; equal labels share an offset.
        level: between 0 and 1, exclusive.
        seed: seed of the bootstrap of `median_interval`.
    """
    sample = as_sample(values)
    centres = cluster_centres(sample, clusters, median)
    if centres.size in {1, sample.size}:
        return median_interval(sample, level=level, seed=seed)
    logarithmic = bool(np.all(centres > 0))
    shift = centres_shift(np.log(centres) if logarithmic else centres, level=level)
    ends = [math.exp(end) if logarithmic else end for end in (shift.low, shift.high)]
    low, high = min(*ends, median(sample)), max(*ends, median(sample))
    return Interval(low, high, level, degenerate=low == high, attained=True)


def cluster_centres(
    differences: Sequence[float] | FloatArray,
    clusters: Sequence[Hashable],
    centre: Callable[[list[float]], float] = hodges_lehmann,
) -> FloatArray:
    """Centre of each cluster, in order of first appearance; shape (G,)."""
    sample = as_sample(differences)
    if len(clusters) != sample.size:
        raise ValueError(f"{sample.size} differences cannot carry {len(clusters)} labels")
    members: dict[Hashable, list[float]] = {}
    for label, value in zip(clusters, sample, strict=True):
        members.setdefault(label, []).append(float(value))
    return np.array([centre(values) for values in members.values()])


def centres_shift(
    centres: Sequence[float] | FloatArray, *, level: float = 0.95, pairs: int | None = None
) -> ShiftEstimate:
    """Signed ranks of the centres where they carry the level, else `student`.

    Args:
        centres: shape (G,), G >= 2.
        level: between 0 and 1, exclusive.
        pairs: number of differences behind the centres; G by default.
    """
    ranked = signed_rank(centres, level=level)
    if not ranked.attained:
        return student(centres, level=level, pairs=pairs)
    return replace(ranked, pairs=pairs or ranked.pairs)


def student(
    centres: Sequence[float] | FloatArray, *, level: float = 0.95, pairs: int | None = None
) -> ShiftEstimate:
    """Student's one-sample interval: mean +- t((1 + level)/2; G - 1) s / sqrt(G).

    Args:
        centres: shape (G,), G >= 2.
        level: between 0 and 1, exclusive.
        pairs: number of differences behind the centres; G by default.

    References:
        Student: The probable error of a mean, Biometrika 6, 1908.
    """
    sample = as_sample(centres)
    error = standard_deviation(sample) / math.sqrt(sample.size)
    return _t_estimate(mean(sample), error, sample.size - 1, level, pairs or sample.size)


def welch(
    before: Sequence[float] | FloatArray,
    after: Sequence[float] | FloatArray,
    *,
    level: float = 0.95,
    pairs: int | None = None,
) -> ShiftEstimate:
    """Welch's interval for mean(after) - mean(before), variances not assumed equal.

    Error sqrt(v_1 + v_2), v_i = s_i^2 / n_i, with (v_1 + v_2)^2 / sum(v_i^2 / (n_i - 1)) degrees
    of freedom.

    Args:
        before: shape (n_1,), n_1 >= 2.
        after: shape (n_2,), n_2 >= 2.
        level: between 0 and 1, exclusive.
        pairs: number to report; the smaller of n_1 and n_2 by default.

    References:
        Welch: The generalization of "Student's" problem, Biometrika 34, 1947.
    """
    first, second = as_sample(before), as_sample(after)
    parts = [standard_deviation(part) ** 2 / part.size for part in (first, second)]
    total = sum(parts)
    below = parts[0] ** 2 / (first.size - 1) + parts[1] ** 2 / (second.size - 1)
    freedom = total**2 / below if below > 0 else float(first.size + second.size - 2)
    shift = mean(second) - mean(first)
    pairs = pairs or min(first.size, second.size)
    return _t_estimate(shift, math.sqrt(total), freedom, level, pairs)


def _t_estimate(
    estimate: float, error: float, freedom: float, level: float, pairs: int
) -> ShiftEstimate:
    """Interval and p from an estimate, its standard error and its degrees of freedom.

    Without any spread the interval is the estimate, and p is 1 at 0 and 0 elsewhere.
    """
    half_width = student_quantile((1 + level) / 2, freedom) * error
    if error > 0:
        p_value = 2 * student_tail(abs(estimate) / error, freedom)
    else:
        p_value = 1.0 if estimate == 0 else 0.0
    return ShiftEstimate(
        estimate=estimate,
        low=estimate - half_width,
        high=estimate + half_width,
        level=level,
        attained=True,
        p_value=p_value,
        pairs=pairs,
    )
