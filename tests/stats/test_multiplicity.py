# SPDX-License-Identifier: Apache-2.0
"""Adjustment for many comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.stats import holm, simultaneous_level

p_values = st.lists(st.floats(0, 1), max_size=12)


def test_holms_adjustment_by_hand() -> None:
    """R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") prints the same: 0.03 0.06 0.06 0.02."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1, 1]


@settings(deadline=None)
@given(p_values)
def test_adjusted_values_lie_between_p_and_bonferroni_and_keep_the_order(
    raw: list[float],
) -> None:
    """Holm is never below p, never above Bonferroni, and monotone in p."""
    adjusted = np.array(holm(raw))
    assert np.all(adjusted >= np.array(raw))
    assert np.all(adjusted <= np.minimum(1, len(raw) * np.array(raw)) + 1e-15)
    assert np.all(np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0)


@settings(deadline=None)
@given(p_values.filter(bool), st.floats(0.01, 0.2))
def test_rejections_are_those_of_the_step_down_procedure(raw: list[float], alpha: float) -> None:
    """Going up from the smallest p, reject while p_(i) < alpha / (m - i + 1)."""
    rejected = set()
    for step, index in enumerate(np.argsort(raw, kind="stable")):
        if not (len(raw) - step) * raw[index] < alpha:
            break
        rejected.add(int(index))
    assert {i for i, p in enumerate(holm(raw)) if p < alpha} == rejected


@pytest.mark.parametrize("bad", [[-0.1], [1.1], [float("nan")]])
def test_what_is_no_probability_is_refused(bad: list[float]) -> None:
    """A p that is negative, above 1 or not a number is refused."""
    with pytest.raises(ValueError, match="p-value"):
        holm(bad)


def test_the_simultaneous_level_shares_alpha() -> None:
    """Ten comparisons at 5 % get a level of 99.5 % each."""
    assert simultaneous_level(0.05, 10) == pytest.approx(0.995)
    with pytest.raises(ValueError, match="alpha"):
        simultaneous_level(0.0, 1)
    with pytest.raises(ValueError, match="no comparison"):
        simultaneous_level(0.05, 0)
