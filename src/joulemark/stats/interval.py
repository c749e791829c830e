# SPDX-License-Identifier: Apache-2.0
"""Interval for the median of one sample, by a seeded, expanded percentile bootstrap.

Why percentile and not BCa: BCa corrects with an acceleration from the jackknife, and the jackknife
of the median is inconsistent (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, section
10.6): for even n it takes two values and the acceleration is always 0, for odd n it hangs on the
gaps around the middle value alone. What is left of BCa is its bias term, which ties distort. The
percentile interval of the median is, up to Monte Carlo noise, an interval between order
statistics whose coverage is binomial whatever the distribution (Efron: Bootstrap methods, Ann.
Statist. 7(1), 1979, section 3).

Why expanded: for small n the plain percentile interval is too narrow by the factor between the
normal and Student's t and by sqrt((n - 1) / n); its coverage of a median falls to 86 % at n = 7
and 92 % at n = 15. Hesterberg's expanded tail area corrects that and leaves the interval of large n
as it is. tests/stats/test_interval.py simulates the coverage.

Why not Monte Carlo per figure: the ranks in the middle of a resample depend on n and the seed only,
so they are drawn once per n and every figure of a run shares them.

The interval covers what these samples can show. Samples that follow each other in one process are
not independent, so a new run may well fall outside it; that is what comparisons between process
generations are for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joulemark.stats.distributions import normal_cdf, student_quantile
from joulemark.stats.location import FloatArray, as_sample

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
