# SPDX-License-Identifier: Apache-2.0
"""Shifts of differences that come in clusters, and the t intervals behind them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from joulemark.stats.clustered import (
    centres_shift,
    cluster_centres,
    clustered_median_interval,
    clustered_shift,
    student,
    welch,
)
from joulemark.stats.shift import signed_rank


def test_students_interval_is_scipys() -> None:
    """On Student's own sleep data (1908): mean 1.58, t = 4.0621, p = 0.00283."""
    sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    theirs = stats.ttest_1samp(sleep, 0)
    found = student(sleep)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.p_value == pytest.approx(0.00283, abs=1e-5)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert found.estimate == pytest.approx(1.58)


def test_welchs_interval_is_scipys() -> None:
    """Welch's interval agrees for samples of unequal sizes and spreads."""
    generator = np.random.default_rng(1)
    first, second = generator.normal(size=4), generator.normal(loc=2, scale=3, size=7)
    theirs = stats.ttest_ind(second, first, equal_var=False)
    found = welch(first, second)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))


def test_without_spread_only_zero_is_no_difference() -> None:
    """Equal centres: the interval is a point, p is 1 at 0 and 0 elsewhere."""
    assert student([0.0, 0.0]).p_value == 1
    assert student([1.0, 1.0]).p_value == 0
    assert welch([1.0, 1.0], [3.0, 3.0]).estimate == 2


def test_centres_are_hodges_lehmann_estimates_in_order_of_appearance() -> None:
    """Labels may be anything and need not be neighbours."""
    centres = cluster_centres([1.0, 5.0, 2.0, 10.0, 5.0], ["b", "a", "b", "b", "a"])
    assert centres.tolist() == [3.75, 5]
    with pytest.raises(ValueError, match="labels"):
        cluster_centres([1.0], [])


def test_one_cluster_or_one_round_each_is_the_signed_rank_test() -> None:
    """With one cluster, or one round in each, the test is the signed-rank test of all rounds."""
    values = np.random.default_rng(2).normal(size=9)
    assert clustered_shift(values, [0] * 9) == signed_rank(values)
    assert clustered_shift(values, list(range(9))) == signed_rank(values)


def test_rounds_of_one_process_do_not_count_as_independent() -> None:
    """Three clusters with offsets 1, -1, 2 and no noise: twelve rounds prove nothing."""
    offsets = np.repeat([1.0, -1.0, 2.0], 4)
    found = clustered_shift(offsets, np.repeat([0, 1, 2], 4).tolist())
    assert found.p_value == pytest.approx(stats.ttest_1samp([1, -1, 2], 0).pvalue)
    assert found.low < 0 < found.high
    assert found.pairs == 12


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("clusters", [3, 5])
def test_false_alarms_keep_their_rate_at_every_correlation(
    clusters: int, correlation: float
) -> None:
    """About 5 % of zero shifts are rejected; the plain signed-rank test rejects up to half."""
    generator = np.random.default_rng(5)
    between = np.sqrt(correlation / (1 - correlation))
    labels = np.repeat(np.arange(clusters), 5).tolist()
    rejected = 0
    for _ in range(1000):
        offsets = between * np.repeat(generator.normal(size=clusters), 5)
        found = clustered_shift(generator.normal(size=5 * clusters) + offsets, labels)
        rejected += found.p_value < 0.05
    assert 0.025 <= rejected / 1000 <= 0.05 + 3 * 0.007


def test_enough_centres_are_ranked_and_few_are_not() -> None:
    """Six clusters carry 95 % and five do not; ten carry 99.8 %, which is their range, not more."""
    generator = np.random.default_rng(6)
    values = generator.normal(size=30)
    six, five = (np.repeat(np.arange(count), 30 // count).tolist() for count in (6, 5))
    assert clustered_shift(values, six).low == signed_rank(cluster_centres(values, six)).low
    assert clustered_shift(values, six).pairs == 30
    assert clustered_shift(values, five).low == student(cluster_centres(values, five)).low
    centres = generator.normal(size=10)
    assert centres_shift(centres, level=0.998).low == min(centres)
    assert centres_shift(centres, level=0.999) == student(centres, level=0.999)


def test_heavy_tails_among_the_centres_do_not_make_the_test_timid() -> None:
    """Of 4000 zero shifts of Cauchy centres ranks reject 4.9 %, and Student's t half as many."""
    generator = np.random.default_rng(8)
    rejected = {"ranks": 0, "t": 0}
    for _ in range(4000):
        centres = 0.001 * generator.standard_cauchy(size=10)
        rejected["ranks"] += centres_shift(centres).p_value < 0.05
        rejected["t"] += student(centres).p_value < 0.05
    assert rejected["ranks"] / 4000 == pytest.approx(0.0488, abs=0.0103)
    assert rejected["t"] / 4000 < 0.03


def test_the_interval_of_a_figure_is_narrow_beside_one_disturbed_process() -> None:
    """Nine processes within 0.2 % and a tenth at twice the time still give a narrow interval."""
    medians = [1.0, 1.001, 0.999, 1.0005, 0.9995, 1.0, 1.001, 0.999, 1.0002, 2.0]
    values = np.repeat(medians, 3)
    found = clustered_median_interval(values, np.repeat(np.arange(10), 3).tolist(), level=0.9)
    assert 0.999 <= found.low < found.high <= 1.001
