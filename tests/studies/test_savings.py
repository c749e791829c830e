# SPDX-License-Identifier: Apache-2.0
"""Savings and spreads, against figures worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from joulemark.studies.castellon2022.savings import growth, saving, spread, together


def tens(events: int) -> list[int]:
    """Process numbers with ten events to a process."""
    return [event // 10 for event in range(events)]


def test_a_constant_saving_is_found() -> None:
    """A contender that takes 87 % of every neighbour saves 13 %, whatever the neighbours take."""
    baseline = [float(1 + i % 7) for i in range(50)]
    found = saving(baseline, [0.87 * value for value in baseline], tens(50))
    assert found.median == pytest.approx(0.13)
    assert (found.low, found.high) == pytest.approx((0.13, 0.13))
    assert found.of_means == pytest.approx(0.13)


def test_one_disturbed_event_moves_the_mean_alone() -> None:
    """The paper's figure follows an outlier; the median does not."""
    found = saving([1.0] * 30, [1.0] * 29 + [100.0], tens(30))
    assert found.median == 0
    assert found.of_means < -3


def test_low_is_below_high() -> None:
    """A larger ratio is a smaller saving, so the ends of the interval change places."""
    found = saving([1.0] * 30, [0.8 + 0.01 * i for i in range(30)], tens(30))
    assert found.low < found.median < found.high


LAYOUT, NOISE = 0.003, 0.02
PROCESSES, EVENTS = 10, 100
STUDIES = 400


def equal_programs(chance: np.random.Generator) -> tuple[list[float], list[float], list[int]]:
    """Two series that cost the same, save that each process shifts the one against the other."""
    shift = np.repeat(chance.normal(0, LAYOUT, PROCESSES), EVENTS)
    noise = chance.normal(0, NOISE, (2, PROCESSES * EVENTS))
    labels = [event // EVENTS for event in range(PROCESSES * EVENTS)]
    return list(np.exp(noise[0])), list(np.exp(shift + noise[1])), labels


def test_equal_programs_are_called_different_in_five_percent() -> None:
    """0.3 % of layout in each process and 2 % of noise: an interval excludes 0 in 5 % of studies.

    Bounds: 3 standard deviations of a count of 400 at 5 %, so 7 to 33. A sign test over all events,
    as if they were independent, excludes 0 in 37 of them.
    """
    chance = np.random.default_rng(7)
    excluded = 0
    for _ in range(STUDIES):
        found = saving(*equal_programs(chance))
        excluded += found.low > 0 or found.high < 0
    assert 7 <= excluded <= 33


def test_seven_sizes_are_judged_together() -> None:
    """Holm: a p-value of 0.01 among seven is one of 0.07, and shows nothing."""
    single = saving([1.0, 1.1, 1.2] * 10, [1.0, 1.09, 1.19] * 10, tens(30))
    sizes = [single.model_copy(update={"p_value": p, "low": 0.01}) for p in (0.01, *[0.5] * 6)]
    judged = together(sizes)
    assert judged[0].p_adjusted == pytest.approx(0.07)
    assert not judged[0].costs_less
    assert single.model_copy(update={"p_adjusted": 0.01, "low": 0.01}).costs_less


def test_growth_counts_each_process_once() -> None:
    """Processes that grow by 50, 60 and 70 % grow by about 60 %; one process has no interval."""
    first, labels = [1.0] * 9, [0, 0, 0, 1, 1, 1, 2, 2, 2]
    last = [1.5] * 3 + [1.6] * 3 + [1.7] * 3
    found = growth(first, last, (labels, labels))
    assert found.median == pytest.approx((1.5 * 1.6 * 1.7) ** (1 / 3) - 1)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5
    assert found.high > 0.7
    assert growth(first, last, ([0] * 9, [0] * 9)).low is None


def test_pairs_need_partners() -> None:
    """Series of two lengths are refused."""
    with pytest.raises(ValueError, match="one length"):
        saving([1.0, 2.0], [1.0], [0, 0])


def test_a_spread() -> None:
    """Mean 4, deviation sqrt(26 / 2) of 1, 3 and 8; one event has no deviation."""
    found = spread([1.0, 3.0, 8.0])
    assert (found.mean, found.median, found.events) == (4.0, 3.0, 3)
    assert found.deviation == pytest.approx(13**0.5)
    assert spread([1.0]).deviation is None
