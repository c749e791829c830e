# SPDX-License-Identifier: Apache-2.0
"""A busy machine is refused before the first window; void windows in a row are counted by cause."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from joulemark.errors import UnavailableError
from joulemark.judging.void import Void, VoidReason
from joulemark.measure.meter_of_run import VoidsInARow, limit_that_would_do, refuse_if_busy
from joulemark.meters.simulated import SimulatedDomain
from virtual_bench import VirtualBench


@pytest.fixture
def bench(tmp_path):
    """A machine in virtual time."""
    return VirtualBench(tmp_path, [SimulatedDomain("intel-rapl:0", "package-0", 10.0)])


@pytest.mark.parametrize("share", [0.0, 0.009, 0.4, 0.5])
def test_a_machine_within_the_limit_is_taken(bench, share):
    """A machine within the limit is accepted after one look of a second."""
    bench.activity.foreign_share = share
    before_ns = bench.world.now_ns()
    refuse_if_busy(0.5, bench.world, bench.activity)
    assert bench.world.now_ns() - before_ns == pytest.approx(1e9, rel=0.01)


def test_a_busy_machine_is_refused_in_one_sentence(bench):
    """The sentence says the load, the limit and a limit that would do, within some two seconds."""
    bench.activity.foreign_share = 1.47
    before_ns = bench.world.now_ns()
    with pytest.raises(UnavailableError) as refused:
        refuse_if_busy(0.5, bench.world, bench.activity)
    assert str(refused.value) == (
        "other programs use 147 % of a CPU, more than the 50 % allowed; "
        "--foreign-limit 200% would take such windows, or try later"
    )
    assert bench.world.now_ns() - before_ns < 2.5e9


def test_a_burst_refuses_nothing(bench):
    """Half a second of work at the start spoils the first look; the quiet second look decides."""

    @dataclass
    class Burst(type(bench.activity)):
        def machine_busy_ns(self):
            return min(self.world.now_ns() - self.world.start_ns, 500_000_000)

    refuse_if_busy(0.1, bench.world, Burst(bench.world))


def test_less_than_three_ticks_are_not_seen(bench):
    """Load of 2 % of a second is not refused: it is a tick or two, which may be our own."""
    bench.activity.foreign_share = 0.02
    refuse_if_busy(0.01, bench.world, bench.activity)


def test_without_the_counter_nothing_is_refused(bench, monkeypatch):
    """A missing busy counter refuses nothing: it is neither 0 nor too much."""
    monkeypatch.setattr(bench.activity, "machine_busy_ns", lambda: None)
    refuse_if_busy(0.01, bench.world, bench.activity)


@pytest.mark.parametrize(
    ("share", "limit"),
    [(0.031, "5%"), (0.09, "15%"), (0.5, "70%"), (1.0, "150%"), (1.47, "200%"), (15.9, "3000%")],
)
def test_the_proposed_limit_has_headroom(share, limit):
    """A round number, at least 1.3 times what was seen."""
    assert limit_that_would_do(share) == limit
    assert float(limit.rstrip("%")) / 100 >= 1.3 * share


def test_only_windows_of_one_cause_count_together():
    """A good window, or one with another cause, begins the count again."""
    uneven, stuck = Void(VoidReason.UNEVEN, "uneven"), Void(VoidReason.STUCK, "stood still")
    row = VoidsInARow()
    for void in (uneven, uneven, None, uneven, uneven, stuck, stuck):
        row.note(void)
        assert not row.hopeless
    row.note(stuck)
    assert row.hopeless
    assert row.sentence == ("metering ended after 3 void windows in a row, stuck: stood still")
