# SPDX-License-Identifier: Apache-2.0
"""Rank sums of two samples, exact with ties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats.shift import _deal_distribution, rank_sum, rank_sum_p
from joulemark.stats.shift import _rank_of_sums as _interval_rank


@pytest.mark.parametrize(("n", "m"), [(1, 3), (3, 4), (8, 8), (20, 15), (40, 40)])
def test_the_exact_p_is_scipys_without_ties(n: int, m: int) -> None:
    """The exact p agrees up to the largest exact size."""
    generator = np.random.default_rng(n)
    first, second = generator.normal(size=n), generator.normal(loc=0.4, size=m)
    expected = stats.mannwhitneyu(first, second, method="exact").pvalue
    assert rank_sum_p(first, second) == pytest.approx(expected, rel=1e-9)


def test_above_the_exact_size_the_normal_p_is_scipys() -> None:
    """The normal p agrees with ties and with continuity correction."""
    generator = np.random.default_rng(1)
    first, second = np.round(generator.normal(size=60), 1), np.round(generator.normal(size=50), 1)
    expected = stats.mannwhitneyu(first, second, method="asymptotic").pvalue
    assert rank_sum_p(first, second) == pytest.approx(expected, rel=1e-9)
    assert rank_sum_p(np.ones(50), np.ones(50)) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 4).map(float), min_size=1, max_size=5),
    st.lists(st.integers(0, 4).map(float), min_size=1, max_size=5),
)
def test_ties_by_counting_all_deals(first: list[float], second: list[float]) -> None:
    """The p is twice the smaller share of deals with a rank sum as extreme."""
    ranks = stats.rankdata(first + second)
    observed = ranks[: len(first)].sum()
    sums = [sum(deal) for deal in itertools.combinations(ranks, len(first))]
    below, above = np.mean(np.array(sums) <= observed), np.mean(np.array(sums) >= observed)
    assert rank_sum_p(first, second) == pytest.approx(min(1.0, 2 * min(below, above)))


def test_estimate_and_interval_by_hand() -> None:
    """1..4 against 5..8: differences 1 to 7; c = 1 gives 1 - 2/70, c = 2 has 1 - 4/70 < 95 %."""
    found = rank_sum([1.0, 2, 3, 4], [5.0, 6, 7, 8])
    assert (found.estimate, found.low, found.high) == (4, 1, 7)
    assert found.level == pytest.approx(1 - 2 / 70)
    assert found.p_value == pytest.approx(2 / 70)
    wide = rank_sum([1.0, 2, 3], [5.0, 6, 7])
    assert not wide.attained


@settings(deadline=None)
@given(
    st.lists(st.integers(-99, 99).map(float), min_size=3, max_size=12, unique=True),
    st.lists(st.integers(-99, 99).map(float), min_size=3, max_size=12, unique=True),
)
def test_exchanging_the_samples_mirrors_the_shift(first: list[float], second: list[float]) -> None:
    """Estimate and interval change sign, p does not change."""
    there, back = rank_sum(first, second), rank_sum(second, first)
    assert (back.estimate, back.low, back.high) == (-there.estimate, -there.high, -there.low)
    assert back.p_value == pytest.approx(there.p_value)
    assert there.low <= there.estimate <= there.high


def test_the_rank_of_the_normal_interval_is_the_exact_one() -> None:
    """At 41 and 41 values the rank is the counted one at 95 %, and a safer one far in the tail."""
    cumulated = np.cumsum(_deal_distribution(tuple(range(1, 83)), 41)[41 * 42 // 2 :])
    for tail, safer in ((0.025, 0), (0.0005, 5)):
        count, _ = _interval_rank(41, 41, tail)
        assert int(np.searchsorted(cumulated, tail, side="right")) - count == safer


@pytest.mark.parametrize(("n", "m"), [(8, 10), (15, 15), (45, 45)])
def test_coverage_is_at_least_the_level(n: int, m: int) -> None:
    """Coverage for heavy tails and a shift of 1 is at least 95 %, bar chance."""
    generator = np.random.default_rng(12)
    inside = 0
    for _ in range(500):
        found = rank_sum(generator.standard_t(2, size=n), 1 + generator.standard_t(2, size=m))
        inside += found.low <= 1 <= found.high
    assert inside / 500 >= 0.95 - 3 * 0.01
