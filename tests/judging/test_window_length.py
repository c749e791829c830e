# SPDX-License-Identifier: Apache-2.0
"""How long a window must be: the closed form against its inverse, and its limits."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from energy_windows import COUNTER
from joulemark.judging.domains import (
    FEWEST_PERIODS,
    Pace,
    free_running_window_s,
    window_for_precision_s,
)

QUIET = Pace(
    period_s=0.001, jitter_s=0, poll_s=2e-5, power_w=10, walk_j2=0, white_j2=0, updates=400
)
STEP = replace(COUNTER, resolution=61e-6)


def relative_half_interval(pace: Pace, resolution_j: float, window_s: float) -> float:
    """Relative half-interval of a window of this length, by the budget of the analysis."""
    step_j = min(resolution_j, pace.power_w * pace.period_s)
    edge_j = pace.power_w * max(30e-6, pace.poll_s)
    variance = 2 * (step_j**2 + edge_j**2) / 12 + pace.walk_j2 * window_s / pace.period_s
    return 1.96 * math.sqrt(variance) / (pace.power_w * window_s)


@given(
    precision=st.floats(1e-4, 0.2), power_w=st.floats(0.1, 500), noise=st.floats(0, 0.5),
    period_s=st.floats(1e-4, 5),
)  # fmt: skip
def test_the_window_has_just_the_precision_asked_for(
    precision: float, power_w: float, noise: float, period_s: float
) -> None:
    """The window has just the precision asked for, unless a few periods are longer than needed."""
    pace = replace(
        QUIET, power_w=power_w, period_s=period_s, walk_j2=(noise * power_w * period_s) ** 2
    )
    window_s = window_for_precision_s(STEP, pace, precision)
    assert window_s >= FEWEST_PERIODS * period_s
    assert relative_half_interval(pace, 61e-6, window_s) <= precision * 1.0001
    if window_s > 1.2 * FEWEST_PERIODS * period_s:
        assert relative_half_interval(pace, 61e-6, 0.9 * window_s) > precision


def test_noise_of_the_updates_makes_windows_longer() -> None:
    """30 % in each update of 1 ms: (1.96 0.3 / 0.01)^2 updates for 1 %."""
    noisy = replace(QUIET, walk_j2=(0.3 * 10 * 0.001) ** 2)
    assert window_for_precision_s(STEP, noisy, 0.01) == pytest.approx(3.457, rel=0.01)
    assert window_for_precision_s(STEP, QUIET, 0.01) < 0.01


def test_without_power_no_window_is_long_enough() -> None:
    """Without power the length is infinite, and nothing is divided by zero."""
    assert window_for_precision_s(STEP, replace(QUIET, power_w=0), 0.01) == math.inf


def test_free_ends_need_a_period_over_the_precision() -> None:
    """With free ends, a period of 1 ms and a precision of 1 % need a window of 100 ms."""
    assert free_running_window_s(0.001, 0.01) == pytest.approx(0.1)
