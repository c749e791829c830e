# SPDX-License-Identifier: Apache-2.0
"""Shift between two samples that were not taken side by side: Hodges-Lehmann with rank sums.

Exact means that the null distribution is counted over all ways to deal the observed ranks into two
groups, ties included (Lehmann: Nonparametrics, 1975, sections 1.2 and 1.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from joulemark.stats.distributions import normal_cdf, normal_quantile
from joulemark.stats.location import FloatArray, as_sample, doubled_midranks
from joulemark.stats.paired import ShiftEstimate

_EXACT_UP_TO: Final = 80
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

    Args:
        before: x, shape (n,), n >= 1.
        after: y, shape (m,), m >= 1.
        level: between 0 and 1, exclusive.

    Returns:
        Estimate whose `pairs` is the smaller of n and m.
    """
    first, second = as_sample(before), as_sample(after)
    differences = np.sort((second[:, None] - first[None, :]).ravel())
    rank, attained = _interval_rank(first.size, second.size, (1 - level) / 2)
    pairs = min(first.size, second.size)
    return ShiftEstimate.by_rank(differences, rank, attained, rank_sum_p(first, second), pairs)


def rank_sum_p(before: Sequence[float] | FloatArray, after: Sequence[float] | FloatArray) -> float:
    """Two-sided p of "one distribution", by the Wilcoxon-Mann-Whitney rank sum with midranks.

    p = min(1, 2 min(P(W <= w), P(W >= w))), W the rank sum of `before`; above 80 values together,
    normal with continuity and the tie-corrected variance n m / (N (N - 1)) sum (r_i - mean r)^2
    (Lehmann 1975, section 1.4).

    Args:
        before: shape (n,), n >= 1.
        after: shape (m,), m >= 1.
    """
    first, second = as_sample(before), as_sample(after)
    doubled = doubled_midranks(np.concatenate((first, second)))
    observed = int(doubled[: first.size].sum())
    n, together = first.size, doubled.size
    if together <= _EXACT_UP_TO:
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
def _interval_rank(n: int, m: int, tail: float) -> tuple[int, float]:
    """Rank c of the interval's lower difference, 0 if none, and the level of the interval."""
    if n + m > _EXACT_UP_TO:
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
