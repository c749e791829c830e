# SPDX-License-Identifier: Apache-2.0
"""The bootstrap interval of the median: coverage, agreement with SciPy, and small samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats.clustered import expanded_tail, highest_level, median_interval

SIMULATIONS = 800
DISTRIBUTIONS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "normal": (lambda generator, n: generator.normal(size=n), 0.0),
    "exponential": (lambda generator, n: generator.exponential(size=n), float(np.log(2))),
    "t with 1.5 degrees": (lambda generator, n: generator.standard_t(1.5, size=n), 0.0),
    "ties": (lambda generator, n: np.round(3 * generator.normal(size=n)), 0.0),
}


@pytest.mark.parametrize("n", [7, 10, 20, 31])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_coverage_is_near_95_percent_whatever_the_distribution(name: str, n: int) -> None:
    """Coverage is between 93 % and 98.5 % but for chance; plain percentiles give 86 % at n = 7."""
    draw, true_median = DISTRIBUTIONS[name]
    generator = np.random.default_rng(20240917)
    covered = 0
    for _ in range(SIMULATIONS):
        interval = median_interval(draw(generator, n))
        covered += interval.low <= true_median <= interval.high
    assert covered / SIMULATIONS >= 0.93 - 3 * 0.009
    assert covered / SIMULATIONS <= 0.985 + 3 * 0.004 or name == "ties"


@pytest.mark.parametrize("n", range(6, 61))
def test_the_ends_are_order_statistics_with_binomial_coverage(n: int) -> None:
    """Of a continuous sample, the closed ranks around the ends cover at least 92 %, at every n."""
    ends = median_interval([float(rank) for rank in range(1, n + 1)])
    covered = stats.binom.cdf(np.ceil(ends.high) - 1, n, 0.5) - stats.binom.cdf(
        np.floor(ends.low) - 1, n, 0.5
    )
    assert 0.92 <= covered <= 0.995


def test_agreement_with_scipy_bootstrap_at_the_expanded_level() -> None:
    """SciPy's percentile bootstrap at the level 1 - 2a has the same ends, to a tenth of an SE."""
    values = np.random.default_rng(3).normal(loc=100, size=60)
    level = 1 - 2 * expanded_tail(60, 0.95)
    theirs = stats.bootstrap(
        (values,), np.median, confidence_level=level, method="percentile", rng=7, vectorized=True
    ).confidence_interval
    ours = median_interval(values)
    assert ours.low == pytest.approx(theirs.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.high, abs=0.02)


def test_the_expanded_tail_is_hesterbergs() -> None:
    """Worked by hand for n = 10: Phi(-sqrt(10/9) 2.262157) = Phi(-2.384523) = 0.00855."""
    assert expanded_tail(10, 0.95) == pytest.approx(0.008550, abs=2e-6)
    assert expanded_tail(10**6, 0.95) == pytest.approx(0.025, abs=1e-6)
    assert expanded_tail(1, 0.95) == 0


def test_one_value_is_flagged() -> None:
    """One value has a degenerate interval at the value, which does not attain the level."""
    interval = median_interval([5.0])
    assert (interval.low, interval.high) == (5, 5)
    assert interval.degenerate
    assert not interval.attained


def test_small_samples_say_what_they_cannot_claim() -> None:
    """Six values are the fewest that carry 95 %; up to then the interval is the whole range."""
    assert highest_level(5) == 0.9375
    five, six = median_interval([1.0, 2, 3, 4, 5]), median_interval([1.0, 2, 3, 4, 5, 6])
    assert (five.low, five.high, five.attained) == (1, 5, False)
    assert (six.low, six.high, six.attained) == (1, 6, True)
    assert not six.degenerate


def test_ties_give_a_degenerate_interval() -> None:
    """If all values are equal, the interval is a point, since no uncertainty was seen."""
    assert median_interval([2.0] * 9).degenerate


@settings(deadline=None)
@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=25),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
def test_the_interval_holds_the_median_and_lies_in_the_range(
    values: list[int], seed: int, shuffler: object
) -> None:
    """The interval brackets the median, within the data, and does not depend on their order."""
    interval = median_interval(values, seed=seed)
    assert min(values) <= interval.low <= np.median(values) <= interval.high <= max(values)
    shuffled = list(values)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert median_interval(shuffled, seed=seed) == interval
    doubled = median_interval([2 * value + 1 for value in values], seed=seed)
    assert (doubled.low, doubled.high) == (2 * interval.low + 1, 2 * interval.high + 1)


def test_a_higher_level_is_wider_and_impossible_levels_are_refused() -> None:
    """The interval at 90 % lies within that at 99 %; levels of 0 and 1 are refused."""
    values = np.random.default_rng(1).normal(size=40)
    narrow, wide = median_interval(values, level=0.9), median_interval(values, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high
    for level in (0.0, 1.0):
        with pytest.raises(ValueError, match="confidence level"):
            median_interval(values, level=level)
