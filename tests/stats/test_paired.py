# SPDX-License-Identifier: Apache-2.0
"""Signed-rank and sign test of paired differences, exact, with zeros and ties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats.shift import (
    _interval_rank,
    _rank_sum_distribution,
    hodges_lehmann,
    sign_test,
    signed_rank,
    signed_rank_p,
    walsh_averages,
)

DARWIN = [49.0, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Height differences of cross- and self-fertilised maize, in eighths of an inch (Fisher: The Design
of Experiments, 1935, section 17)."""


def test_darwins_maize() -> None:
    """The textbook case has T- = 24 of 120 and the two-sided exact p = 0.041, as in SciPy."""
    found = signed_rank(DARWIN)
    assert found.p_value == pytest.approx(stats.wilcoxon(DARWIN, method="exact").pvalue, rel=1e-12)
    assert found.p_value == pytest.approx(0.0413, abs=5e-5)
    assert found.estimate == np.median(walsh_averages(np.array(DARWIN)))
    assert found.level >= 0.95
    assert found.attained


@pytest.mark.parametrize("n", [1, 2, 5, 9, 14, 30, 150])
def test_the_exact_p_is_scipys_without_ties(n: int) -> None:
    """The exact p agrees up to the largest exact size."""
    differences = np.random.default_rng(n).normal(loc=0.2, size=n)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-9)


def test_above_the_exact_size_the_normal_p_is_scipys() -> None:
    """The normal p agrees with continuity correction, ties and Pratt's zeros."""
    differences = np.round(np.random.default_rng(4).normal(loc=0.1, size=300) * 4) / 4
    expected = stats.wilcoxon(
        differences, zero_method="pratt", correction=True, method="asymptotic"
    ).pvalue
    assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9))
def test_ties_and_zeros_by_counting_all_sign_patterns(differences: list[float]) -> None:
    """The p is the share of the 2^n sign patterns that are as extreme, with Pratt's ranks."""
    sample = np.array(differences)
    ranks = stats.rankdata(np.abs(sample)) * (sample != 0)
    every = [
        float(ranks[np.array(signs, dtype=bool)].sum())
        for signs in itertools.product((0, 1), repeat=len(sample))
    ]
    observed = ranks[sample > 0].sum()
    below = np.mean([value <= observed for value in every])
    above = np.mean([value >= observed for value in every])
    assert signed_rank_p(sample) == pytest.approx(min(1.0, 2 * min(below, above)))


def test_pratts_zeros_count_as_evidence_of_nothing() -> None:
    """All zeros: p = 1; a zero among positives keeps its rank, so p is that of the others."""
    assert signed_rank_p([0.0, 0.0]) == 1
    assert signed_rank_p([0.0, 1.0, 2.0, 3.0]) == 0.25
    assert signed_rank_p([0.0, 0.0, 1.0, 2.0, -3.0]) == pytest.approx(1.0)


@settings(deadline=None)
@given(st.lists(st.integers(-300, 300).map(float), min_size=1, max_size=18, unique_by=abs))
def test_the_interval_excludes_zero_exactly_when_the_test_rejects(
    differences: list[float],
) -> None:
    """Interval and p are one statement, where no difference ties and none is zero."""
    sample = np.array([d for d in differences if d != 0] or [1.0])
    walsh = walsh_averages(sample)
    if np.any(walsh == 0):
        return
    found = signed_rank(sample)
    excluded = found.low > 0 or found.high < 0
    assert (found.attained and excluded) == (found.p_value < 1 - 0.95 + 1e-12)
    assert found.low <= found.estimate <= found.high


@settings(deadline=None)
@given(st.lists(st.integers(-100, 100).map(float), min_size=1, max_size=20), st.integers(-50, 50))
def test_the_estimate_moves_with_the_differences_and_mirrors(
    differences: list[float], shift: int
) -> None:
    """A shift of all differences shifts estimate and interval; a change of sign mirrors them."""
    found = signed_rank(differences)
    moved = signed_rank([d + shift for d in differences])
    assert (moved.estimate, moved.low, moved.high) == pytest.approx(
        (found.estimate + shift, found.low + shift, found.high + shift)
    )
    mirrored = signed_rank([-d for d in differences])
    assert (mirrored.low, mirrored.high) == (-found.high, -found.low)
    assert mirrored.p_value == pytest.approx(found.p_value)


def test_the_hodges_lehmann_estimate_by_hand() -> None:
    """1, 2, 10: averages 1, 1.5, 2, 5.5, 6, 10, so their median is 3.75."""
    assert hodges_lehmann([1.0, 2.0, 10.0]) == 3.75


def test_few_pairs_say_that_they_cannot_carry_the_level() -> None:
    """Five pairs reach 93.75 %, six 96.875 %: below that the interval is the range."""
    five, six = signed_rank([1.0, 2, 3, 4, 5]), signed_rank([1.0, 2, 3, 4, 5, 6])
    assert (five.attained, five.level, five.low, five.high) == (False, 0.9375, 1, 5)
    assert (six.attained, six.level, six.low, six.high) == (True, 0.96875, 1, 6)
    assert signed_rank_p([1.0, 2, 3, 4, 5, 6]) == 0.03125


@pytest.mark.parametrize("n", [6, 12, 20])
@pytest.mark.parametrize("method", [signed_rank, sign_test])
def test_coverage_is_at_least_the_level(n: int, method: object) -> None:
    """Coverage of heavy symmetric tails (t, two degrees of freedom) is 95 % or more, bar chance."""
    generator = np.random.default_rng(11)
    inside = 0
    for _ in range(1000):
        found = method(generator.standard_t(2, size=n))  # type: ignore[operator]
        inside += found.low <= 0 <= found.high
    assert inside / 1000 >= 0.95 - 3 * 0.007


def test_the_interval_beyond_the_exact_size_joins_smoothly() -> None:
    """At 150 and 151 pairs the attained levels agree to three digits."""
    values = np.random.default_rng(2).normal(size=151)
    exact, normal = signed_rank(values[:150]), signed_rank(values)
    assert exact.level == pytest.approx(normal.level, abs=1e-3)
    assert exact.low == pytest.approx(normal.low, abs=0.02)


def test_the_rank_of_the_normal_interval_is_the_exact_one() -> None:
    """At 151 pairs the rank is the counted rank to 1 at 95 %, and a safer rank far in the tail."""
    cumulated = np.cumsum(_rank_sum_distribution(np.arange(1, 152)))
    for tail, safer in ((0.025, 1), (0.0005, 14)):
        exact = int(np.searchsorted(cumulated, tail, side="right"))
        count, level = _interval_rank(151, tail)
        assert exact - count == safer
        assert level == pytest.approx(1 - 2 * tail, abs=2e-4)


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30))
def test_the_sign_test_is_scipys_binomial_test(differences: list[float]) -> None:
    """The p drops zeros, as SciPy's binomial test does, and the ends are order statistics."""
    sample = np.array(differences)
    moved = int(np.sum(sample != 0))
    found = sign_test(sample)
    if moved:
        expected = stats.binomtest(int(np.sum(sample > 0)), moved).pvalue
        assert found.p_value == pytest.approx(expected)
    assert {found.low, found.high} <= set(differences)
    assert found.low <= found.estimate <= found.high


def test_sign_interval_ranks_are_conovers() -> None:
    """Of ten values the ranks are 2 and 9, at 97.85 %; of twenty 6 and 15, at 95.86 %."""
    ten = sign_test([float(i) for i in range(1, 11)])
    twenty = sign_test([float(i) for i in range(1, 21)])
    assert (ten.low, ten.high, round(ten.level, 4)) == (2, 9, 0.9785)
    assert (twenty.low, twenty.high, round(twenty.level, 4)) == (6, 15, 0.9586)
