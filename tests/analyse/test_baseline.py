# SPDX-License-Identifier: Apache-2.0
"""Power at rest at any moment of a run, and the errors that windows share through it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from uncertainties import ufloat

from energy_windows import power_at
from joulemark.analyse.window import Baseline, without_waking


def test_between_two_windows_power_lies_on_the_line() -> None:
    """10 W at 0 s and 12 W at 10 s are 11 W at 5 s; outside, the nearest window's power holds."""
    baseline = Baseline([power_at(10, 12.0), power_at(0, 10.0)])
    assert baseline.at(5).nominal_value == pytest.approx(11)
    assert baseline.at(2.5).nominal_value == pytest.approx(10.5)
    assert baseline.at(-3).nominal_value == 10
    assert baseline.at(99).nominal_value == 12


def test_without_a_window_there_is_no_power() -> None:
    """Power at rest is then None, not 0."""
    assert Baseline([]).at(1) is None


def test_scatter_between_windows_is_part_of_the_error_and_drift_is_not() -> None:
    """Noise of 0.2 W shows; 0.2 W in all of steady drift over ten windows hardly does."""
    noisy = Baseline([power_at(n, 10 + 0.2 * (-1) ** n) for n in range(10)])
    assert noisy.powers_w[0].std_dev == pytest.approx(0.4 / 2**0.5)
    drifting = Baseline([power_at(n, 10 + 0.02 * n) for n in range(10)])
    assert drifting.powers_w[0].std_dev == pytest.approx(0.02 / 2**0.5)


def test_neighbours_share_the_error_of_their_baseline() -> None:
    """The mean of two loads against one baseline is no surer of the baseline than each."""
    baseline = Baseline([power_at(0, 10.0, error=0.5)])
    net = [ufloat(30, 1e-9) - baseline.at(1), ufloat(30, 1e-9) - baseline.at(2)]
    assert ((net[0] + net[1]) / 2).std_dev == pytest.approx(0.5)
    assert (net[0] - net[1]).std_dev < 1e-8


def test_the_preceding_window_alone_counts_where_the_method_says_so() -> None:
    """westermann2010 uses the idle before each run, not the idle after it."""
    baseline = Baseline([power_at(0, 10.0), power_at(10, 12.0)], preceding=True)
    assert baseline.at(9).nominal_value == 10
    assert baseline.at(11).nominal_value == 12
    assert baseline.at(-5).nominal_value == 10


def test_waking_to_read_the_meter_is_taken_off_deep_idle() -> None:
    """Awake for 1 % of the time at 30 W over 10 W: 0.15 W of what was read, +- 0.03 W."""
    slept = power_at(5, 10.2)
    deep = replace(slept, window=replace(slept.window, thread_cpu_ns=10_000_000))
    (found,) = without_waking([deep], Baseline([power_at(0, 30.2)]))
    assert found.power_w.nominal_value == pytest.approx(10.2 - 0.75 * 0.01 * 20)
    assert found.power_w.std_dev == pytest.approx((0.01**2 + (0.2 * 0.25) ** 2 / 3) ** 0.5)
    assert without_waking([deep], Baseline([])) == [deep]
    (cooler,) = without_waking([deep], Baseline([power_at(0, 9.0)]))
    assert cooler.power_w.nominal_value == 10.2
