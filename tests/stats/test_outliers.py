# SPDX-License-Identifier: Apache-2.0
"""Outliers by modified z-score and by Tukey's fences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats import modified_z_outliers, modified_z_scores, outer_fences, tukey_outliers

samples = st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=40)


def test_scores_of_a_sample_worked_by_hand() -> None:
    """Median 3, MAD 1: 100 scores 0.6745 x 97; it alone is out."""
    scores = modified_z_scores([1.0, 2, 3, 4, 100])
    assert scores == pytest.approx([-1.349, -0.6745, 0, 0.6745, 65.4265])
    assert modified_z_outliers([1.0, 2, 3, 4, 100]).tolist() == [False] * 4 + [True]


def test_when_most_values_tie_the_mean_deviation_takes_over() -> None:
    """MAD 0, mean deviation 10/5 = 2: the one deviating value scores 10 / (1.253314 x 2)."""
    assert modified_z_scores([1.0, 1, 1, 1, 11])[-1] == pytest.approx(10 / 2.506628)
    assert modified_z_scores([7.0, 7, 7]).tolist() == [0, 0, 0]


def test_fences_worked_by_hand() -> None:
    """1..9: quartiles 3 and 7, so the outer fences are at -9 and 19."""
    assert outer_fences([float(value) for value in range(1, 10)]) == (-9, 19)


def test_values_beyond_the_outer_fences_are_outliers() -> None:
    """A value beyond 3 quartile distances is an outlier on either side; 1.5 are not enough."""
    values = [float(value) for value in range(1, 10)]
    assert not tukey_outliers([*values, 15.0]).any()
    for far in (40.0, -40.0):
        assert tukey_outliers([*values, far]).tolist() == [False] * 9 + [True]


@settings(deadline=None)
@given(samples)
def test_scores_agree_with_scipy(values: list[float]) -> None:
    """0.6745 x deviation / MAD with SciPy's MAD; fences with SciPy's quartile distance."""
    spread = stats.median_abs_deviation(values)
    if spread > 0:
        expected = 0.6745 * (np.asarray(values) - np.median(values)) / spread
        assert modified_z_scores(values) == pytest.approx(expected)
    low, high = outer_fences(values)
    assert high - low == pytest.approx(7 * stats.iqr(values), abs=1e-9)


@settings(deadline=None)
@given(samples)
def test_at_most_half_are_outliers(values: list[float]) -> None:
    """No definition can call the majority out."""
    assert modified_z_outliers(values).sum() <= len(values) / 2
    assert tukey_outliers(values).sum() <= len(values) / 2
