# SPDX-License-Identifier: Apache-2.0
"""A percentile of choice with an interval of order statistics, and too few values for it."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest
from fake_runs import taking, trial
from scipy import stats

from joulemark.analyse.stated_figures import fewest_values, percentile_of, ranks, trial_percentiles
from joulemark.errors import UsageError
from joulemark.units import parse_percentile


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99, 0.05])
def test_the_fewest_values_are_just_enough(share: float) -> None:
    """One value fewer has no interval; the ranks hold the percentile with 95 %."""
    fewest = fewest_values(share)
    assert ranks(fewest - 1, share) is None
    for count in (fewest, 3 * fewest, 5000):
        found = ranks(count, share)
        assert found is not None
        rank, low, high = found
        below = partial(stats.binom.cdf, n=count, p=share)
        assert 1 <= low <= rank <= high <= count
        inside = below(high - 1) - below(low - 1)
        assert inside >= 0.95
        assert below(low) > 0.025
        assert below(high - 2) < 0.975


def test_numbers_of_the_literature() -> None:
    """The median needs 6 values, and 99 % need 368; of 100 values the 40th and 61st enclose it."""
    assert (fewest_values(0.5), fewest_values(0.99)) == (6, 368)
    assert ranks(100, 0.5) == (50, 40, 61)


@pytest.mark.parametrize("count", [1000, 10_000])
def test_no_rank_is_that_of_rounding(count: int) -> None:
    """99.9 % of 10 000 values are 9 990 of them, and so for each percentile of one decimal."""
    for tenths in range(10, 991):
        found = ranks(count, parse_percentile(tenths / 10))
        assert found is not None
        assert found[0] == tenths * count // 1000
    percentile = percentile_of({1e-6: 9990, 5e-6: 10}, parse_percentile(99.9))
    assert percentile is not None
    assert percentile.seconds == 1e-6


def test_intervals_hold_the_percentile_as_often_as_they_say() -> None:
    """Of a skewed distribution, whose 90th percentile is known."""
    generator = np.random.default_rng(3)
    truth = stats.expon.ppf(0.9)
    held = 0
    for _ in range(400):
        found = percentile_of(Counter(generator.exponential(size=150).tolist()), 0.9)
        assert found is not None
        assert found.low <= found.seconds <= found.high
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 400 <= 0.99


def test_every_window_of_a_trial_counts() -> None:
    """The percentile is of all windows; a trial with too few has none, and says how many."""
    times = np.linspace(1e-7, 2e-7, 401)
    few, many = trial("md5/few"), trial("md5/many")
    samples = {few: taking(times[:20]), many: taking(times), trial("md5/bad"): taking(times)}
    first, second = trial_percentiles(samples, 0.99, {"md5/bad"})
    assert (first.implementation, first.seconds_per_message, first.windows) == ("md5/few", None, 20)
    assert first.median == pytest.approx(float(np.median(times[:20])))
    assert second.message == "64 B"
    assert second.seconds_per_message == pytest.approx(times[396])
    assert second.low is not None
    assert second.high is not None
    assert second.low < times[396] < second.high <= times[400] + 1e-15


@pytest.mark.parametrize("percent", [0, 100, -1, 101, float("nan")])
def test_what_is_no_percentile(percent: float) -> None:
    """A share of all or of none has no order statistic on its other side."""
    with pytest.raises(UsageError, match=r"--percentile .*: give a number between 0 and 100"):
        parse_percentile(percent)
