# SPDX-License-Identifier: Apache-2.0
"""Savings and spreads, against figures worked by hand."""

from __future__ import annotations

import pytest

from joulemark.studies.castellon2022.savings import saving, spread


def test_a_constant_saving_is_found() -> None:
    """A contender that takes 87 % of every neighbour saves 13 %, whatever the neighbours take."""
    baseline = [float(1 + i % 7) for i in range(50)]
    found = saving(baseline, [0.87 * one for one in baseline])
    assert found.median == pytest.approx(0.13)
    assert (found.low, found.high) == pytest.approx((0.13, 0.13))
    assert found.of_means == pytest.approx(0.13)


def test_one_disturbed_event_moves_the_mean_alone() -> None:
    """The paper's figure follows an outlier; the median does not."""
    found = saving([1.0] * 21, [1.0] * 20 + [100.0])
    assert found.median == 0
    assert found.of_means < -4


def test_low_is_below_high() -> None:
    """A larger ratio is a smaller saving: the ends are turned round."""
    found = saving([1.0] * 30, [0.8 + 0.01 * i for i in range(30)])
    assert found.low < found.median < found.high


def test_pairs_need_partners() -> None:
    """Series of two lengths are refused."""
    with pytest.raises(ValueError, match="one length"):
        saving([1.0, 2.0], [1.0])


def test_a_spread() -> None:
    """Mean 4, deviation sqrt(26 / 2) of 1, 3 and 8; one event has no deviation."""
    found = spread([1.0, 3.0, 8.0])
    assert (found.mean, found.median, found.events) == (4.0, 3.0, 3)
    assert found.deviation == pytest.approx(13**0.5)
    assert spread([1.0]).deviation is None
