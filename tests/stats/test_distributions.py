# SPDX-License-Identifier: Apache-2.0
"""Tails, quantiles and ranks against those of scipy.stats, which computes them in other ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from joulemark.stats import (
    doubled_midranks,
    fair_binomial_cdf,
    normal_cdf,
    normal_quantile,
    student_quantile,
    student_tail,
)

CLOSE = 1e-12


@pytest.mark.parametrize("value", [-37.0, -8.0, -1.96, 0.0, 0.5, 8.0])
def test_normal_cdf(value):
    """The normal distribution function agrees, and far tails keep their digits."""
    assert normal_cdf(value) == pytest.approx(stats.norm.cdf(value), rel=CLOSE, abs=0)


@pytest.mark.parametrize("share", [1e-300, 1e-9, 0.025, 0.5, 0.999])
def test_normal_quantile(share):
    """The normal quantile agrees."""
    assert normal_quantile(share) == pytest.approx(stats.norm.ppf(share), rel=CLOSE, abs=CLOSE)


@pytest.mark.parametrize("freedom", [1.0, 2.5, 4.0, 29.0, 1e6])
def test_student(freedom):
    """Student's quantile and upper tail agree, also where degrees of freedom are not whole."""
    for share in (0.5001, 0.975, 1 - 1e-9):
        expected = stats.t.ppf(share, freedom)
        assert student_quantile(share, freedom) == pytest.approx(expected, rel=1e-9)
    for value in (0.0, 1.0, 2.7764, 40.0):
        expected = stats.t.sf(value, freedom)
        assert student_tail(value, freedom) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("tosses", [0, 1, 2, 7, 60, 1000])
def test_fair_binomial_cdf(tosses):
    """The distribution agrees for each count of heads, and for a coin that is never tossed."""
    expected = stats.binom.cdf(np.arange(tosses + 1), tosses, 0.5)
    assert fair_binomial_cdf(tosses, tosses) == pytest.approx(expected, rel=1e-10, abs=0)


def test_doubled_midranks():
    """Equal values share the mean of their ranks."""
    sample = np.random.default_rng(1).integers(0, 20, 100).astype(np.float64)
    assert doubled_midranks(sample).tolist() == (2 * stats.rankdata(sample)).tolist()
