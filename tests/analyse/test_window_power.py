# SPDX-License-Identifier: Apache-2.0
"""The uncertainty budget of one window, each term alone and worked by hand."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import pytest

from energy_windows import GAUGE, RECORD, window
from joulemark.analyse.window import WindowPower, power_of
from joulemark.judging.domains import Pace
from joulemark.judging.void import Void, VoidReason
from joulemark.records.energy_window import (
    Domain,
    DomainKind,
    DomainTrace,
    MeterRecord,
    Quantity,
    TracePoint,
)

COUNTER = Domain("p", "p", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 1e-6)
QUIET = Pace(
    period_s=0.001, jitter_s=0, poll_s=0, power_w=10, walk_j2=0, white_j2=0, updates=400
)  # fmt: skip


def power(
    domain: Domain, *, width_ns: int = 0, pace: Pace | None = None, joules: float = 10.0
) -> WindowPower:
    """A window of a second from edge to edge."""
    points = tuple(
        TracePoint(second * 10**9 - width_ns // 2, second * 10**9 + width_ns // 2, counts)
        for second, counts in ((0, 1000), (1, 1000 + round(joules * 1e6)))
    )
    record = replace(RECORD, domains=(domain,), paces={"p": pace.as_dict()} if pace else {})
    found = power_of(window(DomainTrace("p", points)), domain, record)
    assert isinstance(found, WindowPower)
    return found


def test_power_is_energy_over_the_time_between_the_middles_of_the_edges() -> None:
    """10 J in 1 s."""
    found = power(COUNTER)
    assert found.power_w.nominal_value == pytest.approx(10)
    assert found.duration_s == pytest.approx(1)


def test_the_step_of_the_counter() -> None:
    """A step s at both ends: s / sqrt(6); of no more than one update's energy."""
    coarse = replace(COUNTER, resolution=0.001)
    assert power(coarse).power_w.std_dev == pytest.approx(0.001 / math.sqrt(6))
    very_coarse = replace(COUNTER, resolution=1.0)
    assert power(very_coarse, pace=QUIET).power_w.std_dev == pytest.approx(0.01 / math.sqrt(6))


def test_the_width_of_the_edges() -> None:
    """1 ms at both ends of a second at 10 W: 10 W 1 ms / sqrt(6)."""
    found = power(COUNTER, width_ns=1_000_000)
    assert found.power_w.std_dev == pytest.approx(10 * 0.001 / math.sqrt(6), rel=1e-3)


def test_noise_grows_with_the_updates_and_with_power() -> None:
    """1 % of each update of 10 mJ, over 1000 of them; twice the power, twice the noise."""
    noisy = replace(QUIET, walk_j2=(0.01 * 0.01) ** 2)
    expected = 1e-4 * math.sqrt(1000)
    assert power(COUNTER, pace=noisy).power_w.std_dev == pytest.approx(expected, rel=1e-3)
    assert power(COUNTER, pace=noisy, joules=20).power_w.std_dev == pytest.approx(
        2 * expected, rel=1e-3
    )


def test_noise_of_readings_counts_beyond_what_polling_and_steps_explain() -> None:
    """White noise of 1 mJ^2; polling of 0.1 ms at 10 W explains 2 (1 mJ)^2 / 12 of it."""
    white = replace(QUIET, white_j2=1e-6)
    assert power(COUNTER, pace=white).power_w.std_dev == pytest.approx(1e-3, rel=1e-3)
    polled = replace(white, poll_s=1e-4)
    left = math.sqrt(1e-6 - 2e-6 / 12)
    assert power(COUNTER, pace=polled).power_w.std_dev == pytest.approx(left, rel=1e-3)


def gauge(counts: list[int], method: str) -> WindowPower | Void:
    """Samples in microwatts, a second apart."""
    points = tuple(TracePoint(n * 10**9, n * 10**9, count) for n, count in enumerate(counts))
    record = MeterRecord(
        "battery", "battery", RECORD.evidence, method, (GAUGE,), "b", float(len(counts))
    )
    return power_of(window(DomainTrace("b", points)), GAUGE, record)


def test_a_gauge_is_the_mean_of_what_refreshed_in_the_window() -> None:
    """The first two refreshes are left out; repetitions weigh by time and prove nothing new."""
    found = gauge([10, 10, 20, 20, 30_000_000, 30_000_000, 31_000_000, 31_000_000, 32_000_000,
                   32_000_000], "gauge")  # fmt: skip
    assert isinstance(found, WindowPower)
    assert found.power_w.nominal_value == pytest.approx(31)
    scatter = statistics.stdev([30, 30, 31, 31, 32, 32])
    expected = math.hypot(scatter / math.sqrt(3), GAUGE.resolution / math.sqrt(12))
    assert found.power_w.std_dev == pytest.approx(expected)


def test_a_gauge_that_hardly_refreshed_has_no_power() -> None:
    """Four refreshes less the first two leave two: too few, whatever the number of samples."""
    found = gauge([10] * 5 + [20] * 5 + [30] * 5 + [40] * 5, "gauge")
    assert isinstance(found, Void)
    assert found.reason is VoidReason.TOO_SHORT
    assert "refreshed 2 times" in found.text


def test_westermann_takes_the_median_of_all_samples() -> None:
    """The median has its own standard error, sqrt(pi / 2) that of a mean."""
    counts = [30_000_000, 31_000_000, 32_000_000, 33_000_000, 90_000_000]
    found = gauge(counts, "westermann2010")
    assert isinstance(found, WindowPower)
    assert found.power_w.nominal_value == pytest.approx(32)
    error = statistics.stdev([count / 1e6 for count in counts]) / math.sqrt(5)
    expected = math.hypot(error * math.sqrt(math.pi / 2), GAUGE.resolution / math.sqrt(12))
    assert found.power_w.std_dev == pytest.approx(expected)
