# SPDX-License-Identifier: Apache-2.0
"""Absolute and apparent processing, fairness and percentiles of windows known by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from joulemark.analyse.derive import (
    absolute_ticks_per_byte,
    apparent_ticks_per_byte,
    jain,
    latency_seconds,
    session_absolute_ticks_per_byte,
    session_apparent_ticks_per_byte,
    session_core_cycles_per_tick,
    session_figures,
    session_wall_ticks_per_byte,
)

HALF = Fraction(1, 2)


def test_on_one_core_of_its_own_apparent_is_absolute(window):
    """100 sessions of 10 ms: 1 s of CPU in a window of 1 s, over 100 MB, at 2 ticks a ns."""
    item = window()
    assert absolute_ticks_per_byte(item) == 20.0
    assert apparent_ticks_per_byte(item) == 20.0


@pytest.mark.parametrize(("windows", "attained"), [(1, False), (5, False), (6, True)])
def test_few_windows_carry_no_interval(window, windows, attained):
    """The median of six windows lies within their range in 97 % of cases, that of five in 94 %."""
    found = session_figures([window()] * windows).core_seconds_per_message
    assert found is not None
    assert found.attained == attained


def test_on_two_cores_apparent_is_half(window, session):
    """In the same window on two cores, each session has twice the CPU time and twice the bytes."""
    sessions = tuple(session(thread_cpu_ns=20_000_000, tagged_bytes=2_000_000) for _ in range(100))
    item = window(cores=(0, 1), sessions=sessions)
    assert absolute_ticks_per_byte(item) == 20.0
    assert apparent_ticks_per_byte(item) == 10.0


def test_others_raise_apparent_alone(window, session):
    """Others have half of the core: sessions tag half of the bytes in half of the CPU time."""
    sessions = tuple(session(thread_cpu_ns=5_000_000, tagged_bytes=500_000) for _ in range(100))
    item = window(sessions=sessions)
    assert absolute_ticks_per_byte(item) == 20.0
    assert apparent_ticks_per_byte(item) == 40.0


def test_of_one_session(window, session):
    """A session's wall clock is that of the window; half of the bytes double its apparent cost."""
    slow = session(tagged_bytes=500_000, thread_cpu_ns=5_000_000)
    item = window(sessions=(slow, *(session() for _ in range(99))))
    assert session_wall_ticks_per_byte(slow) == 4000.0
    assert session_absolute_ticks_per_byte(item, slow) == 20.0
    assert session_apparent_ticks_per_byte(item, slow) == 40.0
    assert session_apparent_ticks_per_byte(item, item.sessions[1]) == 20.0


def test_missing_is_not_zero(window, session):
    """Without bytes, a clock probe or the TSC there is no figure, rather than a figure of 0."""
    idle = session(messages=0, tagged_bytes=0, chain_ticks_before=None, chain_ticks_after=None)
    item = window(sessions=(idle,), latencies=())
    assert absolute_ticks_per_byte(item) is None
    assert apparent_ticks_per_byte(item) is None
    assert session_apparent_ticks_per_byte(item, idle) is None
    assert session_core_cycles_per_tick(item) is None
    assert session_core_cycles_per_tick(window(ticks_are_tsc=False)) is None
    assert latency_seconds(item, HALF) is None
    assert jain([0, 0]) is None


def test_core_cycles(window, session):
    """8192 additions in 4096 ticks, the median of probes, are two core cycles a tick: 40 a byte."""
    assert session_core_cycles_per_tick(window()) == 2.0
    disturbed = session(chain_ticks_before=40_960)
    unprobed = session(chain_ticks_before=None, chain_ticks_after=None)
    hasty = session(chain_ticks_before=1)
    item = window(sessions=(session(), disturbed, hasty, session(), unprobed))
    assert session_core_cycles_per_tick(item) == 2.0
    found = session_figures([window(), window(), window()])
    assert found.unit == "core cycles"
    assert found.absolute.median == found.apparent.median == 40.0
    assert found.absolute_ticks.median == 20.0
    assert found.bytes_per_second.median == pytest.approx(100e6)
    item = window()
    assert found.messages_per_second.median == item.messages * 1e9 / item.wall_ns
    assert found.core_seconds_per_message.median == item.thread_cpu_ns / 1e9 / item.messages
    assert found.preemptions_per_second.median == pytest.approx(400)


def test_one_window_without_probes_decides_the_unit(window, session):
    """One window without probes makes the unit TSC ticks; core cycles and ticks are never mixed."""
    bare = window(sessions=tuple(session(chain_ticks_before=None) for _ in range(100)))
    found = session_figures([window(), bare])
    assert found.unit == "TSC ticks"
    assert found.absolute.median == 20.0


@pytest.mark.parametrize(
    ("shares", "expected"),
    [([5, 5, 5, 5], 1.0), ([8, 0, 0, 0], 0.25), ([1, 2, 3], 36 / 42), ([7], 1.0)],
)
def test_jain(shares, expected):
    """The index of 1, 2, 3 is (1 + 2 + 3)^2 / (3 (1 + 4 + 9)), between the ends 1/n and 1."""
    assert jain(shares) == pytest.approx(expected)


def test_latency_is_without_the_clock(window):
    """The middle of bucket 96 (128 to 131) is 129.5; 20 ticks of clock are taken off, at 2 a ns."""
    assert latency_seconds(window(), HALF) == pytest.approx((129.5 - 20) / 2 * 1e-9)
    assert latency_seconds(window(clock_pair_ticks=1000), HALF) == 0.0
