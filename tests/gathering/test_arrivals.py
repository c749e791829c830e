# SPDX-License-Identifier: Apache-2.0
"""The cycle of arrivals: its mean, its shape, and that it is the same in every run."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from joulemark.measure.session_windows import ARRIVALS, gaps_ps, senders


@pytest.mark.parametrize("rate", [100.0, 1e5, 3e6])
def test_the_mean_is_the_rate(rate) -> None:
    """The mean gap is the inverse of the rate, up to the rounding of each gap to picoseconds."""
    assert sum(gaps_ps(rate)) / ARRIVALS == pytest.approx(1e12 / rate, rel=1e-5)


def test_gaps_are_exponential() -> None:
    """A share of 1 - exp(-x) of the gaps is below x means, and neighbours do not go together."""
    gaps = [number / 1e6 for number in gaps_ps(1e6)]
    for mean in (0.1, 0.5, 1.0, 2.0):
        share = sum(gap < mean for gap in gaps) / ARRIVALS
        assert share == pytest.approx(1 - math.exp(-mean), abs=0.002)
    pairs = sum((a - 1) * (b - 1) for a, b in pairwise(gaps)) / ARRIVALS
    assert abs(pairs) < 0.05


def test_senders_are_even() -> None:
    """Each of ten sessions has about a tenth of the messages, and two calls give the same cycle."""
    counts = [sum(sender % 10 == place for sender in senders()) for place in range(10)]
    assert min(counts) > 0.85 * ARRIVALS / 10
    assert max(counts) < 1.15 * ARRIVALS / 10
    assert senders() == senders()
