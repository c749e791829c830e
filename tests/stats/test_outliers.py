# SPDX-License-Identifier: Apache-2.0
"""Outliers by modified z-score and by Tukey's fences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats.outliers import (
    modified_z_outliers,
    modified_z_scores,
    tukey_fences,
    tukey_outliers,
)

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
    """1..9: quartiles 3 and 7, so the fences are at -9, -3, 13 and 19."""
    fences = tukey_fences([float(value) for value in range(1, 10)])
    assert (fences.low_severe, fences.low_mild) == (-9, -3)
    assert (fences.high_mild, fences.high_severe) == (13, 19)


def test_mild_and_severe_outliers_are_told_apart() -> None:
    """Beyond 1.5 and beyond 3 quartile distances."""
    values = [*(float(value) for value in range(1, 10)), 15.0]
    assert tukey_outliers(values)[-1]
    assert not tukey_outliers(values, severe=True)[-1]
    assert tukey_outliers([*values[:-1], 40.0], severe=True)[-1]


@settings(deadline=None)
@given(samples)
def test_scores_agree_with_scipy(values: list[float]) -> None:
    """0.6745 x deviation / MAD with SciPy's MAD; fences with SciPy's quartile distance."""
    spread = stats.median_abs_deviation(values)
    if spread > 0:
        expected = 0.6745 * (np.asarray(values) - np.median(values)) / spread
        assert modified_z_scores(values) == pytest.approx(expected)
    fences = tukey_fences(values)
    width = stats.iqr(values)
    assert fences.high_severe - fences.low_severe == pytest.approx(7 * width, abs=1e-9)
    assert fences.high_mild - fences.low_mild == pytest.approx(4 * width, abs=1e-9)


@settings(deadline=None)
@given(samples)
def test_at_most_half_are_outliers_and_severe_ones_are_mild_ones(values: list[float]) -> None:
    """No definition can call the majority out; severe implies mild."""
    assert modified_z_outliers(values).sum() <= len(values) / 2
    mild, severe = tukey_outliers(values), tukey_outliers(values, severe=True)
    assert mild.sum() <= len(values) / 2
    assert not (severe & ~mild).any()
