# SPDX-License-Identifier: Apache-2.0
"""The divisions, each on a window worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_runs import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.analyse import derive


def test_times_and_ticks_are_per_message() -> None:
    """1000 messages in 100 us wall, 99.9 us CPU and 210000 ticks."""
    assert derive.seconds_per_message(SAMPLE) == 100e-9
    assert derive.thread_cpu_seconds_per_message(SAMPLE) == 99.9e-9
    assert derive.tsc_ticks_per_message(SAMPLE) == 210


def test_core_cycles_are_counted_or_modelled_from_the_clock_probe() -> None:
    """8192 additions in 4000 and 4192 ticks: two cycles a tick, so 420 cycles a message."""
    probed = replace(SAMPLE, chain_ticks_before=4000, chain_ticks_after=4192, thread_cpu_ns=100_050)
    assert derive.core_cycles_per_tick(probed) == 2
    assert derive.modelled_core_cycles_per_message(probed) == 420
    half = replace(probed, thread_cpu_ns=50_000)
    assert derive.modelled_core_cycles_per_message(half) == 210, "cycles of others are not ours"
    counted = replace(SAMPLE, perf_core_cycles=300_000)
    assert derive.measured_core_cycles_per_message(counted) == 300


@pytest.mark.parametrize(
    "gap",
    [
        {"chain_ticks_before": None},
        {"chain_ticks_after": None},
        {"chain_ticks_before": 0},
        {"chain_adds": 0},
        {"tsc_ticks": None},
    ],
)
def test_a_missing_counter_gives_no_figure(gap: dict[str, int | None]) -> None:
    """A counter of None gives a figure of None, never zero nor a division by zero."""
    assert derive.modelled_core_cycles_per_message(replace(SAMPLE, **gap)) is None


def test_missing_counters_are_none_not_zero() -> None:
    """Figures without a TSC, a performance counter or wall time are None."""
    assert derive.tsc_ticks_per_message(replace(SAMPLE, tsc_ticks=None)) is None
    assert derive.measured_core_cycles_per_message(SAMPLE) is None
    assert derive.tsc_hertz(replace(SAMPLE, tsc_ticks=None)) is None
    assert derive.tsc_hertz(replace(SAMPLE, wall_ns=0)) is None


def test_rates_and_shares() -> None:
    """2.1 GHz ticks; 0.1 % off the CPU; clocks that disagree a little count as 0."""
    assert derive.tsc_hertz(SAMPLE) == 2.1e9
    assert derive.off_cpu_share(SAMPLE) == pytest.approx(0.001)
    assert derive.off_cpu_share(replace(SAMPLE, thread_cpu_ns=100_001)) == 0
    assert derive.off_cpu_share(replace(SAMPLE, wall_ns=0)) == 0
    assert derive.bytes_per_second(100e-9, 64) == pytest.approx(640e6)


def test_the_empty_message_has_no_figure_per_byte() -> None:
    """Neither a cost per byte nor a rate; nor has a time of zero a rate."""
    assert derive.per_byte(5.0, 0) is None
    assert derive.per_byte(5.0, 10) == 0.5
    assert derive.bytes_per_second(1e-9, 0) is None
    assert derive.bytes_per_second(0.0, 64) is None


@settings(deadline=None)
@given(st.integers(1, 10**9), st.integers(1, 10**12))
def test_figures_scale_with_the_window(messages: int, wall_ns: int) -> None:
    """Twice the messages in twice the time is the same time per message."""
    sample = replace(SAMPLE, messages=messages, wall_ns=wall_ns)
    two = replace(SAMPLE, messages=2 * messages, wall_ns=2 * wall_ns)
    assert derive.seconds_per_message(sample) == pytest.approx(
        derive.seconds_per_message(two), rel=1e-15
    )
