# SPDX-License-Identifier: Apache-2.0
"""Trend over rounds: Theil-Sen, Mann-Kendall, and the step between halves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats.shift import drift, kendall_s, mann_kendall_p, theil_sen_slope


@settings(deadline=None)
@given(st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=25))
def test_the_slope_is_scipys(values: list[float]) -> None:
    """Theil-Sen over rounds 0, 1, 2 ... agrees with scipy.stats.theilslopes."""
    when = np.arange(len(values), dtype=float)
    expected = stats.theilslopes(values, when).slope
    assert theil_sen_slope(np.array(values), when) == pytest.approx(expected)


@pytest.mark.parametrize("n", [3, 4, 7, 20, 45])
def test_the_exact_p_is_scipys_for_samples_without_ties(n: int) -> None:
    """Mann-Kendall without ties is Kendall's exact test against time."""
    values = np.random.default_rng(n).normal(size=n) + 0.05 * np.arange(n)
    expected = stats.kendalltau(values, np.arange(n), method="exact").pvalue
    assert mann_kendall_p(values, np.arange(n)) == pytest.approx(expected, rel=1e-9)


def test_the_exact_p_by_counting_all_orders() -> None:
    """Five values, 120 orders: p is the share of orders with |S| as large."""
    when = np.arange(5.0)
    every = [abs(kendall_s(np.array(order), when)) for order in itertools.permutations(range(5))]
    for order in ((0, 1, 2, 3, 4), (0, 1, 3, 2, 4), (2, 0, 1, 4, 3), (1, 3, 0, 4, 2)):
        s = abs(kendall_s(np.array(order, dtype=float), when))
        expected = sum(other >= s for other in every) / 120
        assert mann_kendall_p([float(x) for x in order], when) == pytest.approx(expected)


def test_ties_use_the_corrected_variance() -> None:
    """The variance of S over all 5040 orders of a sample with ties in both variables."""
    values, when = np.array([1.0, 1, 1, 2, 2, 3, 5]), np.array([0.0, 0, 1, 1, 1, 2, 3])
    every = [kendall_s(values[list(o)], when) for o in itertools.permutations(range(7))]
    s, variance = kendall_s(values, when), np.var(every)
    expected = 2 * stats.norm.sf((s - 1) / math.sqrt(variance))
    assert mann_kendall_p(values, when) == pytest.approx(expected, rel=1e-9)


def test_drift_is_relative_to_the_median() -> None:
    """1000 + 10 i over 11 rounds: 10/1050 a round, 100/1050 over the run, step 1075/1025... ."""
    found = drift([1000.0 + 10 * i for i in range(11)], list(range(11)))
    assert found.slope_per_round == pytest.approx(10 / 1050)
    assert found.change == pytest.approx(100 / 1050)
    assert found.step == pytest.approx(1080 / 1020 - 1)
    assert found.p_value == pytest.approx(2 / math.factorial(11), rel=1e-6)


def test_rounds_may_come_in_any_order() -> None:
    """The order of the arguments does not matter, but the round numbers do."""
    assert drift([3.0, 1.0, 2.0, 4.0], [2, 0, 1, 3]) == drift([1.0, 2.0, 3.0, 4.0], range(4))


def test_short_and_flat_samples_have_no_trend() -> None:
    """One value, two values or equal values have p = 1; within a single round the slope is 0."""
    assert drift([1.0], [0]).p_value == 1
    assert drift([1.0, 2.0], [0, 1]).p_value == 1
    assert drift([2.0] * 6, range(6)).p_value == 1
    assert drift([1.0, 2.0, 3.0], [4, 4, 4]).slope_per_round == 0
    assert math.isnan(drift([0.0, 0.0, 0.0], range(3)).slope_per_round)


def test_unequal_lengths_are_refused() -> None:
    """Three values cannot belong to two rounds."""
    with pytest.raises(ValueError, match="3 values"):
        drift([1.0, 2.0, 3.0], [0, 1])
    with pytest.raises(ValueError, match="3 values"):
        mann_kendall_p([1.0, 2.0, 3.0], [0, 1])


def test_false_alarms_keep_their_rate() -> None:
    """Samples without trend give p below 0.05 in about 5 % of cases, with ties and without."""
    generator = np.random.default_rng(8)
    for rounding in (12, 0):
        p = [
            mann_kendall_p(np.round(2 * generator.normal(size=15), rounding), np.arange(15))
            for _ in range(1000)
        ]
        assert 0.025 <= np.mean(np.array(p) < 0.05) <= 0.07
